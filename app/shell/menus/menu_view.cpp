#include "app/shell/menus/menu_view.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/ui/text/model_texts.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/keys.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"

namespace kino {
namespace {

constexpr const char* kPopup = "window-menu";

std::string key_of(const MenuItem& item, const Commands& commands) {
  return item.command ? commands.keymap().first_key_text(*item.command) : std::string();
}

void draw_check(ImDrawList& list, ImVec2 center, float size, std::uint32_t color) {
  const ImVec2 corner{center.x - size * 0.15F, center.y + size * 0.4F};
  list.AddLine({center.x - size * 0.5F, center.y}, corner, color, std::max(1.0F, size * 0.16F));
  list.AddLine(corner, {center.x + size * 0.5F, center.y - size * 0.45F}, color,
               std::max(1.0F, size * 0.16F));
}

}  // namespace

/// Lays out and draws the panels of one frame, outermost first.
class MenuView::Panels {
 public:
  Panels(MenuView& view, const MenuExtra& extra, const Commands& commands, const MenuSubject& subject,
         const Theme& theme)
      : view_(view),
        extra_(extra),
        commands_(commands),
        subject_(subject),
        theme_(theme),
        list_(*ImGui::GetWindowDrawList()),
        em_(ImGui::GetFontSize()),
        row_(std::floor(ImGui::GetFrameHeight() + em_ * 0.1F)),
        line_(std::floor(em_ * 0.5F)),
        pad_(std::floor(em_ * 0.4F)),
        display_(ImGui::GetIO().DisplaySize) {}

  Result draw(Place place) {
    view_.drawn_.clear();
    view_.scroll_px_.resize(view_.cursor_.levels().size(), 0);
    for (std::size_t level = 0; level < view_.cursor_.levels().size(); ++level) {
      const Menu menu = view_.cursor_.levels()[level].menu;
      boxes_.push_back(level == 0 ? first_box(menu, place) : submenu_box(menu, level));
      draw_panel(level);
    }
    if (extra_.draw) {
      const float top = boxes_.front().bottom - extra_.height;
      const Box box{boxes_.front().left, top, boxes_.front().right, boxes_.front().bottom};
      closes_ = extra_.draw(box, view_.cursor_.chosen_extra());
    }
    // False while the context menu of a recent file is open in front.
    if (ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows)) handle_mouse();
    return std::exchange(result_, {});
  }

  bool closes() const { return closes_; }

 private:
  std::string title_of(const MenuItem& item) const { return device_text(item.title, subject_.device); }

  float width_of(Menu menu) const {
    float titles = 0;
    float keys = 0;
    for (const MenuItem& item : items_of(menu)) {
      titles = std::max(titles, text_width(title_of(item)));
      keys = std::max(keys, item.command ? text_width(key_of(item, commands_)) : em_);
    }
    return std::min(std::ceil(2.2F * em_ + titles + 2 * em_ + keys + em_), display_.x - 2 * pad_);
  }

  float height_of(Menu menu) const {
    float height = 2 * pad_;
    for (const MenuItem& item : items_of(menu)) height += row_ + (item.line_above ? line_ : 0);
    return height;
  }

  Box first_box(Menu menu, Place place) const {
    const float width = std::min(std::max(width_of(menu), extra_.width), display_.x - 2 * pad_);
    const float height = height_of(menu) + extra_.height;
    const float wanted = place.from_right ? place.corner.x - width : place.corner.x;
    const float left = std::floor(std::clamp(wanted, pad_, std::max(pad_, display_.x - width - pad_)));
    const float bottom = std::min(place.corner.y + height, display_.y - pad_);
    return {left, place.corner.y, left + width, std::max(place.corner.y + row_, bottom)};
  }

  Box submenu_box(Menu menu, std::size_t level) const {
    const Box& parent = boxes_[level - 1];
    const float width = width_of(menu);
    const float height = std::min(height_of(menu), display_.y - 2 * pad_);
    const bool fits = parent.right + width <= display_.x - pad_;
    const float beside = fits ? parent.right - 1 : parent.left - width + 1;
    const float left = std::floor(std::clamp(beside, pad_, std::max(pad_, display_.x - width - pad_)));
    const float lowest = std::max(pad_, display_.y - pad_ - height);
    const float top = std::floor(std::clamp(opened_from_y_ - pad_, pad_, lowest));
    return {left, top, left + width, top + height};
  }

