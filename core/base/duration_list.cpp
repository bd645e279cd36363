#include "core/base/duration_list.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/saturating.hpp"

namespace kino {

DurationStats duration_stats(std::span<std::int64_t> durations) {
  DurationStats spread;
  spread.count = durations.size();
  if (durations.empty()) return spread;
  spread.total_ns = std::accumulate(durations.begin(), durations.end(), std::int64_t{0}, saturating_add);
  double squares = 0;
  for (const std::int64_t duration : durations) {
    const double away = static_cast<double>(duration) - spread.mean_ns();
    squares += away * away;
  }
  if (durations.size() > 1)
    spread.deviation_ns = std::sqrt(squares / static_cast<double>(durations.size() - 1));
  // Finding a percentile moves the larger durations behind it, so the next percentile searches only those.
  auto begin = durations.begin();
  const auto rank = [&](std::size_t percent) {
    const std::size_t place = (durations.size() * percent + 99) / 100 - 1;
    const auto at = durations.begin() + static_cast<std::ptrdiff_t>(place);
    if (at >= begin) std::nth_element(begin, at, durations.end());
    begin = at;
    return *at;
  };
  spread.min_ns = *std::min_element(durations.begin(), durations.end());
  const std::int64_t lower_ns = rank(50);
  spread.median_ns = durations.size() % 2 == 1
                         ? lower_ns
                         : std::midpoint(lower_ns, *std::min_element(begin + 1, durations.end()));
  spread.p90_ns = rank(90);
  spread.p99_ns = rank(99);
  spread.max_ns = *std::max_element(begin, durations.end());
  return spread;
}

}  // namespace kino
