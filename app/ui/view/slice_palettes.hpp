// Palettes for what slices are coloured by other than their names.
#pragma once

#include <cstdint>
#include <vector>

#include "app/ui/widgets/theme.hpp"
#include "core/trace/timeline/paint_keys.hpp"

namespace kino {

/// What has no colour of its own: in no module, of too few to compare.
std::uint32_t neutral_color(const Theme& theme);
/// By SliceKind.
std::vector<std::uint32_t> kind_palette(const Theme& theme);
/// By TrackId: neighbours have hues far apart.
std::vector<std::uint32_t> track_palette(const Trace& trace, const Theme& theme);
/// By key of PaintBy::module: neighbours have hues far apart.
std::vector<std::uint32_t> module_palette(const Trace& trace, const std::vector<PaintGroup>& groups,
                                          const Theme& theme);
/// By key of PaintBy::duration: from short to long the lightness goes one way and the hue from blue to yellow
/// or orange, so that every kind of colour vision sees the order.
std::vector<std::uint32_t> duration_palette(const Theme& theme);

}  // namespace kino
