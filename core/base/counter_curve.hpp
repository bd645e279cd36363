// Step function of time: the samples of a counter, and their means.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kino {

/// A value that holds from time_ns until the next point.
struct CurvePoint {
  std::int64_t time_ns = 0;
  double value = 0;
  bool operator==(const CurvePoint&) const = default;
};

/// Appends a point with `value` at `time_ns`, which must not be before the last point. Omits points that last
/// for no time or do not change the value.
void extend_curve(std::vector<CurvePoint>& curve, std::int64_t time_ns, double value);

/// A view of a counter's columns; each value holds until the next sample. `integral` is empty unless the
/// counter is shown as means. If it is not empty, it contains the sum of value times ns before every
/// kStride-th sample.
struct CounterRow {
  static constexpr std::size_t kStride = 64;

  std::span<const std::int64_t> time_ns;  ///< ascends
  std::span<const double> value;
  std::span<const double> integral;

  bool as_mean() const { return !integral.empty(); }
  /// Returns the sum of value times ns from the first sample to `until_ns`. Requires `integral`. O(log
  /// samples + kStride).
  double integral_until(std::int64_t until_ns) const;
  /// Returns the mean over [begin_ns, end_ns), which must not be empty. The value before the first sample
  /// counts as 0.
  double mean(std::int64_t begin_ns, std::int64_t end_ns) const {
    return (integral_until(end_ns) - integral_until(begin_ns)) / static_cast<double>(end_ns - begin_ns);
  }
};

/// Computes CounterRow::integral. The values must be finite. O(samples).
std::vector<double> curve_integral(std::span<const std::int64_t> time_ns, std::span<const double> value);

}  // namespace kino
