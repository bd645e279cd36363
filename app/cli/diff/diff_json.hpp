// A comparison as JSON (schema kinetoscope-diff/1), and records of runs, written and read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/cli/diff/diff_report.hpp"
#include "core/base/result.hpp"
#include "core/tables/compare/run_record.hpp"

namespace kino {

/// Of the rows the 60 with the largest changes, and all that are flagged.
std::string diff_json(const DiffReport& report);

/// Schema kinetoscope-run/1: enough to compare the runs of one side later.
std::string record_json(std::string_view name, const std::vector<RunRecord>& runs, bool job);

struct StoredRuns {
  std::string name;
  std::vector<RunRecord> runs;
  bool job = false;
};
/// Fails with what about the text is not as record_json() writes it.
Result<StoredRuns> stored_runs(std::string_view text);

}  // namespace kino
