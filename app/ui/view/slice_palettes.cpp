#include "app/ui/view/slice_palettes.hpp"

#include <algorithm>
#include <cmath>

#include "app/ui/widgets/oklch.hpp"

namespace kino {
namespace {

/// Returns the color at `index` of an endless series, in which each color differs from those shortly before
/// it.
std::uint32_t spread_color(std::uint32_t index, const Theme& theme) {
  constexpr double kGoldenAngle = 137.50776405;
  const double lightness = (theme.dark ? 0.74 : 0.70) + 0.05 * (static_cast<int>(index % 3) - 1);
  return packed_color({lightness, 0.115, std::fmod(230 + kGoldenAngle * index, 360)});
}

}  // namespace

std::uint32_t neutral_color(const Theme& theme) {
  return packed_color({theme.dark ? 0.60 : 0.72, 0.006, 262});
}

std::vector<std::uint32_t> kind_palette(const Theme& theme) {
  std::vector<std::uint32_t> colors;
  colors.reserve(kSliceKindCount);
  for (int kind = 0; kind < kSliceKindCount; ++kind)
    colors.push_back(kind_color(static_cast<SliceKind>(kind), theme));
  return colors;
}

std::vector<std::uint32_t> track_palette(const Trace& trace, const Theme& theme) {
  std::vector<std::uint32_t> colors;
  for (std::uint32_t track = 0; track < trace.tracks.size(); ++track)
    colors.push_back(spread_color(track, theme));
  return colors;
}

// Colors are assigned in the order of names, so that a file always has the same colors.
std::vector<std::uint32_t> module_palette(const Trace& trace, const std::vector<PaintGroup>& groups,
                                          const Theme& theme) {
  std::vector<std::uint32_t> keys;
  for (std::uint32_t key = 0; key < groups.size(); ++key) {
    if (key != kNoModuleKey) keys.push_back(key);
  }
  const auto name = [&](std::uint32_t key) { return trace.name_text(groups[key].name); };
  std::sort(keys.begin(), keys.end(), [&](std::uint32_t a, std::uint32_t b) { return name(a) < name(b); });
  std::vector<std::uint32_t> colors(groups.size(), neutral_color(theme));
  for (std::uint32_t rank = 0; rank < keys.size(); ++rank) colors[keys[rank]] = spread_color(rank + 1, theme);
  return colors;
}

std::vector<std::uint32_t> duration_palette(const Theme& theme) {
  std::vector<std::uint32_t> colors;
  for (std::uint32_t percent = 0; percent < kPercentiles; ++percent) {
    const double x = percent / (kPercentiles - 1.0);
    // The color changes most among the longest durations, where outliers are.
    const double warm = x * x;
    if (theme.dark) {
      const double hue = 262 - (262 - 92) * warm;
      colors.push_back(packed_color({0.58 + 0.33 * x, 0.05 + 0.11 * std::abs(2 * warm - 1), hue}));
    } else {
      const double hue = warm < 0.5 ? 250.0 : 45.0;
      colors.push_back(packed_color({0.88 - 0.26 * x, 0.01 + 0.16 * std::abs(2 * warm - 1), hue}));
    }
  }
  colors.push_back(neutral_color(theme));
  return colors;
}

}  // namespace kino
