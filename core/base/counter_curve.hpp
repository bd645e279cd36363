// A step function of time: the samples of a counter, and the means of those that are shown as means.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kino {

/// The value from time_ns on.
struct CurvePoint {
  std::int64_t time_ns = 0;
  double value = 0;
  bool operator==(const CurvePoint&) const = default;
};

/// Makes the curve `value` from `time_ns` on, which is not before its last point; what holds for no time and
/// what changes nothing leaves no point.
void extend_curve(std::vector<CurvePoint>& curve, std::int64_t time_ns, double value);

/// A counter's samples as the columns hold them: each value holds until the next sample. `integral` belongs
/// to counters that are shown as means: value times ns before every kStride-th sample.
struct CounterRow {
  static constexpr std::size_t kStride = 64;

  std::span<const std::int64_t> time_ns;  ///< ascends
  std::span<const double> value;
  std::span<const double> integral;

  bool as_mean() const { return !integral.empty(); }
  /// Value times ns from the first sample until `until_ns`. Needs `integral`. O(log samples + kStride).
  double integral_until(std::int64_t until_ns) const;
  /// Over [begin, end), which is not empty and may reach beyond the samples: 0 before the first.
  double mean(std::int64_t begin_ns, std::int64_t end_ns) const {
    return (integral_until(end_ns) - integral_until(begin_ns)) / static_cast<double>(end_ns - begin_ns);
  }
};

/// What CounterRow::integral needs. Values are finite. O(samples).
std::vector<double> curve_integral(std::span<const std::int64_t> time_ns, std::span<const double> value);

}  // namespace kino
