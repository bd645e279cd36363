#include "app/ui/box/search_box.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include <imgui.h>
#include <imgui_stdlib.h>

#include "app/ui/widgets/field_focus.hpp"
#include "app/ui/widgets/keys.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/terminal_text.hpp"

namespace kino {
namespace {

constexpr const char* kBoxPopup = "box";
constexpr float kLeastListEm = 40;
constexpr float kMostListShare = 0.7F;  // of the window's height
constexpr std::size_t kPageEntries = 10;
constexpr float kIconEm = 2.1F;  // room of the magnifier

void draw_magnifier(ImDrawList& list, ImVec2 center, std::uint32_t color) {
  const float em = ImGui::GetFontSize();
  const float thickness = std::max(1.0F, em * 0.1F);
  const float radius = em * 0.3F;
  list.AddCircle({center.x - em * 0.07F, center.y - em * 0.07F}, radius, color, 0, thickness);
  const float from = radius * 0.71F - em * 0.07F;
  list.AddLine({center.x + from, center.y + from}, {center.x + em * 0.42F, center.y + em * 0.42F}, color,
               thickness * 1.3F);
}

/// Draws the text of a key as a cap that ends at `right`. Returns its left edge.
float draw_key_cap(ImDrawList& list, float right, float middle, const std::string& key, const Theme& theme) {
  const float em = ImGui::GetFontSize();
  const float left = std::floor(right - text_width(key) - em * 0.7F);
  const float half = std::floor(em * 0.62F);
  list.AddRect({left, middle - half}, {right, middle + half}, theme.border, em * 0.2F);
  list.AddText({left + em * 0.35F, std::floor(middle - em / 2)}, theme.text_dim, key.c_str());
  return left;
}

void draw_matched_title(ImDrawList& list, ImVec2 position, std::string_view text,
                        const std::vector<std::size_t>& matched, std::uint32_t color,
                        std::uint32_t match_color) {
  std::size_t i = 0;
  while (i < text.size()) {
    const bool hit = std::ranges::binary_search(matched, i);
    std::size_t end = i + 1;
    while (end < text.size() && std::ranges::binary_search(matched, end) == hit) ++end;
    const char* const from = text.data() + i;
    const char* const to = text.data() + end;
    list.AddText(position, hit ? match_color : color, from, to);
    position.x += ImGui::CalcTextSize(from, to).x;
    i = end;
  }
}

/// Draws problems of keys.json below the commands.
void draw_key_problems(const std::vector<Message>& problems, const Theme& theme) {
  if (problems.empty()) return;
  ImGui::Separator();
  wrapped_text(theme.warning, problems.size() == 1
                                  ? filled(Text::box_key_problem, {in_language(problems.front())})
                                  : filled(Text::box_key_problems, {in_language(problems.front()),
                                                                    std::to_string(problems.size() - 1)}));
}

}  // namespace

void SearchBox::open(const std::string& text) {
  if (std::exchange(open_, true)) return type(text);
  appearing_ = true;
  take_focus_ = true;
  keep_unselected_ = text.size() == 1;
  text_ = text;
  replaced_.reset();
  entries_.clear();
  chosen_ = 0;
  moved_ = false;
}

bool SearchBox::draw_closed(const Box& place, Text hint, const std::string& query, const Theme& theme) {
  place_ = place;
  const ImVec2 before = ImGui::GetCursorPos();
  ImGui::SetCursorScreenPos({place.left, place.top});
  const bool clicked = ImGui::InvisibleButton("box", {std::max(1.0F, place.width()), place.height()});
  const bool hovered = ImGui::IsItemHovered();
  if (hovered) wrapped_tooltip(hint_with_key(Text::command_search, CommandId::search));
  ImGui::SetCursorPos(before);

  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float em = ImGui::GetFontSize();
  const float rounding = em * 0.3F;
  const ImVec2 max(place.right, place.bottom);
  list.AddRectFilled({place.left, place.top}, max, theme.track_area, rounding);
  list.AddRect({place.left, place.top}, max, hovered ? theme.text_dim : theme.border, rounding);
  const float middle = std::floor((place.top + place.bottom) / 2);
  draw_magnifier(list, {place.left + em * 1.05F, middle}, theme.text_dim);
  const std::string shown = query.empty() ? tr(hint) : escaped(query);
  const float left = place.left + kIconEm * em;
  float right = place.right - em * 0.4F;
  for (const CommandId command : {CommandId::command_palette, CommandId::search}) {
    const std::string key = key_text(command);
    const float room = right - text_width(key) - em - left;
    if (key.empty() || room < text_width(shown)) continue;
    right = draw_key_cap(list, right, middle, key, theme) - em * 0.4F;
  }
  draw_elided(list, {left, std::floor(middle - em / 2)}, std::max(0.0F, right - left),
              query.empty() ? theme.text_dim : theme.text, shown);
  return clicked;
}

int SearchBox::on_edit(ImGuiInputTextCallbackData* data) {
  SearchBox& box = *static_cast<SearchBox*>(data->UserData);
  if (data->EventFlag == ImGuiInputTextFlags_CallbackCompletion) {
    box.completes_ = true;
    return 0;
  }
  if (std::exchange(box.keep_unselected_, false)) {
    data->ClearSelection();
    data->CursorPos = data->BufTextLen;
  }
  if (const auto text = std::exchange(box.replaced_, std::nullopt)) {
    data->DeleteChars(0, data->BufTextLen);
    data->InsertChars(0, text->c_str());
    data->ClearSelection();
  }
  return 0;
}

/// Replaces the text and keeps the keyboard in the field.
void SearchBox::type(std::string text) {
  text_ = text;
  replaced_ = std::move(text);
  take_focus_ = true;
  keep_unselected_ = true;
  moved_ = false;
  chosen_ = 0;
}

void SearchBox::draw_field(Text hint) {
  if (std::exchange(take_focus_, false)) focus_next_field();
  ImGui::SetNextItemWidth(-1);
  constexpr ImGuiInputTextFlags kFlags = ImGuiInputTextFlags_AutoSelectAll |
                                         ImGuiInputTextFlags_CallbackCompletion |
                                         ImGuiInputTextFlags_CallbackAlways;
  const std::string before = text_;
  ImGui::InputTextWithHint("##typed", tr(hint), &text_, kFlags, on_edit, this);
  if (key_pressed(NamedKey::escape)) text_ = before;  // ImGui restores the text from before editing
  if (text_ == before) return;
  chosen_ = 0;
  moved_ = false;
  scroll_to_chosen_ = true;
}

void SearchBox::find(const BoxContext& context) {
  entries_ = box_entries(text_, context);
  const auto available = std::ranges::find(entries_, true, &BoxEntry::available);
  if (!moved_)
    chosen_ = available == entries_.end() ? 0 : static_cast<std::size_t>(available - entries_.begin());
  chosen_ = std::min(chosen_, entries_.size() - 1);
}

void SearchBox::move_by_keys() {
  if (entries_.empty()) return;
  const std::size_t before = chosen_;
  const std::size_t last = entries_.size() - 1;
  if (key_pressed(NamedKey::down, true)) chosen_ = chosen_ == last ? 0 : chosen_ + 1;
  if (key_pressed(NamedKey::up, true)) chosen_ = chosen_ == 0 ? last : chosen_ - 1;
  if (key_pressed(NamedKey::page_down, true)) chosen_ = std::min(last, chosen_ + kPageEntries);
  if (key_pressed(NamedKey::page_up, true)) chosen_ -= std::min(chosen_, kPageEntries);
  if (chosen_ == before) return;
  moved_ = true;
  scroll_to_chosen_ = true;
}

void SearchBox::draw_entry(std::size_t index, const Commands& commands, const Theme& theme,
                           std::optional<std::size_t>& taken) {
  const BoxEntry& entry = entries_[index];
  const float em = ImGui::GetFontSize();
  const float height = ImGui::GetFrameHeight();
  const ImVec2 min = ImGui::GetCursorScreenPos();
  const ImVec2 size(std::max(1.0F, ImGui::GetContentRegionAvail().x), height);
  ImGui::PushID(static_cast<int>(index));
  const bool clicked = ImGui::InvisibleButton("entry", size);
  ImGui::PopID();
  const bool moved = ImGui::GetIO().MouseDelta.x != 0 || ImGui::GetIO().MouseDelta.y != 0;
  if (ImGui::IsItemHovered() && moved) {
    chosen_ = index;
    moved_ = true;
  }
  if (clicked) taken = index;
  if (index == chosen_ && scroll_to_chosen_) {
    ImGui::SetScrollHereY();
    scroll_to_chosen_ = false;
  }

  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 max(min.x + size.x, min.y + size.y);
  if (index == chosen_) list.AddRectFilled(min, max, theme.group_header, em * 0.25F);
  const float y = std::floor(min.y + (height - em) / 2);
  const std::string detail =
      entry.kind == BoxEntry::Kind::command ? commands.keymap().text(entry.command) : entry.detail;
  const float left = min.x + em * 0.5F;
  const float room = size.x - em;
  const float title_room =
      std::min(text_width(entry.title), std::max(room * 0.55F, room - text_width(detail) - em));
  const float detail_room = std::min(text_width(detail), room - title_room - em);
  const std::uint32_t color = entry.available ? theme.text : theme.text_dim;
  if (text_width(entry.title) > title_room + 0.5F) {
    draw_elided(list, {left, y}, title_room, color, entry.title, Elide::middle);
  } else {
    draw_matched_title(list, {left, y}, entry.title, entry.matched, color,
                       entry.available ? theme.accent : theme.text_dim);
  }
  draw_elided(list, {max.x - em * 0.5F - detail_room, y}, detail_room + 1,
              entry.failed ? theme.error : theme.text_dim, detail);
}

void SearchBox::draw_list(const Commands& commands, float height, const Theme& theme,
                          std::optional<std::size_t>& taken) {
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  ImGui::PushStyleColor(ImGuiCol_ChildBg, 0);
  const bool typed = !text_.empty() && text_ != kBoxSql;
  const bool headings = box_mode(text_) != BoxMode::commands;
  const float line = ImGui::GetFrameHeight();
  const auto begins_group = [&](std::size_t i) {
    return headings && box_heading(entries_[i].kind, typed) &&
           (i == 0 || entries_[i - 1].kind != entries_[i].kind);
  };
  std::size_t lines = entries_.size();
  for (std::size_t i = 0; i < entries_.size(); ++i) lines += begins_group(i) ? 1 : 0;
  ImGui::BeginChild("entries", ImVec2(0, std::max(line, std::min(static_cast<float>(lines) * line, height))));
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (begins_group(i)) {
      const ImVec2 at = ImGui::GetCursorScreenPos();
      const float em = ImGui::GetFontSize();
      ImGui::Dummy({1, line});
      const float y = std::floor(at.y + line - em * 1.25F);
      ImGui::GetWindowDrawList()->AddText({at.x + em * 0.5F, y}, theme.text_dim,
                                          tr(*box_heading(entries_[i].kind, typed)));
    }
    draw_entry(i, commands, theme, taken);
  }
  ImGui::EndChild();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar();
}

