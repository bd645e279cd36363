// Palettes of colors for color modes other than by name.
#pragma once

#include <cstdint>
#include <vector>

#include "app/ui/widgets/theme.hpp"
#include "core/trace/timeline/paint_keys.hpp"

namespace kino {

/// Color of slices without a group, for example outside of any module, or with too few slices of their name
/// to compare.
std::uint32_t neutral_color(const Theme& theme);
/// Returns colors by SliceKind.
std::vector<std::uint32_t> kind_palette(const Theme& theme);
/// Returns colors by TrackId; neighbors have very different hues.
std::vector<std::uint32_t> track_palette(const Trace& trace, const Theme& theme);
/// Returns colors by key of PaintBy::module. Modules whose names are neighbors in sorted order have very
/// different hues.
std::vector<std::uint32_t> module_palette(const Trace& trace, const std::vector<PaintGroup>& groups,
                                          const Theme& theme);
/// Returns colors by key of PaintBy::duration. From short to long, lightness changes monotonically, and hue
/// changes from blue to yellow or orange. The order is therefore visible with any color vision.
std::vector<std::uint32_t> duration_palette(const Theme& theme);

}  // namespace kino
