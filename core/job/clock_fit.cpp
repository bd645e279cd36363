#include "core/job/clock_fit.hpp"

#include <cassert>
#include <limits>

#include "core/base/saturating.hpp"

namespace kino {
namespace {

__extension__ using Wide = __int128;  // products stay below 2^97: time differences below 2^66, factors 2^31

constexpr Wide kBillion = 1'000'000'000;

/// Returns the integer nearest to dividend / divisor, halves up; `divisor` is positive.
Wide nearest(Wide dividend, Wide divisor) {
  const Wide twice = 2 * dividend + divisor;
  const Wide quotient = twice / (2 * divisor);
  return twice % (2 * divisor) < 0 ? quotient - 1 : quotient;
}

std::int64_t bounded(Wide value) {
  constexpr Wide kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr Wide kMost = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(value < kLeast ? kLeast : value > kMost ? kMost : value);
}

}  // namespace

std::int64_t ClockFit::second_from_first(std::int64_t first_ns) const {
  assert(drift_ppb >= -kMostDriftPpb && drift_ppb <= kMostDriftPpb);
  if (drift_ppb == 0) return saturating_add(first_ns, offset_ns);
  const Wide gained = nearest((Wide{first_ns} - around_ns) * drift_ppb, kBillion);
  return bounded(Wide{first_ns} + offset_ns + gained);
}

std::int64_t ClockFit::first_from_second(std::int64_t second_ns) const {
  assert(drift_ppb >= -kMostDriftPpb && drift_ppb <= kMostDriftPpb);
  if (drift_ppb == 0) return saturating_subtract(second_ns, offset_ns);
  const Wide since = Wide{second_ns} - offset_ns - around_ns;
  return bounded(Wide{around_ns} + nearest(since * kBillion, kBillion + drift_ppb));
}

ClockFit ClockFit::with_later_origins(std::int64_t first_ns, std::int64_t second_ns) const {
  ClockFit fit = *this;
  fit.offset_ns = bounded(Wide{offset_ns} + first_ns - second_ns);
  fit.around_ns = saturating_subtract(around_ns, first_ns);
  return fit;
}

}  // namespace kino
