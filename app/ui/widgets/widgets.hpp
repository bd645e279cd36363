// Small widgets that pages and bars share: fitted text, flat buttons, centered cards.
#pragma once

#include <string>
#include <string_view>

#include <imgui.h>

#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// Draws text in a packed color, truncated to kMostDrawnBytes. The text is not a format string.
void colored_text(std::uint32_t color, std::string_view text);
void wrapped_text(std::uint32_t color, std::string_view text);
/// Draws one line, truncated with an ellipsis to the width of the column or window.
void fitted_text(std::uint32_t color, std::string_view text);
/// Like fitted_text(), but aligned to the right end of the column or window.
void right_aligned_text(std::uint32_t color, std::string_view text);

/// Shows a tooltip with wrapped text, which is not a format string.
void wrapped_tooltip(std::string_view text);
/// Like wrapped_tooltip(), but with the top edge at `y` on screen, so that it does not cover the items above.
void wrapped_tooltip_below(float y, std::string_view text);

/// Position of a tooltip, and the point of the tooltip that is there, as shares of its size.
struct TooltipPlace {
  ImVec2 position;
  ImVec2 pivot;
};
/// Returns the place of a tooltip of `height` for an item that extends from `top` to `bottom` on screen: above
/// the item, so that the items below remain readable. If there is not enough room above, below the item.
TooltipPlace tooltip_place(ImVec2 mouse, ImVec2 display, float top, float bottom, float height);
/// Places the next tooltip at tooltip_place(). `height` is that of its content. Call before
/// ImGui::BeginTooltip().
void place_next_tooltip(float top, float bottom, float height);

/// Places the popup that begins next below the last item, or above it in the lower half of the window, so
/// that the popup does not cover its button.
void place_popup_at_item();

/// If `text` is wider than `width` in the current font, replaces its middle with an ellipsis. Two thirds of
/// the remaining text are from its start, one third from its end.
std::string fitted_in_middle(std::string_view text, float width);

/// Returns an ImGui label whose id does not depend on the language: "Keys###keys".
std::string with_id(Text text, const char* id);

/// Duration for which a copy button shows its confirmation.
inline constexpr float kCopiedSeconds = 1.2F;

/// Draws a button that has a frame only while hovered; `hint` is its tooltip, null for none.
bool flat_button(const char* label, const char* hint);
/// Draws a button in the accent color, for the main action of a page.
bool accent_button(const char* label, const Theme& theme);
/// On Esc, ends and closes the popup of a menu, and returns true; the caller must not draw more of it in this
/// frame. (Otherwise, a submenu would reopen without its parent.) Call right after beginning the popup.
bool popup_closed_by_escape();
/// Whether a menu or another popup is open.
bool popup_open();
float flat_button_width(const char* label);

/// Returns the center of the last item on screen, for tests.
ImVec2 item_center();

/// Begins a child window with the theme's panel color and this padding. Always end it with ImGui::EndChild().
void begin_panel(const char* id, ImVec2 size, const Theme& theme, ImVec2 padding,
                 ImGuiWindowFlags flags = ImGuiWindowFlags_None);

/// Height of a table's row with one line of text.
float table_row_height();

/// Begins a child window at most `width_em` wide in the middle of the content region. Its content is
/// slightly above the middle, by its height in the previous frame. Always end it with end_card().
void begin_card(const char* id, float width_em);
void end_card();

}  // namespace kino
