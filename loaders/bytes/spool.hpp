// Spools for decompressed text: unnamed files in the cache folder, or in memory if there is no such folder or
// its disk is nearly full.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <stop_token>

#include "core/base/platform/descriptor.hpp"
#include "core/base/result.hpp"
#include "loaders/bytes/spool_writer.hpp"

namespace kino {

/// Returns $XDG_CACHE_HOME/kinetoscope or, if the variable is not an absolute path, $HOME/.cache/kinetoscope.
/// Empty if neither variable is an absolute path.
std::filesystem::path default_cache_directory();

/// Creates a private folder. If `directory` is the default cache folder and exists, removes access for other
/// users. Ignores failures.
void make_cache_folder(const std::filesystem::path& directory);

/// Opens a new unnamed read-write file, so that no file remains if the program crashes. Uses memory (memfd)
/// if `directory` is empty or not writable, or its disk is nearly full.
Result<Descriptor> open_spool(const std::filesystem::path& directory);

/// Copies a pipe, socket or terminal until its end into a new spool, and updates `bytes_read`. Waits for
/// input; returns at most 50 ms after a stop request. Fails with `no_space` if both disk and memory are
/// nearly full (with limit.none: full). `fd` is borrowed.
Result<Descriptor> spool_pipe(int fd, const std::filesystem::path& directory, const DecompressionLimit& limit,
                              std::atomic<std::uint64_t>& bytes_read, const std::stop_token& stop);

}  // namespace kino
