// Text in draw lists that is cut with an ellipsis where it does not fit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <imgui.h>

namespace kino {

enum class Elide { end, middle };

/// More of one text is never drawn or measured: it is wider than any screen, and names may have megabytes.
inline constexpr std::size_t kMostDrawnBytes = 4096;

/// Width of one line in the current font; of its first kMostDrawnBytes.
float text_width(std::string_view text);
/// Draws one line into `max_width_px`, cut where it does not fit (and not at all if not even a few letters
/// do). Returns the width that was used. O(letters that fit).
float draw_elided(ImDrawList& list, ImVec2 position, float max_width_px, std::uint32_t color,
                  std::string_view text, Elide elide = Elide::end);
/// As draw_elided(), but at least the ellipsis: a cell of a table that is narrow is not one without a text.
float draw_cell_text(ImDrawList& list, ImVec2 position, float max_width_px, std::uint32_t color,
                     std::string_view text, Elide elide = Elide::end);
/// A small triangle that points down when open, else to the right, centred at `center`.
void draw_fold_arrow(ImDrawList& list, ImVec2 center, float size_px, bool open, std::uint32_t color);

}  // namespace kino
