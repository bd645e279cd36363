// Opens a file of any kind the product knows: sniffs the content, runs the right loader, reports progress.
#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>

#include "core/base/result.hpp"
#include "loaders/bytes/load_progress.hpp"
#include "loaders/cache/open_options.hpp"
#include "loaders/formats/contained_traces.hpp"

namespace kino {

/// Opens `path`: a file, a pipe, FILE#ENTRY in an archive, "-" for the standard input, or an archive or
/// folder with one trace or snapshot in it. Which of the two it is, its content decides. Blocks until done;
/// returns Error{cancelled} within 50 ms of a stop request.
Result<OpenedFile> open_file(const std::filesystem::path& path, const OpenOptions& options,
                             LoadProgress& progress, const std::stop_token& stop);

/// The same for a trace; a snapshot is Error::Kind::unknown_format, told from its first bytes.
Result<OpenedTrace> open_trace(const std::filesystem::path& path, const OpenOptions& options,
                               LoadProgress& progress, const std::stop_token& stop);

/// The same for a snapshot; a trace is refused.
Result<OpenedSnapshot> open_snapshot(const std::filesystem::path& path, const OpenOptions& options,
                                     LoadProgress& progress, const std::stop_token& stop);

/// Writes it as the file that find_beside() finds; see keep_as(). Needs OpenedTrace::source.
std::optional<Error> keep_opened_as(const OpenedTrace& opened, const std::filesystem::path& index,
                                    const std::stop_token& stop);

/// Writes a trace to the cache that CacheUse::keep was given; see keep_in_cache().
std::optional<Error> keep_opened(const OpenedTrace& opened, const OpenOptions& options,
                                 const std::stop_token& stop);

}  // namespace kino
