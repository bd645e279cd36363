#include "app/ui/search/search_bar.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <imgui.h>

#include "app/ui/commands/commands.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/field_focus.hpp"
#include "app/ui/widgets/keys.hpp"
#include "app/ui/widgets/search_examples.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/ascii.hpp"
#include "core/base/time_text.hpp"

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
    SearchExample{"[8, 128]", Text::search_field_shape},
    SearchExample{"args:bfloat16", Text::search_example_any_argument},
};

std::string scanning_text(double share) {
  return filled(Text::search_scanning, {std::to_string(static_cast<int>(100 * share))});
}

}  // namespace

std::string hit_count_text(std::uint64_t hits, std::int64_t total_ns, std::optional<std::uint64_t> current) {
  if (hits == 0) return tr(Text::search_no_hits);
  const std::string count = current ? filled(Text::search_hit_of, {grouped(*current + 1), grouped(hits)})
                                    : counted(Text::search_one_hit, Text::search_hits, hits);
  return count + " · " + text_from_duration(total_ns);
}

void SearchBar::show() {
  constexpr int kMostFrames = 5;
  opening_frames_ = kMostFrames;
  open_ = true;
  take_focus_ = true;
}

void SearchBar::set_text(const std::string& text) {
  text_.fill('\0');
  std::ranges::copy(text, text_.begin());
}

void SearchBar::look_for(const std::string& query, SearchHits& hits) {
  if (query.size() >= text_.size()) return;
  set_text(query);
  open_ = true;
  hits.ask(query);
}

void SearchBar::close(SearchHits& hits) {
  open_ = false;
  focused_ = false;
  listed_ = false;
  over_completions_ = false;
  offered_ = {};
  take_focus_ = false;
  hits.ask("");
}

SearchBar::Actions SearchBar::handle_keys(bool keyboard, SearchHits& hits) {
  Actions actions;
  if ((keyboard || focused_) && command_pressed(CommandId::list_fields)) {
    listed_ = !listed_;
    if (listed_) show();
  }
  if (open_ && (keyboard || focused_) && command_pressed(CommandId::only_matches))
    only_matches_ = !only_matches_;
  if (!open_ || !keyboard) return actions;
  if (command_pressed(CommandId::next_hit)) actions.step = 1;
  if (command_pressed(CommandId::previous_hit)) actions.step = -1;
  if (key_pressed(NamedKey::escape)) {
    actions.closed = true;
    close(hits);
  }
  return actions;
}

// Handles events of the input field. An active ImGui field owns its text, so only this callback can change
// it.
int SearchBar::on_edit(ImGuiInputTextCallbackData* data) {
  SearchBar& bar = *static_cast<SearchBar*>(data->UserData);
  if (data->EventFlag == ImGuiInputTextFlags_CallbackCompletion) {
    if (bar.offered_.list.empty() || bar.offered_.end > static_cast<std::size_t>(data->BufTextLen)) {
      bar.leaves_ = true;
      return 0;
    }
    const SearchCompletion& taken = bar.offered_.list[std::min(bar.chosen_, bar.offered_.list.size() - 1)];
    const auto begin = static_cast<int>(bar.offered_.begin);
    data->DeleteChars(begin, static_cast<int>(bar.offered_.end) - begin);
    data->InsertChars(begin, taken.text.c_str());
    data->CursorPos = begin + static_cast<int>(taken.text.size());
    data->ClearSelection();
    bar.listed_ = false;
    return 0;
  }
  if (bar.place_cursor_) {
    data->CursorPos = static_cast<int>(*std::exchange(bar.place_cursor_, std::nullopt));
    data->ClearSelection();
  }
  bar.cursor_ = static_cast<std::size_t>(std::max(0, data->CursorPos));
  return 0;
}

void SearchBar::complete_with(std::size_t index) {
  std::string text = typed();
  if (index >= offered_.list.size() || offered_.end > text.size()) return;
  const std::string& taken = offered_.list[index].text;
  text.replace(offered_.begin, offered_.end - offered_.begin, taken);
  if (text.size() >= text_.size()) return;
  place_cursor_ = offered_.begin + taken.size();
  cursor_ = *place_cursor_;
  set_text(text);
  listed_ = false;
  take_focus_ = true;
}

void SearchBar::find_completions(SearchHits& hits) {
  const bool shown = focused_ || over_completions_ || take_focus_ || took_focus_;
  SearchCompletions found;
  if (shown) {
    const std::string text = typed();
    found = search_completions(text, std::min(cursor_, text.size()), listed_, hits.trace(), hits.fields());
  } else {
    listed_ = false;
  }
  if (!std::ranges::equal(found.list, offered_.list, {}, &SearchCompletion::text, &SearchCompletion::text)) {
    chosen_ = 0;
    choosing_ = listed_;
  }
  offered_ = std::move(found);
  if (offered_.list.empty()) over_completions_ = false;
}