std::optional<BoxEntry> SearchBox::draw(const BoxContext& context, Text hint, const Commands& commands,
                                        const Theme& theme) {
  if (!open_) return std::nullopt;
  if (appearing_) ImGui::OpenPopup(kBoxPopup);
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float em = ImGui::GetFontSize();
  const float margin = em * 0.5F;
  const float width = std::min(std::max(place_.width(), kLeastListEm * em), display.x - 2 * margin);
  const float right = std::max(place_.right, width + margin);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(em * 0.3F, 0));
  ImGui::SetNextWindowPos(ImVec2(right - width, place_.top), ImGuiCond_Always);
  ImGui::SetNextWindowSize(ImVec2(width, 0), ImGuiCond_Always);
  constexpr ImGuiWindowFlags kFlags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                      ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav;
  const bool drawn = ImGui::BeginPopup(kBoxPopup, kFlags);
  ImGui::PopStyleVar();
  if (!drawn) {
    open_ = false;  // after a click outside
    return std::nullopt;
  }
  const bool escape = !appearing_ && key_pressed(NamedKey::escape);
  const bool enter = !appearing_ && key_pressed(NamedKey::enter);
  if (!appearing_) move_by_keys();
  draw_field(hint);
  find(context);
  std::optional<std::size_t> taken;
  draw_list(commands, display.y * kMostListShare, theme, taken);
  if (box_mode(text_) == BoxMode::commands) draw_key_problems(commands.keymap().problems(), theme);
  ImGui::Dummy({1, em * 0.2F});
  if (std::exchange(completes_, false)) {
    const auto first = std::ranges::find(entries_, BoxEntry::Kind::completion, &BoxEntry::kind);
    if (first != entries_.end()) taken = static_cast<std::size_t>(first - entries_.begin());
  }
  if (enter && !taken) taken = chosen_;
  std::optional<BoxEntry> result;
  if (taken && entries_[*taken].available) {
    if (entries_[*taken].kind == BoxEntry::Kind::completion) {
      type(entries_[*taken].text);
    } else {
      result = entries_[*taken];
    }
  }
  appearing_ = false;
  if (escape || result) open_ = false;
  if (!open_) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
  return result;
}

}  // namespace kino
