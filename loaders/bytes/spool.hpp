// Where decompressed text goes: an unnamed file in the cache folder, or memory when there is no such folder.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <stop_token>

#include "core/base/platform/descriptor.hpp"
#include "core/base/result.hpp"
#include "loaders/bytes/spool_writer.hpp"

namespace kino {

/// $XDG_CACHE_HOME/kinetoscope, or ~/.cache/kinetoscope; empty when neither variable is set.
std::filesystem::path default_cache_directory();

/// Makes it, for nobody else to look into; the program's own is closed to others also when it is there
/// already. Says nothing when it cannot.
void make_cache_folder(const std::filesystem::path& directory);

/// A new read-write descriptor without a name, so that nothing is left behind however the program ends. Falls
/// back to memory (memfd) when the folder cannot be written to, or its disk is nearly full.
Result<Descriptor> open_spool(const std::filesystem::path& directory);

/// What a pipe, a socket or a terminal gives until it ends, in a new spool. Waits for it, but no longer than
/// 50 ms after a stop request. `fd` stays the caller's. `bytes_read` follows the progress.
Result<Descriptor> spool_pipe(int fd, const std::filesystem::path& directory, const SpoolLimit& limit,
                              std::atomic<std::uint64_t>& bytes_read, const std::stop_token& stop);

}  // namespace kino
