// The time ruler above the tracks: ticks at 1, 2 or 5 times a power of ten, with short labels.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <imgui.h>

#include "app/ui/widgets/theme.hpp"
#include "render/time_view.hpp"

namespace kino {

/// Minimum distance between the ruler's labeled ticks in px, at scale 1. Their lines extend through the
/// tracks.
inline constexpr float kTickDistancePx = 115;

/// Positions and format of ticks. If the view is zoomed in far from zero, labels are relative to `base_ns`,
/// which is shown once ("12.345 678 s", then "+200 ns").
struct RulerScale {
  std::int64_t step_ns = 1;   ///< distance between labeled ticks
  std::int64_t minor_ns = 0;  ///< distance between small ticks; 0 for none
  std::int64_t base_ns = 0;
  std::int64_t unit_ns = 1;
  int decimals = 0;
  bool relative = false;
};

/// Returns the ticks for a view. Labeled ticks are at least `min_step_px` apart. O(1).
RulerScale ruler_scale(const TimeView& view, double min_step_px);
/// Returns the label of a tick: "12.3 ms", "+200 ns", "-5 s".
std::string tick_text(const RulerScale& scale, std::int64_t time_ns);
/// Returns a duration in the ruler's unit, for labels: "51 ms", "2.4 ms", "0.35 ms", "1316 ms". Durations
/// that are too short or too long for this unit have another unit, as in text_from_duration().
std::string label_text(const RulerScale& scale, std::int64_t duration_ns);
/// Returns a duration with four significant digits in the ruler's unit: "1316 ms". Durations below 1 or from
/// 10,000 of this unit have another unit, as in text_from_duration().
std::string ruler_duration_text(const RulerScale& scale, std::int64_t duration_ns);
/// Returns the unit in which the ruler shows a time: ns, us, ms up to 10 s, then s.
std::int64_t ruler_unit_ns(std::int64_t time_ns);
/// Returns a time or duration with all digits except trailing groups of zeros, in ruler_unit_ns() unless
/// `unit_ns` states another unit: "52.574 321 ms", "850 ns", "12.345 678 s".
std::string exact_time_text(std::int64_t time_ns);
std::string exact_time_text(std::int64_t time_ns, std::int64_t unit_ns);
/// Returns the base of a relative scale with all digits: "12.345 678 s". Empty for absolute scales.
std::string base_text(const RulerScale& scale);

/// Part of the ruler that labels must not overlap, in x on screen.
struct RulerGap {
  float left = 0;
  float right = 0;
};

/// Draws the ruler into [left_top, right_bottom). Labels do not overlap `gaps`.
void draw_ruler(ImDrawList& list, const TimeView& view, const RulerScale& scale, ImVec2 left_top,
                ImVec2 right_bottom, std::span<const RulerGap> gaps, const Theme& theme, float ui_scale);
/// Draws vertical lines at the labeled ticks.
void draw_grid(ImDrawList& list, const TimeView& view, const RulerScale& scale, ImVec2 left_top,
               ImVec2 right_bottom, const Theme& theme);

/// Draws a line at the time under the mouse in a linked pane, across the ruler and the content below.
void draw_linked_time(ImDrawList& list, const TimeView& view, ImVec2 left_top, ImVec2 right_bottom,
                      std::optional<double> time_ns, const Theme& theme, float ui_scale);

}  // namespace kino
