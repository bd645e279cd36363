// The time ruler above the tracks: ticks of 1, 2 or 5 times a power of ten, with labels that stay short.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <imgui.h>

#include "app/ui/widgets/theme.hpp"
#include "render/time_view.hpp"

namespace kino {

/// Where ticks stand and how they are written. Zoomed in far from zero, labels count from `base_ns`, which is
/// written once ("12.345 678 s" and then "+200 ns").
struct RulerScale {
  std::int64_t step_ns = 1;   ///< between labelled ticks
  std::int64_t minor_ns = 0;  ///< between small ticks; 0 for none
  std::int64_t base_ns = 0;
  std::int64_t unit_ns = 1;
  int decimals = 0;
  bool relative = false;
};

/// Labelled ticks are at least `min_step_px` apart. O(1).
RulerScale ruler_scale(const TimeView& view, double min_step_px);
/// "12.3 ms", "+200 ns", "-5 s".
std::string tick_text(const RulerScale& scale, std::int64_t time_ns);
/// A point in time with every digit but trailing groups of zeros: "12.345 678 s", "0.000 000 850 s".
std::string seconds_text(std::int64_t time_ns);
/// "12.345 678 s" for relative scales: all digits the base has. Empty for absolute ones.
std::string base_text(const RulerScale& scale);

/// A stretch of the ruler's width, on screen.
struct RulerGap {
  float left = 0;
  float right = 0;
};

/// Draws the ruler into [left_top, right_bottom); no label reaches into the gaps.
void draw_ruler(ImDrawList& list, const TimeView& view, const RulerScale& scale, ImVec2 left_top,
                ImVec2 right_bottom, std::span<const RulerGap> gaps, const Theme& theme, float ui_scale);
/// Vertical lines of the labelled ticks.
void draw_grid(ImDrawList& list, const TimeView& view, const RulerScale& scale, ImVec2 left_top,
               ImVec2 right_bottom, const Theme& theme);

/// The line of where the mouse is in a linked pane, into a ruler and what is below it.
void draw_other_time(ImDrawList& list, const TimeView& view, ImVec2 left_top, ImVec2 right_bottom,
                     std::optional<double> time_ns, const Theme& theme, float ui_scale);

}  // namespace kino
