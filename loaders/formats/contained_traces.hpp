// Finds the traces and snapshots in an archive or folder by the first bytes of each file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <stop_token>
#include <string_view>

#include "core/base/result.hpp"
#include "loaders/cache/contained_list.hpp"

namespace kino {

/// Returns 3 for "rank3_trace.json", "rank_003.json.gz", "worker3_step_12.pt.trace.json" and
/// "rank-3/trace.json"; -1 without a rank.
std::int64_t rank_in_name(std::string_view name);

/// Whether all are ranks of one job: each has a rank, at least two traces differ in it, and known world sizes
/// are equal.
bool are_ranks(const ContainedTraces& contained);

/// Returns the files as ranks of one job. Traces need distinct ranks and equal world sizes in their headers;
/// snapshots need a rank in their names, and follow the traces. nullopt if any file is something else, or if
/// there are fewer than two traces. Reads at most 64 KB of text per file, and stops at the first other file.
std::optional<ContainedTraces> ranks_of_one_job(std::span<const std::filesystem::path> files);

/// Whether all are allocator snapshots, and there are at least two.
bool are_snapshots(const ContainedTraces& contained);

/// Returns the files as snapshots, sorted by name. At least one must be a snapshot. The others may also be
/// files with the extension .pickle or .pkl, so that damaged ones are listed. nullopt if any file is
/// something else, or if there are fewer than two.
std::optional<ContainedTraces> as_snapshots(std::span<const std::filesystem::path> files);

/// Returns the file if it certainly is a trace, a snapshot or a dump. Reads at most 64 KB of text.
std::optional<ContainedTrace> recording_at(const std::filesystem::path& path);

/// Returns all probable traces and snapshots; without any, all probable JSON files. `fd` is borrowed.
/// O(bytes) for archives compressed as a whole, else O(files).
Result<ContainedTraces> traces_in_archive(int fd, const std::filesystem::path& file,
                                          const std::stop_token& stop);
/// Follows symbolic links to files and folders, see visit_files().
Result<ContainedTraces> traces_in_folder(const std::filesystem::path& folder, const std::stop_token& stop);

/// Returns the error that `contained` is empty or has several traces.
Error none_of(const ContainedTraces& contained, const char* container);

}  // namespace kino
