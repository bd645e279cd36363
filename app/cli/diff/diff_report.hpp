// The result of `kinetoscope diff`, before it is formatted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/tables/compare/gate.hpp"
#include "core/tables/compare/rank_comparison.hpp"
#include "core/tables/compare/run_comparison.hpp"

namespace kino {

/// Steps of one side that the comparison uses.
struct StepBase {
  std::vector<std::string> used;       ///< numbers of the steps; for several runs, the runs' names
  std::uint64_t stubs = 0;             ///< steps left out because hardly any GPU work starts in them
  std::optional<std::uint64_t> first;  ///< number of first steps left out; nullopt: unknown
};

struct DiffReport {
  std::string name_a;
  std::string name_b;
  RunComparison comparison;  ///< for two jobs: JobChange::head
  JobChange job;             ///< for two jobs; otherwise empty
  std::vector<RankComparison> ranks;
  std::vector<std::string> job_lines;  ///< stragglers of jobs, one line per side
  std::vector<std::string> notes;      ///< on the method of comparison
  std::vector<GateCondition> conditions;
  std::vector<GateOutcome> outcomes;  ///< outcomes of the conditions; empty if not comparable
  StepBase base_a;
  StepBase base_b;

  /// Returns the exit code: 0, 2 or 3, or 4 if `strict`.
  int exit_code(bool strict) const;
};

}  // namespace kino
