// JSON of a comparison (schema kinetoscope-diff/1), and records of runs, written and read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/cli/diff/diff_report.hpp"
#include "core/base/result.hpp"
#include "core/tables/compare/run_record.hpp"

namespace kino {

/// Contains the 60 rows with the largest changes, and all flagged rows.
std::string diff_json(const DiffReport& report);

/// Schema kinetoscope-run/1: sufficient to compare the runs of one side later.
std::string record_json(std::string_view name, const std::vector<RunRecord>& runs, bool job);

struct StoredRuns {
  std::string name;
  std::vector<RunRecord> runs;
  bool job = false;
};
/// Fails if the text does not have the form of record_json().
Result<StoredRuns> stored_runs(std::string_view text);

}  // namespace kino
