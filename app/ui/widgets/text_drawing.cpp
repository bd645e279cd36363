#include "app/ui/widgets/text_drawing.hpp"

#include <algorithm>
#include <cfloat>

#include "app/ui/widgets/font_textures.hpp"
#include "app/ui/widgets/line_breaks.hpp"
#include "core/base/ascii.hpp"
#include "core/trace/name_text.hpp"

namespace kino {
namespace {

std::string_view ellipsis() { return font_has(0x2026) ? "\xE2\x80\xA6" : ".."; }

void add_text(ImDrawList& list, ImVec2 position, std::uint32_t color, std::string_view text) {
  list.AddText(position, color, text.data(), text.data() + text.size());
}

/// Number of bytes of a text that fit, and their width.
struct Fit {
  std::size_t bytes;
  float width;
};

Fit fitting_head(std::string_view text, float max_width) {
  text = head_of(text, kMostDrawnBytes);
  const char* rest = nullptr;
  const char* end = text.data() + text.size();
  const ImVec2 size =
      ImGui::GetFont()->CalcTextSizeA(ImGui::GetFontSize(), max_width, 0, text.data(), end, &rest);
  return {static_cast<std::size_t>(rest - text.data()), size.x};
}

/// Returns the longest end of `text` that fits.
std::string_view fitting_tail(std::string_view text, float max_width) {
  std::size_t begin = text.size();
  float used = 0;
  while (begin > 0 && text.size() - begin < kMostDrawnBytes) {
    std::size_t next = begin - 1;
    while (next > 0 && (static_cast<unsigned char>(text[next]) & 0xC0U) == 0x80) --next;
    const float width = text_width(text.substr(next, begin - next));
    if (used + width > max_width) break;
    used += width;
    begin = next;
  }
  return text.substr(begin);
}

/// Draws the start of a text and the start of its excerpt, which distinguishes it from other texts, with an
/// ellipsis between them. Returns the width; 0 if the excerpt has too little space.
float draw_excerpted(ImDrawList& list, ImVec2 position, float max_width_px, std::uint32_t color,
                     std::string_view start, std::string_view excerpt) {
  constexpr float kExcerptShare = 0.6F;
  const float dots_width = text_width(ellipsis());
  const float room = max_width_px - dots_width;
  if (room < ImGui::GetFontSize() * 3) return 0;
  const float start_width =
      std::min(text_width(start), std::max(room * (1 - kExcerptShare), room - text_width(excerpt)));
  const Fit head = fitting_head(start, start_width + 0.5F);
  const Fit tail = fitting_head(excerpt, room - head.width + 0.5F);
  add_text(list, position, color, start.substr(0, head.bytes));
  const float dots_x = position.x + head.width;
  add_text(list, {dots_x, position.y}, color, ellipsis());
  add_text(list, {dots_x + dots_width, position.y}, color, excerpt.substr(0, tail.bytes));
  return head.width + dots_width + tail.width;
}

}  // namespace

float text_width(std::string_view text) {
  text = head_of(text, kMostDrawnBytes);
  return ImGui::GetFont()
      ->CalcTextSizeA(ImGui::GetFontSize(), FLT_MAX, 0, text.data(), text.data() + text.size(), nullptr)
      .x;
}

std::size_t line_number_bytes(std::string_view text) {
  std::size_t end = text.size();
  if (end > 0 && text[end - 1] == ')') --end;
  const std::size_t space = text.rfind(' ');
  if (space != std::string_view::npos && space > 0 && is_digit(text[space - 1])) end = space;
  std::size_t begin = end;
  while (begin > 0 && is_digit(text[begin - 1])) --begin;
  if (begin == end || begin < 2 || text[begin - 1] != ':' || text[begin - 2] == ':') return 0;
  return text.size() - begin + 1;
}

float draw_elided(ImDrawList& list, ImVec2 position, float max_width_px, std::uint32_t color,
                  std::string_view text, Elide elide) {
  if (text.empty() || max_width_px <= 0) return 0;
  text = text.substr(0, text.find('\n'));
  const Fit whole = fitting_head(text, max_width_px + 0.5F);
  if (whole.bytes >= text.size()) {
    add_text(list, position, color, text);
    return whole.width;
  }
  const std::size_t mark = elide == Elide::middle ? text.rfind(kExcerptMark) : std::string_view::npos;
  if (mark != std::string_view::npos) {
    const float used = draw_excerpted(list, position, max_width_px, color, text.substr(0, mark),
                                      text.substr(mark + kExcerptMark.size()));
    if (used > 0) return used;
  }
  const std::string_view dots = ellipsis();
  const float dots_width = text_width(dots);
  const float room = max_width_px - dots_width;
  if (room < ImGui::GetFontSize() * 0.5F) return 0;
  const std::size_t number = elide == Elide::middle ? line_number_bytes(text) : 0;
  const float number_width = text_width(text.substr(text.size() - number));
  const bool numbered = number > 0 && number_width <= room * 0.75F;
  const float tail_room = std::max(room * 0.42F, numbered ? number_width + 0.5F : 0);
  const std::string_view tail = elide == Elide::middle ? fitting_tail(text, tail_room) : std::string_view{};
  const float tail_width = tail.empty() ? 0 : text_width(tail);
  const Fit head = fitting_head(text, room - tail_width);
  constexpr std::size_t kFewestBytes = 3;  // three ASCII letters or one CJK character before the ellipsis
  if (head.bytes < kFewestBytes && !numbered) return 0;
  add_text(list, position, color, text.substr(0, head.bytes));
  const float dots_x = position.x + head.width;
  add_text(list, {dots_x, position.y}, color, dots);
  if (!tail.empty()) add_text(list, {dots_x + dots_width, position.y}, color, tail);
  return head.width + dots_width + tail_width;
}

float draw_cell_text(ImDrawList& list, ImVec2 position, float max_width_px, std::uint32_t color,
                     std::string_view text, Elide elide) {
  const float used = draw_elided(list, position, max_width_px, color, text, elide);
  if (used > 0 || text.empty()) return used;
  add_text(list, position, color, ellipsis());
  return text_width(ellipsis());
}

void draw_wrapped(ImDrawList& list, ImVec2 position, float width_px, std::uint32_t color,
                  std::string_view text, const ImVec4* clip) {
  const std::string lines = with_line_breaks(head_of(text, kMostDrawnBytes), width_px);
  list.AddText(nullptr, 0, position, color, lines.data(), lines.data() + lines.size(), 0, clip);
}

float wrapped_height(std::string_view text, float width_px) {
  const std::string lines = with_line_breaks(head_of(text, kMostDrawnBytes), width_px);
  return ImGui::CalcTextSize(lines.data(), lines.data() + lines.size()).y;
}

void draw_fold_arrow(ImDrawList& list, ImVec2 center, float size_px, bool open, std::uint32_t color) {
  const float a = size_px * 0.5F;
  const float b = size_px * 0.3F;
  if (open) {
    list.AddTriangleFilled({center.x - a, center.y - b}, {center.x + a, center.y - b},
                           {center.x, center.y + b}, color);
  } else {
    list.AddTriangleFilled({center.x - b, center.y - a}, {center.x + b, center.y},
                           {center.x - b, center.y + a}, color);
  }
}

}  // namespace kino