  /// Scrolls so that the chosen row is visible after a key, and limits the scroll position.
  float scroll_of(std::size_t level, float room) {
    float& scroll = view_.scroll_px_[level];
    const Menu menu = view_.cursor_.levels()[level].menu;
    const std::optional<std::size_t> chosen = view_.cursor_.levels()[level].chosen;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    if (boxes_[level].contains(mouse.x, mouse.y)) scroll -= ImGui::GetIO().MouseWheel * 3 * row_;
    if (chosen && view_.moved_by_key_) {
      float y = 0;
      const std::span<const MenuItem> items = items_of(menu);
      for (std::size_t i = 0; i < std::min(*chosen + 1, items.size()); ++i)
        y += row_ + (items[i].line_above ? line_ : 0);
      scroll = std::clamp(scroll, y - room, y - row_);
    }
    scroll = std::clamp(scroll, 0.0F, std::max(0.0F, height_of(menu) - 2 * pad_ - room));
    return scroll;
  }

  void draw_panel(std::size_t level) {
    const Box box = boxes_[level];
    const MenuCursor::Level& shown = view_.cursor_.levels()[level];
    list_.AddRectFilled({box.left, box.top}, {box.right, box.bottom}, theme_.panel, em_ * 0.3F);
    list_.AddRect({box.left, box.top}, {box.right, box.bottom}, theme_.border, em_ * 0.3F);
    const float end = box.bottom - pad_ - (level == 0 ? extra_.height : 0);
    float y = box.top + pad_ - scroll_of(level, end - box.top - pad_);
    list_.PushClipRect({box.left, box.top + pad_}, {box.right, std::max(box.top + pad_, end)}, true);
    const std::span<const MenuItem> items = items_of(shown.menu);
    rows_.emplace_back();
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (items[i].line_above) {
        const float middle = std::floor(y + line_ / 2) + 0.5F;
        list_.AddLine({box.left + pad_, middle}, {box.right - pad_, middle}, theme_.border);
        y += line_;
      }
      draw_item(items[i], {box.left, y, box.right, y + row_}, shown.chosen == i);
      const bool visible = y + row_ > box.top + pad_ && y < end;
      rows_.back().push_back(visible ? Box{box.left, y, box.right, y + row_} : Box{});
      if (shown.chosen == i) opened_from_y_ = y;
      y += row_;
    }
    list_.PopClipRect();
  }

  void draw_item(const MenuItem& item, const Box& row, bool chosen) {
    const std::optional<Text> reason =
        item.command ? unavailable_reason(*item.command, commands_, subject_.page) : std::nullopt;
    const ImVec2 center{std::floor((row.left + row.right) / 2), std::floor((row.top + row.bottom) / 2)};
    const std::string_view name = item.command ? info_of(*item.command).name : name_of(item.submenu);
    view_.drawn_.push_back({std::string(name), center, !reason, chosen, reason ? tr(*reason) : ""});
    if (chosen) {
      list_.AddRectFilled({row.left + pad_ / 2, row.top}, {row.right - pad_ / 2, row.bottom},
                          theme_.group_header, em_ * 0.25F);
    }
    const std::uint32_t color = reason ? mixed(theme_.panel, theme_.text_dim, 0.6) : theme_.text;
    const std::uint32_t dim = reason ? color : theme_.text_dim;
    const float text_y = std::floor(row.top + (row.bottom - row.top - em_) / 2);
    if (item.command && commands_.checked(*item.command))
      draw_check(list_, {row.left + pad_ + 0.7F * em_, center.y}, em_ * 0.6F, color);
    float right = row.right - em_;
    if (item.command) {
      const std::string key = key_of(item, commands_);
      const float key_width = text_width(key);
      list_.AddText({std::floor(right - key_width), text_y}, dim, key.c_str());
      right -= key_width + (key.empty() ? 0 : em_);
    } else {
      draw_fold_arrow(list_, {right - em_ * 0.2F, center.y}, em_ * 0.5F, false, dim);
      right -= em_;
    }
    const float left = row.left + 2.2F * em_;
    draw_elided(list_, {left, text_y}, std::max(em_, right - left), color, title_of(item));
    if (!chosen || !reason) return;
    // The hint is beside the panel, so that it covers no other row.
    const bool fits = row.right + 16 * em_ < display_.x;
    ImGui::SetNextWindowPos({fits ? row.right + pad_ : row.left - pad_, row.top}, ImGuiCond_Always,
                            {fits ? 0.0F : 1.0F, 0});
    wrapped_tooltip(tr(*reason));
  }

  /// Whether the pointer moves towards the submenu of this level, so that it crosses other rows on the way.
  bool heading_for_submenu(std::size_t level) const {
    if (level + 1 >= boxes_.size()) return false;
    const ImVec2 delta = ImGui::GetIO().MouseDelta;
    const bool right = boxes_[level + 1].left > boxes_[level].left;
    return (right ? delta.x : -delta.x) > std::abs(delta.y) * 0.5F && delta.x != 0;
  }

  void handle_mouse() {
    const ImGuiIO& io = ImGui::GetIO();
    const ImVec2 mouse = io.MousePos;
    const bool clicked = ImGui::IsMouseClicked(ImGuiMouseButton_Left);
    for (std::size_t level = boxes_.size(); level-- > 0;) {
      if (!boxes_[level].contains(mouse.x, mouse.y)) continue;
      const auto& rows = rows_[level];
      const auto at =
          std::ranges::find_if(rows, [&](const Box& row) { return row.contains(mouse.x, mouse.y); });
      if (at == rows.end()) return;
      const auto index = static_cast<std::size_t>(at - rows.begin());
      const bool moved = io.MouseDelta.x != 0 || io.MouseDelta.y != 0;
      const std::optional<std::size_t> before = view_.cursor_.levels()[level].chosen;
      if ((moved && before != index && !heading_for_submenu(level)) || (clicked && before != index))
        view_.cursor_.point(level, index);
      if (clicked) take(items_of(view_.cursor_.levels()[level].menu)[index], level);
      return;
    }
    closes_ = closes_ || clicked || ImGui::IsMouseClicked(ImGuiMouseButton_Right);
  }

  void take(const MenuItem& item, std::size_t level) {
    // A row that keys have chosen has no open submenu yet.
    if (!item.command && level + 1 == view_.cursor_.levels().size()) view_.cursor_.enter();
    if (item.command && !unavailable_reason(*item.command, commands_, subject_.page))
      result_.command = item.command;
  }

  MenuView& view_;
  const MenuExtra& extra_;
  const Commands& commands_;
  const MenuSubject& subject_;
  const Theme& theme_;
  ImDrawList& list_;
  float em_;
  float row_;
  float line_;  // height of a line between groups
  float pad_;
  ImVec2 display_;
  std::vector<Box> boxes_;              // by level
  std::vector<std::vector<Box>> rows_;  // by level; empty boxes for rows that are scrolled out
  float opened_from_y_ = 0;             // top of the row whose submenu follows
  bool closes_ = false;
  Result result_;
};

