#include "app/pages/summary/page_column.hpp"

#include <algorithm>

#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/details_widgets.hpp"
#include "app/ui/widgets/fonts.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"

namespace kino {
namespace {

std::string_view drawn(std::string_view text) { return text.substr(0, kMostDrawnBytes); }

}  // namespace

float PageColumn::height_of(std::string_view text, float width) {
  return wrapped_height(text, std::max(1.0F, width));
}

void PageColumn::heading(const char* title, std::string_view note) {
  list().AddText({left_, y_}, theme().text, title);
  const float used = text_width(title) + px(12);
  if (!note.empty() && used + text_width(note) > width()) {
    y_ += line_height();
    text(theme().text_dim, note);
  } else {
    if (!note.empty())
      list().AddText({left_ + used, y_}, theme().text_dim, note.data(), note.data() + note.size());
    y_ += line_height();
  }
  space(6);
}

void PageColumn::text(std::uint32_t color, std::string_view text) {
  draw_wrapped(list(), {left_, y_}, std::max(1.0F, width()), color, text);
  y_ += height_of(text, width());
}

void PageColumn::right_text(float right, float y, std::uint32_t color, std::string_view text) const {
  const std::string_view shown = drawn(text);
  list().AddText({std::floor(right - text_width(shown)), y}, color, shown.data(),
                 shown.data() + shown.size());
}

void PageColumn::rule() {
  space(12);
  list().AddLine({left_, y_ + 0.5F}, {right_, y_ + 0.5F}, theme().border);
  space(12);
}

bool PageColumn::link_at(const Link& link, float x, float y) const {
  const float room = std::max(1.0F, right_ - x);
  const float used = std::min(room, text_width(link.text));
  ImGui::SetCursorScreenPos({x, y});
  ImGui::PushID(link.id.c_str());
  const bool clicked = ImGui::InvisibleButton("link", {std::max(1.0F, used), line_height()});
  ImGui::PopID();
  const bool hovered = ImGui::IsItemHovered();
  frame_.places.emplace_back(link.id, item_center());
  draw_elided(list(), {x, y}, room, theme().accent, link.text);
  if (!hovered) return clicked;
  ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  list().AddLine({x, y + line_height() - 1}, {x + used, y + line_height() - 1}, theme().accent);
  if (!link.hint.empty() && !popup_open()) wrapped_tooltip(link.hint);
  return clicked;
}

int PageColumn::links(const std::vector<Link>& links) {
  int clicked = -1;
  float x = left_;
  for (std::size_t i = 0; i < links.size(); ++i) {
    const float needed = text_width(links[i].text);
    if (x > left_ && x + needed > right_) {
      x = left_;
      y_ += line_height() + px(2);
    }
    if (x > left_) list().AddText({x - px(14), y_}, theme().text_dim, "\xC2\xB7");
    if (link_at(links[i], x, y_)) clicked = static_cast<int>(i);
    x += needed + px(24);
  }
  if (!links.empty()) y_ += line_height();
  return clicked;
}

void PageColumn::code(const char* id, std::string_view code) {
  const float padding = px(7);
  ImGui::PushID(id);
  const ImGuiID copied = ImGui::GetID("copied");
  const char* const label = tr(copied_lately(copied) ? Text::copied : Text::summary_copy);
  const float button = std::max(text_width(tr(Text::copied)), text_width(tr(Text::summary_copy)));
  const float room = std::max(px(40), width() - button - 4 * padding);
  ImGui::PushFont(mono_font());
  const float text_height = height_of(code, room);
  const float text_room = std::min(room, ImGui::CalcTextSize(code.data(), code.data() + code.size()).x);
  const float height = text_height + padding;
  const Box box{left_, y_, std::min(right_, left_ + text_room + button + 4 * padding), y_ + height};
  list().AddRectFilled({box.left, box.top}, {box.right, box.bottom}, theme().group_header, px(4));
  draw_wrapped(list(), {box.left + padding, box.top + std::floor(padding / 2)}, room, theme().text, code);
  ImGui::PopFont();
  ImGui::SetCursorScreenPos({box.right - button - 2 * padding, box.top});
  if (ImGui::InvisibleButton("copy", {button + 2 * padding, height})) {
    ImGui::SetClipboardText(std::string(code).c_str());
    note_copied(copied);
  }
  if (ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  frame_.places.emplace_back(std::string(id) + "_copy", item_center());
  list().AddText(
      {std::floor(box.right - button - padding), std::floor(box.top + (height - line_height()) / 2)},
      theme().accent, label);
  ImGui::PopID();
  y_ += height;
}

}  // namespace kino
