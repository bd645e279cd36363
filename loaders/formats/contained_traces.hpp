// Which traces an archive or a folder holds, told by the first bytes of each file in it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/base/result.hpp"
#include "loaders/cache/contained_list.hpp"

namespace kino {

/// 3 of "rank3_trace.json", "rank_003.json.gz", "worker3_step_12.pt.trace.json", "rank-3/trace.json"; else
/// -1.
std::int64_t rank_in_name(std::string_view name);

/// Whether all of them are ranks of jobs: each tells its rank, at least two traces differ in it, and all that
/// tell a number of ranks tell the same.
bool are_ranks(const ContainedTraces& contained);

/// The files as the ranks of one job: each is a file with a trace, and its header tells its rank, which no
/// other one has, and the number of ranks, which all agree on; or a snapshot whose name tells a rank. Nothing
/// when one is or tells something else, or there are fewer than two traces. The traces come first. Reads at
/// most 64 KB of text of each, up to the first that is none.
std::optional<ContainedTraces> ranks_of_one_job(std::span<const std::filesystem::path> files);

/// Whether all of them are snapshots of the allocator, two or more.
bool are_snapshots(const ContainedTraces& contained);

/// The files as many snapshots, by name: one at least is a snapshot, and each other one is, too, or is called
/// as one (.pickle, .pkl), so that a broken one is told by its name. Nothing when one is something else, or
/// there are fewer than two.
std::optional<ContainedTraces> snapshots_given(std::span<const std::filesystem::path> files);

/// A file by itself, if it is surely a trace, a snapshot or a dump. Reads at most 64 KB of text of it.
std::optional<ContainedTrace> recording_at(const std::filesystem::path& path);

/// What looks like a trace or a snapshot; if nothing does, what looks like JSON. `fd` stays the caller's.
/// O(bytes of the archive) when it has been compressed as a whole, else O(files).
Result<ContainedTraces> traces_in_archive(int fd, const std::filesystem::path& file,
                                          const std::stop_token& stop);
/// Symbolic links to files and folders are followed, see visit_files().
Result<ContainedTraces> traces_in_folder(const std::filesystem::path& folder, const std::stop_token& stop);

/// Why none of `contained` was opened: there is none, or there are several.
Error none_of(const ContainedTraces& contained, const char* container);

}  // namespace kino