void MenuView::open(Menu root, bool by_key) {
  cursor_.open(root, by_key);
  scroll_px_.clear();
  first_extra_.reset();
  appearing_ = true;
}

MenuView::Result MenuView::move_by_keys() {
  Result result;
  moved_by_key_ = false;
  const auto move = [this](bool pressed, auto&& step) {
    if (!pressed) return;
    step();
    moved_by_key_ = true;
  };
  move(key_pressed(NamedKey::down, true), [this] { cursor_.step(1); });
  move(key_pressed(NamedKey::up, true), [this] { cursor_.step(-1); });
  move(key_pressed(NamedKey::home), [this] { cursor_.step_to_end(false); });
  move(key_pressed(NamedKey::end), [this] { cursor_.step_to_end(true); });
  move(key_pressed(NamedKey::left), [this] { cursor_.leave(); });
  move(key_pressed(NamedKey::right), [this] { cursor_.enter(); });
  if (key_pressed(NamedKey::enter) || key_pressed(NamedKey::space)) {
    result.extra = cursor_.chosen_extra();
    if (const auto item = cursor_.chosen(); item && item->command) {
      result.command = item->command;
    } else {
      move(true, [this] { cursor_.enter(); });
    }
  }
  return result;
}

MenuView::Result MenuView::draw(Place place, CommandId toggle, const MenuExtra& extra,
                                const Commands& commands, const MenuSubject& subject, const Theme& theme) {
  drawn_.clear();
  if (!is_open()) return {};
  if (appearing_) ImGui::OpenPopup(kPopup);
  cursor_.set_extra(extra.rows);
  if (const auto first = std::exchange(first_extra_, std::nullopt); first && *first < extra.rows) {
    cursor_.step_to_end(true);
    cursor_.step(static_cast<int>(*first) - static_cast<int>(extra.rows) + 1);
  }
  // The popup covers the window and is transparent, so that the panels can have any place in it.
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(ImGui::GetIO().DisplaySize);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::PushStyleVar(ImGuiStyleVar_PopupBorderSize, 0);
  ImGui::PushStyleColor(ImGuiCol_PopupBg, 0);
  constexpr ImGuiWindowFlags kFlags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                      ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav |
                                      ImGuiWindowFlags_NoScrollWithMouse;
  const bool open = ImGui::BeginPopup(kPopup, kFlags);
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(2);
  if (!open) {
    close();
    return {};
  }
  const bool appearing = std::exchange(appearing_, false);
  const bool by_key = !appearing && (key_pressed(NamedKey::escape) || command_pressed(toggle));
  Result taken = appearing ? Result() : move_by_keys();
  if (taken.command && unavailable_reason(*taken.command, commands, subject.page)) taken.command.reset();
  Panels panels(*this, extra, commands, subject, theme);
  if (const Result clicked = panels.draw(place); clicked.command) taken = clicked;
  if (by_key || panels.closes() || taken.command || taken.extra) {
    close();
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndPopup();
  return taken;
}

}  // namespace kino
