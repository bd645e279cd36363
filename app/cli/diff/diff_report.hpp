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

/// The steps used for one side.
struct StepBase {
  std::vector<std::string> used;       ///< numbers of the steps; for runs their names
  std::uint64_t stubs = 0;             ///< steps left out because hardly any GPU work starts in them
  std::optional<std::uint64_t> first;  ///< first steps left out; nullopt: unknown
};

struct DiffReport {
  std::string name_a;
  std::string name_b;
  RunComparison comparison;  ///< for two jobs: of JobChange::head
  JobChange job;             ///< for two jobs, else empty
  std::vector<RankComparison> ranks;
  std::vector<std::string> job_lines;  ///< stragglers, one line per side
  std::vector<std::string> notes;      ///< on the method of comparison
  std::vector<GateCondition> conditions;
  std::vector<GateOutcome> outcomes;  ///< of the conditions; empty if not comparable
  StepBase base_a;
  StepBase base_b;

  /// Returns 0, 2, 3, or 4 if `strict`.
  int exit_code(bool strict) const;
};

}  // namespace kino
