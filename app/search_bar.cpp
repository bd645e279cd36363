#include "app/search_bar.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <imgui.h>

#include "app/commands.hpp"
#include "app/field_focus.hpp"
#include "app/keys.hpp"
#include "app/search_examples.hpp"
#include "app/text_drawing.hpp"
#include "app/widgets.hpp"
#include "core/time_text.hpp"

namespace kino {
namespace {

constexpr std::array kExamples = {
    SearchExample{"gemm float", Text::search_example_words},
    SearchExample{"\"aten::add_\"", Text::search_example_exact},
    SearchExample{"/^nccl.*reduce/", Text::search_example_regex},
    SearchExample{"dur>1ms", Text::search_example_duration},
    SearchExample{"kind:communication", Text::search_example_kind},
    SearchExample{"cat:kernel", Text::search_example_category},
    SearchExample{"track:\"stream 7\"", Text::search_example_track},
    SearchExample{"correlation:123", Text::search_example_argument},
    SearchExample{"inputdims:\"[8, 128]\"", Text::search_example_shape},
    SearchExample{"args:bfloat16", Text::search_example_any_argument},
};

std::string scanning_text(double share) {
  return filled(Text::search_scanning, {std::to_string(static_cast<int>(100 * share))});
}

}  // namespace

std::string hit_count_text(std::uint64_t hits, std::optional<std::uint64_t> current) {
  if (hits == 0) return tr(Text::search_no_hits);
  if (current) return filled(Text::search_hit_of, {grouped(*current + 1), grouped(hits)});
  return counted(Text::search_one_hit, Text::search_hits, hits);
}

void SearchBar::show() {
  constexpr int kMostFrames = 5;
  opening_frames_ = kMostFrames;
  open_ = true;
  take_focus_ = true;
}

void SearchBar::look_for(const std::string& query, SearchHits& hits) {
  if (query.size() >= text_.size()) return;
  text_.fill('\0');
  std::ranges::copy(query, text_.begin());
  open_ = true;
  hits.ask(query);
}

void SearchBar::close(SearchHits& hits) {
  open_ = false;
  take_focus_ = false;
  hits.ask("");
}

SearchBar::Actions SearchBar::handle_keys(bool keyboard, SearchHits& hits) {
  Actions actions;
  if (command_pressed(CommandId::search)) show();
  if (command_pressed(CommandId::only_matches) && keyboard && open_) only_matches_ = !only_matches_;
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
  if (take_focus_) focus_next_field();
  const bool taking = take_focus_ || took_focus_;
  took_focus_ = std::exchange(take_focus_, false);
  const bool before = ImGui::GetIO().KeyShift;
  ImGui::InputTextWithHint("##text", tr(Text::search_field), text_.data(), text_.size(),
                           ImGuiInputTextFlags_AutoSelectAll);
  const bool focused = ImGui::IsItemActive() || ImGui::IsItemDeactivated();
  opening_frames_ = ImGui::IsItemActive() ? 0 : std::max(0, opening_frames_ - 1);
  const bool nothing_typed = text_.front() == '\0';
  if (ImGui::IsItemHovered() && (nothing_typed || !ImGui::IsItemActive())) {
    draw_search_examples({box.left + std::round(8 * ui_scale), box.bottom + std::round(4 * ui_scale)},
                         Text::search_about, kExamples, theme, ui_scale);
  }
  hits.ask(text_.data());
  if (focused && key_pressed(NamedKey::enter, true)) {
    actions.step = before ? -1 : 1;
    take_focus_ = true;
  }
  if ((focused || taking) && key_pressed(NamedKey::escape)) actions.closed = true;
  const Actions more = draw_status(box.right - px(8), hits, current, theme, ui_scale);
  ImGui::PopID();
  if (more.step != 0) actions.step = more.step;
  actions.show_list = more.show_list;
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
  const auto step_button = [&](const char* label, Text hint, CommandId command) {
    return fits(label) && flat_button(label, hint_with_key(hint, command).c_str()) && found;
  };
  if (step_button("<", Text::command_previous_hit, CommandId::previous_hit)) actions.step = -1;
  if (step_button(">", Text::command_next_hit, CommandId::next_hit)) actions.step = 1;
  const std::string close_label = with_id(Text::close, "close");
  const std::string only_matches_label = with_id(Text::search_only_matches, "only_matches");
  const std::string list_label = with_id(Text::search_list, "list");
  const float close = flat_button_width(close_label.c_str()) + gap;
  const float buttons =
      close + flat_button_width(only_matches_label.c_str()) + flat_button_width(list_label.c_str()) + 2 * gap;
  ImGui::SameLine(0, 2 * gap);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float needed = std::round(110 * ui_scale);
  const bool wide = right - at.x - buttons >= needed;
  const float room = std::max(0.0F, right - at.x - (wide ? buttons : close) - gap);
  std::string status;
  std::uint32_t color = theme.text_dim;
  const std::optional<double> scanned = hits.arguments_searched();
  if (scanned) {
    status = scanning_text(*scanned);
  } else if (answer != nullptr && !answer->error.empty()) {
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
    if (flat_button(only_matches_label.c_str(),
                    hint_with_key(Text::search_only_matches_hint, CommandId::only_matches).c_str())) {
      only_matches_ = !only_matches_;
    }
    ImGui::PopStyleColor();
    ImGui::SameLine(0, gap);
    actions.show_list =
        flat_button(list_label.c_str(), hint_with_key(Text::search_list_hint, CommandId::list_hits).c_str());
  }
  ImGui::SetCursorScreenPos({right - close + gap, at.y});
  if (flat_button(close_label.c_str(), tr(Text::search_close_hint))) actions.closed = true;
  return actions;
}

}  // namespace kino