void SearchBar::draw_completions(const Box& box, const Theme& theme, float ui_scale) {
  if (offered_.list.empty()) return;
  constexpr std::size_t kMostLines = 12;
  const float line = table_row_height();
  float text_room = 0;
  for (const SearchCompletion& one : offered_.list) text_room = std::max(text_room, text_width(one.text));
  const float em = ImGui::GetFontSize();
  text_room = std::min(text_room + 1.5F * em, 16 * em);
  const float width = std::min(text_room + 26 * em, box.width() - 16 * ui_scale);
  const std::size_t lines = std::min(kMostLines, offered_.list.size());
  const float padding = std::round(6 * ui_scale);
  ImGui::SetNextWindowPos({box.left + std::round(8 * ui_scale), box.bottom + std::round(2 * ui_scale)});
  ImGui::SetNextWindowSize({width, line * static_cast<float>(lines) + 2 * padding});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {padding, padding});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  constexpr ImGuiWindowFlags kFlags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                      ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav |
                                      ImGuiWindowFlags_NoFocusOnAppearing;
  ImGui::PushStyleColor(ImGuiCol_WindowBg, ImGui::GetStyleColorVec4(ImGuiCol_PopupBg));
  ImGui::Begin("##search_fields", nullptr, kFlags & ~ImGuiWindowFlags_NoScrollbar);
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(2);
  over_completions_ = ImGui::IsWindowHovered();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  std::optional<std::size_t> clicked;
  for (std::size_t i = 0; i < offered_.list.size(); ++i) {
    const SearchCompletion& one = offered_.list[i];
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float room = ImGui::GetContentRegionAvail().x;
    ImGui::Dummy({room, line});
    if (ImGui::IsItemHovered()) {
      ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) clicked = i;
    }
    if (i == chosen_) {
      list.AddRectFilled(at, {at.x + room, at.y + line}, theme.group_header, 3 * ui_scale);
      if (choosing_) ImGui::SetScrollHereY();
    }
    const float top = at.y + std::floor((line - em) / 2);
    const float left = at.x + std::round(4 * ui_scale);
    draw_elided(list, {left, top}, text_room - em / 2, theme.accent, one.text);
    draw_elided(list, {left + text_room, top}, room - text_room - std::round(8 * ui_scale), theme.text_dim,
                one.about);
  }
  ImGui::End();
  if (clicked) complete_with(*clicked);
}

void SearchBar::mark_error(const SearchResult& answer, const Theme& theme, float ui_scale) const {
  const std::string text = typed();
  if (!answer.error_at || *answer.error_at >= text.size()) return;
  const ImVec2 from = ImGui::GetItemRectMin();
  const ImVec2 to = ImGui::GetItemRectMax();
  const float padding = ImGui::GetStyle().FramePadding.x;
  if (text_width(text) > to.x - from.x - 2 * padding) return;  // the text may be scrolled
  const std::size_t end = std::min(text.find(' ', *answer.error_at), text.size());
  const float left = from.x + padding + text_width(std::string_view(text).substr(0, *answer.error_at));
  const float right = from.x + padding + text_width(std::string_view(text).substr(0, end));
  const float y = to.y - std::round(2 * ui_scale);
  ImGui::GetWindowDrawList()->AddLine({left, y}, {std::max(left + 4 * ui_scale, right), y}, theme.error,
                                      std::max(1.0F, std::round(2 * ui_scale)));
}

void SearchBar::draw_field(const Box& box, float width, SearchHits& hits, const Theme& theme,
                           float ui_scale) {
  ImGui::SetNextItemWidth(width);
  if (take_focus_) focus_next_field();
  const auto before = text_;
  const std::size_t cursor_before = cursor_;
  constexpr ImGuiInputTextFlags kFlags = ImGuiInputTextFlags_AutoSelectAll |
                                         ImGuiInputTextFlags_CallbackCompletion |
                                         ImGuiInputTextFlags_CallbackAlways;
  ImGui::InputTextWithHint("##text", tr(Text::search_field), text_.data(), text_.size(), kFlags, on_edit,
                           this);
  focused_ = ImGui::IsItemActive() || ImGui::IsItemDeactivated();
  // On Esc, ImGui restores the text from before editing; undo that.
  if (focused_ && key_pressed(NamedKey::escape)) {
    text_ = before;
    cursor_ = cursor_before;
  }
  opening_frames_ = ImGui::IsItemActive() ? 0 : std::max(0, opening_frames_ - 1);
  if (hits.answer() != nullptr && !hits.running() && hits.query() == typed())
    mark_error(*hits.answer(), theme, ui_scale);
  const bool nothing_typed = text_.front() == '\0';
  if (ImGui::IsItemHovered() && offered_.list.empty() && (nothing_typed || !ImGui::IsItemActive())) {
    draw_search_examples({box.left + std::round(8 * ui_scale), box.bottom + std::round(4 * ui_scale)},
                         Text::search_about, kExamples, theme, ui_scale);
  }
  hits.ask(text_.data());
}

