// Reads what `kinetoscope diff` compares: traces, folders and patterns of runs, jobs of many ranks, records.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/cli/diff/diff_command.hpp"
#include "core/base/result.hpp"
#include "core/tables/compare/run_record.hpp"

namespace kino {

/// One side.
struct DiffSide {
  std::string name;             ///< of the file or folder
  std::vector<RunRecord> runs;  ///< one, several runs, or the ranks of a job
  bool job = false;             ///< `runs` are ranks
  std::string verdict;          ///< of a job: who makes the others wait
  std::vector<std::string> notes;
  bool from_record = false;
};

/// The files a RUN means, by name: itself, those in a folder, those whose names fit a pattern with * or ?.
Result<std::vector<std::filesystem::path>> files_of_side(const std::string& side);

/// Whether the first file of a side is an allocator snapshot.
bool is_snapshot_file(const std::filesystem::path& path);

/// Opens the traces one after the other and keeps the records alone. `culprit` is the file an error is of.
Result<DiffSide> read_side(const DiffCommand& command, const std::string& side, const RunSelection& selection,
                           std::string& culprit);

}  // namespace kino
