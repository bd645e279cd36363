#include "app/search_bar.hpp"

#include <algorithm>
#include <cmath>

#include <imgui.h>

#include "app/commands.hpp"
#include "app/keys.hpp"
#include "app/text_drawing.hpp"
#include "app/widgets.hpp"
#include "core/time_text.hpp"

namespace kino {
namespace {

constexpr const char* kHint = "Search names; regex, key:value, dur>1ms";
constexpr const char* kExplained =
    "Words find parts of names; /regex/ finds patterns; cat:kernel, track:stream, dur>1ms narrow down.\n"
    "Names without a hit are faded. What is said about single slices (duration, track) counts for hits and\n"
    "for going to them, but does not fade: colours belong to names.";

}  // namespace

std::string hit_count_text(std::uint64_t hits, std::optional<std::uint64_t> current) {
  if (hits == 0) return "no hits";
  const std::string all = grouped(hits);
  if (current) return grouped(*current + 1) + " of " + all;
  return all + (hits == 1 ? " hit" : " hits");
}

void SearchBar::show() {
  open_ = true;
  take_focus_ = true;
}

void SearchBar::close(SearchHits& hits) {
  open_ = false;
  take_focus_ = false;
  hits.ask("");
}

SearchBar::Actions SearchBar::handle_keys(bool keyboard, SearchHits& hits) {
  Actions actions;
  if (command_pressed(CommandId::search)) show();
  if (!open_ || !keyboard) return actions;
  if (command_pressed(CommandId::next_hit)) actions.step = 1;
  if (command_pressed(CommandId::previous_hit)) actions.step = -1;
  if (key_pressed(NamedKey::escape)) {
    actions.closed = true;
    close(hits);
  }
  return actions;
}

SearchBar::Actions SearchBar::draw(const Box& box, SearchHits& hits, std::optional<std::uint64_t> current,
                                   const Theme& theme, float ui_scale) {
  Actions actions;
  const auto px = [ui_scale](float units) { return std::round(units * ui_scale); };
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled({box.left, box.top}, {box.right, box.bottom}, theme.group_header);
  list.AddLine({box.left, box.bottom - 0.5F}, {box.right, box.bottom - 0.5F}, theme.border);
  const float field = std::clamp(box.width() * 0.36F, px(150), px(460));
  const float top = std::floor(box.top + (box.height() - ImGui::GetFrameHeight()) / 2);
  ImGui::SetCursorScreenPos({box.left + px(8), top});
  ImGui::PushID("search");
  ImGui::SetNextItemWidth(field);
  if (take_focus_) ImGui::SetKeyboardFocusHere();
  take_focus_ = false;
  const bool before = ImGui::GetIO().KeyShift;
  ImGui::InputTextWithHint("##text", kHint, text_.data(), text_.size(), ImGuiInputTextFlags_AutoSelectAll);
  const bool focused = ImGui::IsItemActive() || ImGui::IsItemDeactivated();
  if (ImGui::IsItemHovered() && !ImGui::IsItemActive()) ImGui::SetTooltip("%s", kExplained);
  hits.ask(text_.data());
  if (focused && key_pressed(NamedKey::enter, true)) {
    actions.step = before ? -1 : 1;
    take_focus_ = true;
  }
  if (focused && key_pressed(NamedKey::escape)) actions.closed = true;
  const Actions more = draw_status(box.right - px(8), hits, current, theme, ui_scale);
  ImGui::PopID();
  if (more.step != 0) actions.step = more.step;
  actions.show_list = more.show_list;
  actions.colors_changed = more.colors_changed;
  actions.closed = actions.closed || more.closed;
  if (actions.closed) close(hits);
  return actions;
}

SearchBar::Actions SearchBar::draw_status(float right, const SearchHits& hits,
                                          std::optional<std::uint64_t> current, const Theme& theme,
                                          float ui_scale) {
  Actions actions;
  const float gap = std::round(6 * ui_scale);
  const auto fits = [&](const char* label) {
    ImGui::SameLine(0, gap);
    return ImGui::GetCursorScreenPos().x + flat_button_width(label) <= right;
  };
  const SearchAnswer* answer = hits.answer();
  const bool found = answer != nullptr && answer->error.empty() && !answer->total == 0;
  if (fits("<") && flat_button("<", "Previous hit (Shift+Enter)") && found) actions.step = -1;
  if (fits(">") && flat_button(">", "Next hit (Enter)") && found) actions.step = 1;
  const float close = flat_button_width("Close") + gap;
  const float buttons = close + flat_button_width("Only matches") + flat_button_width("List") + 2 * gap;
  ImGui::SameLine(0, 2 * gap);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float needed = std::round(110 * ui_scale);
  const bool wide = right - at.x - buttons >= needed;
  const float room = std::max(0.0F, right - at.x - (wide ? buttons : close) - gap);
  std::string status;
  std::uint32_t color = theme.text_dim;
  if (answer != nullptr && !answer->error.empty()) {
    status = answer->error;
    color = theme.error;
  } else if (answer != nullptr) {
    status = hit_count_text(answer->total, current);
    color = answer->total == 0 ? theme.warning : theme.text;
  } else if (hits.running()) {
    status = "...";
  }
  draw_elided(*ImGui::GetWindowDrawList(), {at.x, at.y + ImGui::GetStyle().FramePadding.y}, room, color,
              status);
  if (ImGui::IsMouseHoveringRect(at, {at.x + room, at.y + ImGui::GetFrameHeight()}) &&
      text_width(status) > room) {
    ImGui::SetTooltip("%s", status.c_str());
  }
  if (wide) {
    ImGui::SetCursorScreenPos({right - buttons + gap, at.y});
    ImGui::PushStyleColor(ImGuiCol_Text, only_matches_ ? theme.accent : theme.text);
    if (flat_button("Only matches", "Fade everything else fully")) {
      only_matches_ = !only_matches_;
      actions.colors_changed = true;
    }
    ImGui::PopStyleColor();
    ImGui::SameLine(0, gap);
    if (flat_button("List", "All hits as a table")) actions.show_list = true;
  }
  ImGui::SetCursorScreenPos({right - close + gap, at.y});
  if (flat_button("Close", "End the search (Esc)")) actions.closed = true;
  return actions;
}

}  // namespace kino
