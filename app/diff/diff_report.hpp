// What `kinetoscope diff` has found, before it is written in one of its formats.
#pragma once

#include <string>
#include <vector>

#include "core/compare/gate.hpp"
#include "core/compare/rank_comparison.hpp"
#include "core/compare/run_comparison.hpp"

namespace kino {

struct DiffReport {
  std::string name_a;
  std::string name_b;
  RunComparison comparison;  ///< of jobs: of the slowest rank of each step
  std::vector<RankComparison> ranks;
  std::vector<std::string> job_lines;  ///< who makes the others wait, a line a side
  std::vector<std::string> notes;      ///< on how it was compared
  std::vector<GateCondition> conditions;
  std::vector<GateOutcome> outcomes;  ///< of the conditions; none when not comparable
  std::uint64_t stubs_a = 0;          ///< steps that were left out
  std::uint64_t stubs_b = 0;

  /// 0, 2, 3, or 4 when `strict`.
  int exit_code(bool strict) const;
};

}  // namespace kino
