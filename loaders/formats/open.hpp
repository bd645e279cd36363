// Opens a file of any supported kind: detects the format, runs its loader, and reports progress.
#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>

#include "core/base/result.hpp"
#include "loaders/bytes/load_progress.hpp"
#include "loaders/cache/open_options.hpp"
#include "loaders/formats/contained_traces.hpp"

namespace kino {

/// Opens `path`: a file, a pipe, FILE#ENTRY in an archive, "-" for standard input, or a folder of flight
/// recorder dumps. Also opens an archive or folder that contains only one recording. The content determines
/// the kind. Blocks until done; returns Error{cancelled} within 50 ms of a stop request.
Result<OpenedFile> open_file(const std::filesystem::path& path, const OpenOptions& options,
                             LoadProgress& progress, const std::stop_token& stop);

/// Like open_file(), for traces only. If the first bytes show another kind of recording, fails with
/// Error::Kind::unknown_format.
Result<OpenedTrace> open_trace(const std::filesystem::path& path, const OpenOptions& options,
                               LoadProgress& progress, const std::stop_token& stop);

/// Like open_trace(), for snapshots only.
Result<OpenedSnapshot> open_snapshot(const std::filesystem::path& path, const OpenOptions& options,
                                     LoadProgress& progress, const std::stop_token& stop);

/// Writes the index that find_beside() reads; see store_index_as(). Requires OpenedTrace::source.
std::optional<Error> store_opened_as(const OpenedTrace& opened, const std::filesystem::path& index,
                                     const std::stop_token& stop);

/// Stores in the cache a trace that was passed to CacheOptions::keep; see store_in_cache().
std::optional<Error> store_opened(const OpenedTrace& opened, const OpenOptions& options,
                                  const std::stop_token& stop);

}  // namespace kino