SearchBar::Actions SearchBar::draw(const Box& box, SearchHits& hits, std::optional<std::uint64_t> current,
                                   const Theme& theme, float ui_scale) {
  Actions actions;
  const auto px = [ui_scale](float units) { return std::round(units * ui_scale); };
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled({box.left, box.top}, {box.right, box.bottom}, theme.group_header);
  list.AddLine({box.left, box.bottom - 0.5F}, {box.right, box.bottom - 0.5F}, theme.border);
  const float top = std::floor(box.top + (box.height() - ImGui::GetFrameHeight()) / 2);
  ImGui::SetCursorScreenPos({box.left + px(8), top});
  ImGui::PushID("search");
  const bool backwards = ImGui::GetIO().KeyShift;
  const bool taking = take_focus_ || took_focus_;
  draw_field(box, std::clamp(box.width() * 0.36F, px(150), px(460)), hits, theme, ui_scale);
  took_focus_ = std::exchange(take_focus_, false);
  if (focused_ && key_pressed(NamedKey::enter, true)) {
    if (choosing_ && !offered_.list.empty()) {
      complete_with(chosen_);
    } else {
      actions.step = backwards ? -1 : 1;
    }
  }
  if ((focused_ || taking) && key_pressed(NamedKey::escape)) {
    if (std::exchange(listed_, false)) {
      place_cursor_ = cursor_;
      take_focus_ = true;
    } else {
      actions.closed = true;
    }
  }
  if (focused_ && !offered_.list.empty()) {
    const std::size_t count = offered_.list.size();
    const int by = (key_pressed(NamedKey::down, true) ? 1 : 0) - (key_pressed(NamedKey::up, true) ? 1 : 0);
    if (by != 0) {
      // The first press of the down key enters the list without moving on.
      if (choosing_ || by < 0) chosen_ = (chosen_ + count + static_cast<std::size_t>(by + 1) - 1) % count;
      choosing_ = true;
    }
  }
  if (std::exchange(leaves_, false)) ImGui::SetWindowFocus(nullptr);
  const Actions more = draw_status(box.right - px(8), hits, current, theme, ui_scale);
  ImGui::PopID();
  if (more.step != 0) actions.step = more.step;
  actions.show_list = more.show_list;
  actions.closed = actions.closed || more.closed;
  if (actions.closed) {
    close(hits);
    return actions;
  }
  find_completions(hits);
  draw_completions(box, theme, ui_scale);
  return actions;
}

std::pair<std::string, std::uint32_t> SearchBar::status(const SearchHits& hits,
                                                        std::optional<std::uint64_t> current,
                                                        const Theme& theme) const {
  if (const std::optional<double> scanned = hits.arguments_searched())
    return {scanning_text(*scanned), theme.text_dim};
  const SearchResult* const answer = hits.answer();
  if (answer == nullptr) return {hits.running() ? "..." : "", theme.text_dim};
  if (answer->error.empty()) {
    return {hit_count_text(answer->total, answer->total_ns, current),
            answer->total == 0 ? theme.warning : theme.text};
  }
  std::string error = in_language(answer->error);
  if (answer->error_at) {
    const std::string query = typed();
    const auto head = std::string_view(query).substr(0, *answer->error_at);
    const auto before = std::ranges::count_if(head, [](char c) { return !continues_character(c); });
    error = filled(Text::search_error_at, {std::to_string(before + 1), error});
  }
  return {std::move(error), theme.error};
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
  const SearchResult* answer = hits.answer();
  const bool found = answer != nullptr && answer->error.empty() && answer->total > 0;
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
  const auto [text, color] = status(hits, current, theme);
  draw_elided(*ImGui::GetWindowDrawList(), {at.x, at.y + ImGui::GetStyle().FramePadding.y}, room, color,
              text);
  if (ImGui::IsMouseHoveringRect(at, {at.x + room, at.y + ImGui::GetFrameHeight()}) &&
      text_width(text) > room) {
    ImGui::SetTooltip("%s", text.c_str());
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
