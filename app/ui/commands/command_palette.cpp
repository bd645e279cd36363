#include "app/ui/commands/command_palette.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include <imgui.h>

#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/field_focus.hpp"
#include "app/ui/widgets/keys.hpp"
#include "app/ui/widgets/widgets.hpp"

namespace kino {
namespace {

constexpr const char* kPopup = "palette";
constexpr std::size_t kLongestEntry = 64;
constexpr int kNameScore = -1000;  // score of matches by name only, below that of any title
constexpr float kWidthEm = 34;
constexpr float kVisibleRows = 12;

void draw_matched_text(ImDrawList& list, ImVec2 position, std::string_view text,
                       const std::vector<std::size_t>& matched, std::uint32_t color,
                       std::uint32_t match_color) {
  std::size_t i = 0;
  while (i < text.size()) {
    const bool hit = std::ranges::binary_search(matched, i);
    std::size_t end = i + 1;
    while (end < text.size() && std::ranges::binary_search(matched, end) == hit) ++end;
    const char* from = text.data() + i;
    const char* to = text.data() + end;
    list.AddText(position, hit ? match_color : color, from, to);
    position.x += ImGui::CalcTextSize(from, to).x;
    i = end;
  }
}

}  // namespace

std::string title_of(const PaletteEntry& entry, Language language) {
  if (!entry.table) return tr(info_of(entry.command).title, language);
  std::string title = tr(Text::palette_table, language);
  title.replace(title.find("{0}"), 3, message_form(entry.table->title, language));
  return title;
}

std::vector<PaletteEntry> palette_entries(std::string_view query, std::span<const PaletteTable> tables) {
  std::vector<PaletteEntry> entries;
  const auto add = [&](PaletteEntry entry, std::string_view name) {
    if (auto match = fuzzy_match(query, title_of(entry, language()))) {
      entry.match = std::move(*match);
      entries.push_back(std::move(entry));
      return;
    }
    // Match titles in other languages, as in manuals. Matched letters cannot be highlighted then, since the
    // shown title is another text.
    std::optional<int> best;
    for (const Language other : {Language::english, Language::japanese, Language::chinese}) {
      if (const auto match = fuzzy_match(query, title_of(entry, other)))
        best = std::max(best.value_or(match->score), match->score);
    }
    if (const auto by_name = fuzzy_match(query, name); by_name && !best) best = kNameScore + by_name->score;
    if (!best) return;
    entry.match = {.score = *best, .positions = {}};
    entries.push_back(std::move(entry));
  };
  for (const CommandInfo& command : all_commands()) add({command.id, std::nullopt, {}}, command.name);
  for (const PaletteTable& table : tables) add({CommandId::show_tables, table, {}}, table.name);
  std::ranges::stable_sort(entries, std::ranges::greater(),
                           [](const PaletteEntry& entry) { return entry.match.score; });
  return entries;
}

void CommandPalette::toggle() {
  visible_ = !visible_;
  if (!visible_) return;
  appearing_ = true;
  query_.clear();
  stale_ = true;
}

void CommandPalette::find(const Commands& commands) {
  entries_ = palette_entries(query_, tables_);
  // Clang 14 cannot read GCC 12's std::ranges::stable_partition.
  std::stable_partition(entries_.begin(), entries_.end(),
                        [&](const PaletteEntry& entry) { return commands.available(entry.command); });
  cursor_ = 0;
  scroll_to_cursor_ = true;
  stale_ = false;
}

void CommandPalette::move_cursor(const Commands& commands, std::optional<std::size_t>& chosen) {
  if (entries_.empty()) return;
  const std::size_t before = cursor_;
  const std::size_t last = entries_.size() - 1;
  const auto page = static_cast<std::size_t>(kVisibleRows) - 1;
  if (key_pressed(NamedKey::down, true)) cursor_ = cursor_ == last ? 0 : cursor_ + 1;
  if (key_pressed(NamedKey::up, true)) cursor_ = cursor_ == 0 ? last : cursor_ - 1;
  if (key_pressed(NamedKey::page_down, true)) cursor_ = std::min(last, cursor_ + page);
  if (key_pressed(NamedKey::page_up, true)) cursor_ -= std::min(cursor_, page);
  if (cursor_ != before) scroll_to_cursor_ = true;
  if (key_pressed(NamedKey::enter) && commands.available(entries_[cursor_].command)) chosen = cursor_;
}

void CommandPalette::draw_entry(std::size_t index, const Commands& commands, const Theme& theme,
                                std::optional<std::size_t>& chosen) {
  const CommandInfo& command = info_of(entries_[index].command);
  const bool available = commands.available(command.id);
  const float em = ImGui::GetFontSize();
  const float height = ImGui::GetFrameHeight();
  const ImVec2 min = ImGui::GetCursorScreenPos();
  const ImVec2 size(std::max(1.0F, ImGui::GetContentRegionAvail().x), height);
  ImGui::PushID(static_cast<int>(index));
  const bool clicked = ImGui::InvisibleButton("entry", size);
  const bool moved = ImGui::GetIO().MouseDelta.x != 0 || ImGui::GetIO().MouseDelta.y != 0;
  if (ImGui::IsItemHovered() && moved) cursor_ = index;
  ImGui::PopID();
  if (clicked && available) chosen = index;
  if (index == cursor_ && scroll_to_cursor_) {
    ImGui::SetScrollHereY();
    scroll_to_cursor_ = false;
  }

  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 max(min.x + size.x, min.y + size.y);
  if (index == cursor_) list.AddRectFilled(min, max, theme.group_header, em * 0.25F);
  const float text_y = min.y + (height - em) / 2;
  const bool table = entries_[index].table.has_value();
  const std::string keys = table ? std::string() : commands.keymap().text(command.id);
  const float keys_x = max.x - em * 0.5F - ImGui::CalcTextSize(keys.c_str()).x;
  list.PushClipRect(min, ImVec2(std::max(min.x, keys_x - em * 0.5F), max.y), true);
  draw_matched_text(list, ImVec2(min.x + em * 0.5F, text_y), title_of(entries_[index], language()),
                    entries_[index].match.positions, available ? theme.text : theme.text_dim,
                    available ? theme.accent : theme.text_dim);
  list.PopClipRect();
  list.AddText(ImVec2(keys_x, text_y), theme.text_dim, keys.c_str());
}

PaletteChoice CommandPalette::draw(const Commands& commands, std::span<const PaletteTable> tables,
                                   const Theme& theme) {
  if (!visible_) return {};
  if (stale_) tables_.assign(tables.begin(), tables.end());
  if (stale_) find(commands);
  if (appearing_) ImGui::OpenPopup(kPopup);
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float em = ImGui::GetFontSize();
  const float width = std::min(kWidthEm * em, display.x - 2 * em);
  const float top = std::min(3 * em, display.y * 0.1F);
  ImGui::SetNextWindowPos(ImVec2((display.x - width) / 2, top), ImGuiCond_Always);
  ImGui::SetNextWindowSize(ImVec2(width, 0), ImGuiCond_Always);
  constexpr ImGuiWindowFlags kFlags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                      ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav;
  if (!ImGui::BeginPopup(kPopup, kFlags)) {
    visible_ = false;  // after a click outside
    return {};
  }
  std::optional<std::size_t> chosen;
  bool close = !appearing_ && key_pressed(NamedKey::escape);
  if (!appearing_) move_cursor(commands, chosen);
  if (appearing_) focus_next_field();
  std::array<char, kLongestEntry> text{};
  std::strncpy(text.data(), query_.c_str(), text.size() - 1);
  ImGui::SetNextItemWidth(-1);
  if (ImGui::InputTextWithHint("##query", tr(Text::palette_title), text.data(), text.size()) && !close) {
    query_ = text.data();
    find(commands);
  }
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  ImGui::PushStyleColor(ImGuiCol_ChildBg, 0);
  const std::vector<Message>& problems = commands.keymap().problems();
  const float room = display.y - top - ImGui::GetFrameHeight() - (problems.empty() ? 3 : 6) * em;
  const float rows = std::min(kVisibleRows, std::max(1.0F, static_cast<float>(entries_.size())));
  ImGui::BeginChild("entries", ImVec2(0, std::max(ImGui::GetFrameHeight(),
                                                  std::min(rows * ImGui::GetFrameHeight(), room))));
  if (entries_.empty()) colored_text(theme.text_dim, tr(Text::palette_none));
  for (std::size_t i = 0; i < entries_.size(); ++i) draw_entry(i, commands, theme, chosen);
  ImGui::EndChild();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar();
  if (!problems.empty()) {
    ImGui::Separator();
    wrapped_text(theme.warning,
                 problems.size() == 1
                     ? filled(Text::palette_problem, {in_language(problems.front())})
                     : filled(Text::palette_problem_and_more,
                              {in_language(problems.front()), std::to_string(problems.size() - 1)}));
  }
  appearing_ = false;
  close = close || chosen.has_value() || !visible_;
  if (close) {
    visible_ = false;
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndPopup();
  if (!chosen) return {};
  const PaletteEntry& entry = entries_[*chosen];
  return entry.table ? PaletteChoice{std::nullopt, entry.table->name} : PaletteChoice{entry.command, {}};
}

}  // namespace kino
