// A sheet: a window over everything else.
#pragma once

#include <imgui.h>

#include "app/ui/text/texts.hpp"

namespace kino {

/// Begins a centred window over everything, dimming the rest, at most `size_em` large. Esc, its button or a
/// click outside closes it. Returns false while it is closed; otherwise end it with ImGui::EndPopup().
bool begin_sheet(Text title_text, bool& open, ImVec2 size_em);

}  // namespace kino
