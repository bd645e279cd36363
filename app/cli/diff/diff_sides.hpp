// Reads the sides that `kinetoscope diff` compares: traces, folders and patterns of runs, and jobs.
#pragma once

#include <string>
#include <vector>

#include "app/cli/diff/diff_command.hpp"
#include "core/base/result.hpp"
#include "core/tables/compare/run_record.hpp"

namespace kino {

struct DiffSide {
  std::string name;             ///< name of the file or folder
  std::vector<RunRecord> runs;  ///< one run, several runs, or the ranks of a job
  bool job = false;             ///< `runs` are ranks
  std::string verdict;          ///< for a job: verdict on its stragglers
  std::vector<std::string> notes;
  bool from_record = false;
};

/// Returns the files of a RUN argument, sorted by name. The argument is a file, a folder, or a pattern with *
/// or ?.
Result<std::vector<std::filesystem::path>> files_of_side(const std::string& side);

/// Returns whether the file opens as an allocator snapshot. Reads the whole snapshot.
bool is_snapshot_file(const std::filesystem::path& path);

/// Opens the traces one after the other and retains only their records. On failure, `straggler` is set to the
/// path of the failed file or side.
Result<DiffSide> read_side(const DiffCommand& command, const std::string& side, const RunSelection& selection,
                           std::string& straggler);

}  // namespace kino
