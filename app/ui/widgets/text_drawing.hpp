// Text in draw lists, truncated with an ellipsis if it does not fit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <imgui.h>

namespace kino {

enum class Elide { end, middle };

/// Maximum number of bytes of a text that are drawn and measured, since names may have megabytes. A text of
/// this length is wider than any screen.
inline constexpr std::size_t kMostDrawnBytes = 4096;

/// Width of one line in the current font, up to kMostDrawnBytes.
float text_width(std::string_view text);
/// Returns the number of bytes from the colon of a line number to the end of texts such as "train.py:42",
/// "step (train.py:42)" and "train.py:42 step"; 0 if there is none.
std::size_t line_number_bytes(std::string_view text);
/// Draws the first line of a text within `max_width_px`, truncated if needed, or nothing if fewer than a few
/// letters fit. Elide::middle keeps a line number at the end if it fits into three quarters of the width, and
/// the start of an excerpt after kExcerptMark.
/// Returns the width used. O(letters that fit).
float draw_elided(ImDrawList& list, ImVec2 position, float max_width_px, std::uint32_t color,
                  std::string_view text, Elide elide = Elide::end);
/// Like draw_elided(), but draws at least the ellipsis, so that a narrow cell is distinguishable from an
/// empty one.
float draw_cell_text(ImDrawList& list, ImVec2 position, float max_width_px, std::uint32_t color,
                     std::string_view text, Elide elide = Elide::end);
/// Draws a text with line breaks between words, see with_line_breaks(). Lines beyond `clip` are not drawn.
void draw_wrapped(ImDrawList& list, ImVec2 position, float width_px, std::uint32_t color,
                  std::string_view text, const ImVec4* clip = nullptr);
/// Returns the height of draw_wrapped().
float wrapped_height(std::string_view text, float width_px);
/// Draws a small triangle at `center` that points down if open, else to the right.
void draw_fold_arrow(ImDrawList& list, ImVec2 center, float size_px, bool open, std::uint32_t color);

}  // namespace kino
