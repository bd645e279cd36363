// Widgets of the selection drawer: links, titles, rows of facts, copy buttons. Texts are never interpreted as
// formats or ids.
#pragma once

#include <string>
#include <string_view>

#include <imgui.h>

#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// Draws a dimmed title above a part of the drawer, preceded by space unless `first` is set.
void section_title(std::string_view title, bool first, const Theme& theme, float ui_scale);
/// Begins a row of a table with two columns, writes `key` into the first, and moves to the second.
void fact_key(std::string_view key, const Theme& theme);
/// Draws a value and, dimmed beside or below it, its exact form.
void fact_value(std::string_view value, std::string_view exact, const Theme& theme, float ui_scale);
/// Draws text that looks like a link, truncated to `max_width`; returns whether it was clicked. `hint` is its
/// tooltip. Push an ImGui id before.
bool link_text(std::string_view words, float max_width, std::string_view hint, const Theme& theme);
/// Draws a small button that copies `text` and shows a confirmation for a moment.
void copy_button(Text label, std::string_view text);
/// Whether copy_button() copied or note_copied() was called for this id in the last kCopiedSeconds.
bool copied_lately(ImGuiID id);
void note_copied(ImGuiID id);

}  // namespace kino
