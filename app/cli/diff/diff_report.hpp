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
  RunComparison comparison;  ///< for two jobs: of the rank JobChange::head
  JobChange job;             ///< for two jobs; otherwise empty
  std::vector<RankComparison> ranks;
  std::vector<std::string> job_lines;  ///< for two jobs: the change, and the stragglers of each side
  std::vector<std::string> notes;      ///< on the method of comparison
  std::vector<GateCondition> conditions;
  std::vector<GateOutcome> outcomes;  ///< outcomes of the conditions; empty if not comparable
  StepBase base_a;
  StepBase base_b;

  /// Returns the exit code: 3 if the runs are not comparable, else 2 if a condition failed, else 4 if
  /// `strict` is set and a condition is undecided, else 0.
  int exit_code(bool strict) const;
};

}  // namespace kino
