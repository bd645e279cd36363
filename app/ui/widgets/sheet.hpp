// A sheet: a window over everything else.
#pragma once

#include <imgui.h>

#include "app/ui/text/texts.hpp"

namespace kino {

/// A centred window over everything, dimming the rest, at most `size_em` large; false while it is closed.
/// Esc, its button or a click beside it close it. Ends with ImGui::EndPopup().
bool begin_sheet(Text title_text, bool& open, ImVec2 size_em);

}  // namespace kino
