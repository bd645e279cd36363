// Small pieces that pages and bars share: fitted text, flat buttons, centred cards.
#pragma once

#include <string>
#include <string_view>

#include <imgui.h>

#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// Text in one of the theme's packed colors, truncated to kMostDrawnBytes. Never interpreted as a format
/// string.
void colored_text(std::uint32_t color, std::string_view text);
void wrapped_text(std::uint32_t color, std::string_view text);
/// One line, truncated with an ellipsis to the width of the column or window.
void fitted_text(std::uint32_t color, std::string_view text);
/// fitted_text() aligned to the right end of the column or window.
void right_aligned_text(std::uint32_t color, std::string_view text);

/// A tooltip with wrapped, unformatted text.
void wrapped_tooltip(std::string_view text);

/// Shortens `text` in its middle to at most `width` in the current font. Two thirds of the remaining text are
/// its start, one third its end.
std::string fitted_in_middle(std::string_view text, float width);

/// A text as ImGui's label whose id does not depend on the language: "Keys###keys".
std::string with_id(Text text, const char* id);

/// Duration for which a copy button shows its confirmation.
inline constexpr float kCopiedSeconds = 1.2F;

/// A button without a frame unless hovered; `hint` is its tooltip, null for none.
bool flat_button(const char* label, const char* hint);
/// Call right after beginning a menu's popup. On Esc, ends and closes it and returns true, so that nothing
/// more is drawn in this frame: a submenu would reopen without its parent.
bool popup_closed_by_escape();
/// Whether a menu or another popup has the keyboard.
bool popup_open();
float flat_button_width(const char* label);

/// Centre of the last item on screen, for tests.
ImVec2 item_center();

/// Begins a child window with the theme's panel color and this padding. Always end it with ImGui::EndChild().
void begin_panel(const char* id, ImVec2 size, const Theme& theme, ImVec2 padding,
                 ImGuiWindowFlags flags = ImGuiWindowFlags_None);

/// Height of a table's row with one line of text.
float table_row_height();

/// Begins a child window at most `width_em` wide in the middle of the content region. Its content is centred
/// vertically by its height in the previous frame. Always end it with end_card().
void begin_card(const char* id, float width_em);
void end_card();

}  // namespace kino
