// Palettes for color modes other than by name.
#pragma once

#include <cstdint>
#include <vector>

#include "app/ui/widgets/theme.hpp"
#include "core/trace/timeline/paint_keys.hpp"

namespace kino {

/// Color of slices without a group, such as outside of any module, or too few to compare.
std::uint32_t neutral_color(const Theme& theme);
/// By SliceKind.
std::vector<std::uint32_t> kind_palette(const Theme& theme);
/// By TrackId: neighbors have very different hues.
std::vector<std::uint32_t> track_palette(const Trace& trace, const Theme& theme);
/// By key of PaintBy::module: neighbors have very different hues.
std::vector<std::uint32_t> module_palette(const Trace& trace, const std::vector<PaintGroup>& groups,
                                          const Theme& theme);
/// By key of PaintBy::duration. From short to long, lightness changes monotonically and hue from blue to
/// yellow or orange, so that the order is visible with any color vision.
std::vector<std::uint32_t> duration_palette(const Theme& theme);

}  // namespace kino
