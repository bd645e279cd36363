// JSON of a comparison (schema kinetoscope-diff/1), and a JSON writer and reader for records of runs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/cli/diff/diff_report.hpp"
#include "core/base/result.hpp"
#include "core/tables/compare/run_record.hpp"

namespace kino {

/// Returns the comparison as JSON, with the 60 largest changes and all flagged rows.
std::string diff_json(const DiffReport& report);

/// Returns the records of one side as JSON (schema kinetoscope-run/1), sufficient to compare its runs later.
std::string record_json(std::string_view name, const std::vector<RunRecord>& runs, bool job);

struct StoredRuns {
  std::string name;
  std::vector<RunRecord> runs;
  bool job = false;
};
/// Parses the output of record_json(). Fails if the text has another form.
Result<StoredRuns> stored_runs(std::string_view text);

}  // namespace kino
