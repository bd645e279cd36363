// What lies over the page: sheets, of them the one of all keys, and the debug figures.
#pragma once

#include <imgui.h>

#include "app/document.hpp"
#include "app/keymap.hpp"
#include "app/texts.hpp"
#include "app/theme.hpp"

namespace kino {

/// Every command with its keys. Closes itself by Esc, its own keys, its button or a click beside it.
void draw_help_sheet(bool& open, const Keymap& keymap, const Theme& theme);

/// A centred window over everything, dimming the rest, at most `size_em` large; false while it is closed.
/// Esc, its button or a click beside it close it. Ends with ImGui::EndPopup().
bool begin_sheet(Text title_text, bool& open, ImVec2 size_em);

struct DebugFigures {
  double frame_cpu_ms = 0;      ///< of the frame before, without what the driver took
  double draws_per_second = 0;  ///< over the last second
};
/// `document` may be null.
void draw_debug_overlay(const Document* document, const DebugFigures& figures, const Theme& theme);

}  // namespace kino
