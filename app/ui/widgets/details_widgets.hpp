// Pieces of the selection drawer: links, titles, rows of facts, copy buttons. Texts are never formats or ids.
#pragma once

#include <string>
#include <string_view>

#include <imgui.h>

#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// A dimmed title above a part of the drawer, preceded by space unless it is the first.
void section_title(std::string_view title, bool first, const Theme& theme, float ui_scale);
/// Begins a row of a table with two columns and leaves the cursor in the second.
void fact_key(std::string_view key, const Theme& theme);
/// A value and, dimmed beside or below it, its exact form.
void fact_value(std::string_view value, std::string_view exact, const Theme& theme, float ui_scale);
/// Text that looks and works like a link, truncated to `max_width`. `hint` is its tooltip. Push an id around
/// it.
bool link_text(std::string_view words, float max_width, std::string_view hint, const Theme& theme);
/// A small button that copies `text` and confirms it for a moment. `label` is a text of the program.
void copy_button(Text label, std::string_view text);
/// Whether copy_button() or note_copied() occurred for this id within kCopiedSeconds.
bool copied_lately(ImGuiID id);
void note_copied(ImGuiID id);

}  // namespace kino
