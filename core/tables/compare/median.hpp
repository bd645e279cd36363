// Median and median absolute deviation, which are robust to outliers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace kino {

inline constexpr double kNsPerUs = 1e3;

/// Returns the median; the mean of the middle two for an even number of values, 0 if there are none. O(n).
inline double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

/// Returns the median absolute deviation from `median`. O(n).
inline double deviation_of(std::vector<double> values, double median) {
  for (double& value : values) value = std::abs(value - median);
  return median_of(std::move(values));
}

}  // namespace kino
