// Pieces of the selection drawer: links, titles, rows of facts, copy buttons. Text is never a format or an
// id.
#pragma once

#include <string>
#include <string_view>

#include <imgui.h>

#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// A dim title above a part of the drawer, with space before it unless it is the first.
void section_title(std::string_view title, bool first, const Theme& theme, float ui_scale);
/// Begins a line of a table of two columns and leaves the cursor in the second.
void fact_key(std::string_view key, const Theme& theme);
/// A value and, dim beside or below it, the same with all digits.
void fact_value(std::string_view value, std::string_view exact, const Theme& theme, float ui_scale);
/// Text that looks and works like a link, cut to `max_width`; hovering shows `hint`. Push an id around it.
bool link_text(std::string_view words, float max_width, std::string_view hint, const Theme& theme);
/// A small button that copies `text` and says so for a moment. `label` is the program's own.
void copy_button(Text label, std::string_view text);
/// Whether copy_button() or note_copied() happened for this id just now.
bool copied_lately(ImGuiID id);
void note_copied(ImGuiID id);

}  // namespace kino
