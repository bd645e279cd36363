// Tooltips of the events and headers under the mouse.
#pragma once

#include <cstdint>

#include "app/pages/timeline/track_headers.hpp"
#include "app/ui/view/event_pick.hpp"
#include "app/ui/view/slice_style.hpp"
#include "app/ui/view/timeline_state.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Shows the name, duration, start and track of a slice or instant, and the number of other events in the
/// same pixel.
void draw_event_card(const Trace& trace, const EventPick& pick, const SliceStyle& look, const Theme& theme,
                     float ui_scale);
/// Shows a counter's value, and its range if several samples share the pixel.
void draw_counter_card(const ShownRows& rows, std::uint32_t track, const CounterReading& reading,
                       const Theme& theme, float ui_scale);

/// Draws the tooltip for the item under the mouse. A header's tooltip appears after a delay, because it
/// covers other names.
class HoverCards {
 public:
  /// Updates the delay. Call once per frame, before draw(). `part` is the part of the header under the mouse.
  void note(const TimelineState& state, HeaderPart part, double delta_seconds);
  void draw(const TimelineState& state, const SliceStyle& look, const Theme& theme) const;
  /// Returns whether another frame is required because the mouse rests on a header.
  bool wants_frames(const TimelineState& state) const;

 private:
  std::uint32_t header_ = 0;  // header under the resting mouse
  HeaderPart part_ = HeaderPart::name;
  double hovered_seconds_ = 0;
};

}  // namespace kino
