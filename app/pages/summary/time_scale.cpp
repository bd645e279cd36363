#include "app/pages/summary/time_scale.hpp"

#include "core/base/time_text.hpp"

namespace kino {

TimeScale::TimeScale(std::int64_t mean_ns) : milliseconds_(mean_ns >= 10'000'000) {}

std::string TimeScale::number(std::int64_t ns) const {
  return formatted(milliseconds_ ? "%.2f" : "%.1f", static_cast<double>(ns) / (milliseconds_ ? 1e6 : 1e3));
}

}  // namespace kino
