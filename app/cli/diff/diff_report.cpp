#include "app/cli/diff/diff_report.hpp"

#include <algorithm>

namespace kino {

int DiffReport::exit_code(bool strict) const {
  if (comparison.verdict == RunVerdict::not_comparable) return 3;
  const auto any = [&](GateResult result) {
    return std::ranges::any_of(outcomes,
                               [&](const GateOutcome& outcome) { return outcome.result == result; });
  };
  if (any(GateResult::failed)) return 2;
  return strict && any(GateResult::inconclusive) ? 4 : 0;
}

}  // namespace kino
