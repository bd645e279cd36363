// Small pieces that pages and bars share: fitted text, flat buttons, centred cards.
#pragma once

#include <string>
#include <string_view>

#include <imgui.h>

#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// Text in one of the theme's packed colours; of a longer one the first kMostDrawnBytes. Never a format
/// string, whatever the text contains.
void colored_text(std::uint32_t color, std::string_view text);
void wrapped_text(std::uint32_t color, std::string_view text);
/// One line that ends in an ellipsis where it does not fit into the column or window.
void fitted_text(std::uint32_t color, std::string_view text);
/// fitted_text() at the right end of the column or window.
void right_aligned_text(std::uint32_t color, std::string_view text);

/// A tooltip with wrapped text, unformatted.
void wrapped_tooltip(std::string_view text);

/// The middle of the last item, in the window.
ImVec2 item_middle();

/// `text` shortened in its middle so that it is at most `width` wide in the current font: two thirds of
/// what fits are its begin, one third its end.
std::string fitted_in_middle(std::string_view text, float width);

/// A text as ImGui's label whose id does not depend on the language: "Keys###keys".
std::string with_id(Text text, const char* id);

/// How long a button says that it has copied.
inline constexpr float kCopiedSeconds = 1.2F;

/// A button without a frame until the mouse is on it; `hint` is shown then, unless it is null.
bool flat_button(const char* label, const char* hint);
/// Right after the begin of a menu's popup: Esc ends and closes it, so that nothing more of it is drawn in
/// this frame; a menu inside it would open itself again, without a parent.
bool popup_closed_by_escape();
/// Whether a menu or another popup has the keyboard.
bool popup_open();
/// The width of flat_button(label).
float flat_button_width(const char* label);

/// Of a table whose cells are one line of text.
float table_row_height();

/// A child window of at most `width_em` characters' width in the middle of the content region, with its
/// content centred from top to bottom as of the frame before. Always end with end_card().
void begin_card(const char* id, float width_em);
void end_card();

}  // namespace kino
