// What lies over the page: the sheet of all keys, the list of damage, the debug figures.
#pragma once

#include "app/document.hpp"
#include "app/keymap.hpp"
#include "app/theme.hpp"

namespace kino {

/// Every command with its keys. Closes itself by Esc, its own keys, its button or a click beside it.
void draw_help_sheet(bool& open, const Keymap& keymap, const Theme& theme);

/// What was wrong with the trace: reason, count, first place and sample.
void draw_damage_list(bool& open, const Trace& trace, const Theme& theme);

struct DebugFigures {
  double frame_cpu_ms = 0;      ///< the whole frame, without the driver's rasterising
  double draws_per_second = 0;  ///< over the last second
};
/// `document` may be null.
void draw_debug_overlay(const Document* document, const DebugFigures& figures, const Theme& theme);

}  // namespace kino
