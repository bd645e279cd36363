// A sheet: a window over everything else.
#pragma once

#include <imgui.h>

#include "app/ui/text/texts.hpp"

namespace kino {

/// Begins a centered window over everything, at most `size_em` large, and dims the rest. Esc, the window's
/// button or a click outside closes it. Returns false while it is closed. If this returns true, end the
/// window with ImGui::EndPopup().
bool begin_sheet(Text title_text, bool& open, ImVec2 size_em);

}  // namespace kino
