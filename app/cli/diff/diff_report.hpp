// What `kinetoscope diff` has found, before it is written in one of its formats.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/tables/compare/gate.hpp"
#include "core/tables/compare/rank_comparison.hpp"
#include "core/tables/compare/run_comparison.hpp"

namespace kino {

/// The steps that one side is compared by.
struct StepBase {
  std::vector<std::string> used;       ///< their numbers; of runs the names of these
  std::uint64_t stubs = 0;             ///< left out
  std::optional<std::uint64_t> first;  ///< first steps that were left out; nullopt: not known
};

struct DiffReport {
  std::string name_a;
  std::string name_b;
  RunComparison comparison;  ///< of two jobs: of JobChange::head
  JobChange job;             ///< of two jobs, else empty
  std::vector<RankComparison> ranks;
  std::vector<std::string> job_lines;  ///< who makes the others wait, a line a side
  std::vector<std::string> notes;      ///< on how it was compared
  std::vector<GateCondition> conditions;
  std::vector<GateOutcome> outcomes;  ///< of the conditions; none when not comparable
  StepBase base_a;
  StepBase base_b;

  /// 0, 2, 3, or 4 when `strict`.
  int exit_code(bool strict) const;
};

}  // namespace kino
