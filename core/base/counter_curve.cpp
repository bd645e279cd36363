#include "core/base/counter_curve.hpp"

#include <algorithm>

namespace kino {

void extend_curve(std::vector<CurvePoint>& curve, std::int64_t time_ns, double value) {
  if (!curve.empty() && curve.back().time_ns == time_ns) curve.pop_back();
  if (curve.empty() || curve.back().value != value) curve.push_back({time_ns, value});
}

double CounterRow::integral_until(std::int64_t until_ns) const {
  const auto after = std::upper_bound(time_ns.begin(), time_ns.end(), until_ns);
  if (after == time_ns.begin()) return 0;
  const auto last = static_cast<std::size_t>(after - time_ns.begin()) - 1;
  double sum = integral[last / kStride];
  for (std::size_t i = last / kStride * kStride; i < last; ++i) {
    sum += value[i] * static_cast<double>(time_ns[i + 1] - time_ns[i]);
  }
  return sum + value[last] * static_cast<double>(until_ns - time_ns[last]);
}

std::vector<double> curve_integral(std::span<const std::int64_t> time_ns, std::span<const double> value) {
  std::vector<double> integral;
  double sum = 0;
  for (std::size_t i = 0; i < time_ns.size(); ++i) {
    if (i % CounterRow::kStride == 0) integral.push_back(sum);
    if (i + 1 < time_ns.size()) sum += value[i] * static_cast<double>(time_ns[i + 1] - time_ns[i]);
  }
  return integral;
}

}  // namespace kino
