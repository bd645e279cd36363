#include "core/tables/serving/iteration_parts.hpp"

#include <algorithm>

#include "core/base/saturating.hpp"

namespace kino {

IterationPart IterationTimes::largest() const {
  return static_cast<IterationPart>(std::ranges::max_element(ns) - ns.begin());
}

std::int64_t IterationTimes::total() const {
  std::int64_t sum = 0;
  for (const std::int64_t part_ns : ns) add_saturating(sum, part_ns);
  return sum;
}

IterationTimes& IterationTimes::operator+=(const IterationTimes& other) {
  for (std::size_t i = 0; i < ns.size(); ++i) add_saturating(ns[i], other.ns[i]);
  return *this;
}

}  // namespace kino
