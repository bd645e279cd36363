#include "app/ui/view/busy_band.hpp"

#include <algorithm>
#include <cmath>

#include "app/ui/widgets/hatching.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {
namespace {

constexpr double kFaintestShare = 0.3;  // minimum strength of a pixel column, so that it remains visible
constexpr float kHatchPx = 5;           // smallest width of an interval with hatching

}  // namespace

void draw_busy_band(ImDrawList& list, const TimeView& view, const Box& band, const BusyLine& line,
                    const BandStyle& look) {
  const auto begin = static_cast<std::int64_t>(view.begin_ns);
  const auto end = static_cast<std::int64_t>(view.end_ns());
  const auto x_of = [&](std::int64_t ns) {
    return band.left + static_cast<float>(view.px_from_ns(static_cast<double>(ns)));
  };
  for (std::size_t i = line.first_after(begin); i < line.size();) {
    const TimeRange range = line[i];
    if (range.begin_ns >= end) break;
    const float left = std::max(x_of(range.begin_ns), band.left);
    const float right = std::min(x_of(range.end_ns), band.right);
    if (right - left >= 1) {
      if (look.hatched && right - left >= std::round(kHatchPx * look.scale)) {
        list.AddRectFilled({left, band.top}, {right, band.bottom}, mixed(look.back, look.color, 0.25));
        draw_hatching(list, {left, band.top}, {right, band.bottom}, with_alpha(look.color, 150), look.scale);
      } else {
        list.AddRectFilled({left, band.top}, {right, band.bottom},
                           look.hatched ? mixed(look.back, look.color, 0.5) : look.color);
      }
      ++i;
      continue;
    }
    const double column = std::floor(view.px_from_ns(static_cast<double>(range.begin_ns)));
    const auto from = static_cast<std::int64_t>(view.ns_from_px(column));
    const auto to = std::max(from + 1, static_cast<std::int64_t>(view.ns_from_px(column + 1)));
    const double share = static_cast<double>(line.covered(from, to, i)) / static_cast<double>(to - from);
    const double strength = std::clamp(share, kFaintestShare, 1.0) * (look.hatched ? 0.5 : 1.0);
    const float x = band.left + static_cast<float>(column);
    list.AddRectFilled({x, band.top}, {x + 1, band.bottom}, mixed(look.back, look.color, strength));
    i = std::max(i + 1, line.first_after(to, i));
  }
}

}  // namespace kino
