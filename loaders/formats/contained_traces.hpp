// Finds traces, snapshots and dumps in archives, folders and lists of files, by the first bytes of each file.
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

/// Returns the rank in a name, such as 3 for "rank3_trace.json", "rank_003.json.gz",
/// "worker3_step_12.pt.trace.json" and "rank-3/trace.json"; -1 if there is none.
std::int64_t rank_in_name(std::string_view name);

/// Returns whether all files are ranks of one job: each has a rank, at least two traces have different ranks,
/// and known world sizes are equal.
bool are_ranks(const ContainedTraces& contained);

/// Returns the files as ranks of one job, sorted by rank. Returns nullopt if any file is something else, or
/// if there are fewer than two traces. Traces need distinct ranks and equal world sizes in their headers.
/// Snapshots need a rank in their names, and follow the traces. Reads at most 64 KB of text per file, and
/// stops at the first file that does not belong to the job.
std::optional<ContainedTraces> ranks_of_one_job(std::span<const std::filesystem::path> files);

/// Returns whether all files are allocator snapshots, and there are at least two.
bool are_snapshots(const ContainedTraces& contained);

/// Returns the files as snapshots, sorted by name; nullopt if any file is something else, or if there are
/// fewer than two. At least one file must be a snapshot. The others must at least have the extension .pickle
/// or .pkl, so that damaged snapshots are listed.
std::optional<ContainedTraces> as_snapshots(std::span<const std::filesystem::path> files);

/// Returns the file if it certainly is a trace, snapshot, dump or Nsight report; nullopt otherwise. Reads at
/// most 64 KB of text.
std::optional<ContainedTrace> recording_at(const std::filesystem::path& path);

/// Returns all certain traces and snapshots, sorted by name. Without traces and snapshots, returns the dumps;
/// without dumps, the Nsight reports; without reports, the files that may be recordings (FormatMatch::maybe).
/// Examines at most ContainedTraces::kMostFiles files. `fd` is borrowed. O(bytes) for archives compressed as
/// a whole, otherwise O(files).
Result<ContainedTraces> traces_in_archive(int fd, const std::filesystem::path& file,
                                          const std::stop_token& stop);
/// Like traces_in_archive(), for a folder. Follows symbolic links to files and folders, see visit_files().
Result<ContainedTraces> traces_in_folder(const std::filesystem::path& folder, const std::stop_token& stop);

/// Returns the error for opening `contained` as one file: it contains no traces, or several.
Error none_of(const ContainedTraces& contained, const char* container);

}  // namespace kino
