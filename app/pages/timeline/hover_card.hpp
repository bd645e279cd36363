// Tooltips of the events and headers under the mouse.
#pragma once

#include <cstdint>

#include "app/pages/timeline/track_headers.hpp"
#include "app/ui/view/event_pick.hpp"
#include "app/ui/view/slice_style.hpp"
#include "app/ui/view/timeline_state.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/trace/timeline/stream_annotations.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Shows the name, duration, start, kind and track of a slice, or the name and time of an instant. If several
/// events share the pixel, also shows their number. For GPU work, also shows up to three annotations that
/// contain no other work; `annotations` may be null.
void draw_event_card(const Trace& trace, const StreamAnnotations* annotations, const EventPick& pick,
                     const SliceStyle& look, const Theme& theme, float ui_scale);
/// Shows a counter's value. If several samples share the pixel, also shows their range, or states that the
/// value is their mean.
void draw_counter_card(const ShownRows& rows, std::uint32_t track, const CounterReading& reading,
                       const Theme& theme, float ui_scale);

/// Draws the tooltip for the item under the mouse. The tooltip of a header's name appears after a delay,
/// because it covers other names.
class HoverCards {
 public:
  /// Updates the delay and the part of the header under the mouse. Call once per frame, before draw().
  void note(const TimelineState& state, HeaderPart part, double delta_seconds);
  void draw(const TimelineState& state, const SliceStyle& look, const Theme& theme) const;
  /// Returns whether another frame is required, until the tooltip of the header under the mouse has appeared
  /// with its size.
  bool wants_frames(const TimelineState& state) const;

 private:
  std::uint32_t header_ = 0;  // header under the resting mouse
  HeaderPart part_ = HeaderPart::name;
  double hovered_seconds_ = 0;
};

}  // namespace kino
