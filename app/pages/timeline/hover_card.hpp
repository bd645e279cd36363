// The tooltips over the tracks: what lies under the mouse, in words.
#pragma once

#include "app/ui/view/event_pick.hpp"
#include "app/ui/view/slice_look.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Name, duration, start and place of a slice or instant, and how many more share the pixel.
void draw_event_card(const Trace& trace, const EventPick& pick, const SliceLook& look, const Theme& theme,
                     float ui_scale);
/// A counter's value, and its range when several samples share the pixel.
void draw_counter_card(const ShownRows& rows, std::uint32_t track, const CounterReading& reading,
                       const Theme& theme, float ui_scale);

}  // namespace kino
