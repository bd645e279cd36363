#include "app/shell/menus/recent_list.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <string>

#include <imgui.h>

#include "app/ui/commands/page_kind.hpp"
#include "app/ui/text/local_date.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

using FileKind = RecentFiles::Status::Kind;

std::string size_text(const RecentFiles::Status& status) {
  if (status.kind == FileKind::missing) return tr(Text::recent_missing);
  // The size of a folder is unknown.
  return status.size_bytes > 0 ? text_from_bytes(static_cast<double>(status.size_bytes)) : std::string();
}

// Returns the paths of the entry, one per line: at most kShown, and the number of the others.
std::string paths_text(const RecentFile& recent) {
  constexpr std::size_t kShown = 12;
  std::string text = escaped((recent.members.empty() ? recent.path : recent.members.front()).string());
  for (std::size_t i = 1; i < std::min(kShown, recent.members.size()); ++i)
    text += "\n" + escaped(recent.members[i].string());
  if (recent.members.size() > kShown)
    text += "\n" + filled(Text::and_more, {grouped(recent.members.size() - kShown)});
  return text;
}

// Draws the clickable area of a row with its tooltip and menu. The texts of the row follow.
void draw_row_area(const RecentFile& recent, ImVec2 size, const Theme& theme, RecentActions& actions) {
  const ImVec2 min = ImGui::GetCursorScreenPos();
  const ImVec2 max(min.x + size.x, min.y + size.y);
  // Use a hash as the id, since ImGui would ignore the part of a text before "###".
  std::size_t id = std::filesystem::hash_value(recent.path);
  for (const std::filesystem::path& path : recent.members) id = 31 * id + std::filesystem::hash_value(path);
  ImGui::PushID(static_cast<int>(id));
  if (ImGui::InvisibleButton("row", size)) actions.open = recent;
  const bool hovered = ImGui::IsItemHovered();
  if (hovered) {
    ImGui::GetWindowDrawList()->AddRectFilled(min, max, theme.group_header, ImGui::GetFontSize() * 0.25F);
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(ImGui::GetFontSize() * 40);
    colored_text(theme.text, paths_text(recent));
    if (!recent.facts.verdict.empty()) colored_text(theme.text, recent.facts.verdict);
    ImGui::PopTextWrapPos();
    colored_text(theme.text_dim, tr(Text::recent_row_hint));
    ImGui::EndTooltip();
  }
  if (ImGui::BeginPopupContextItem("more")) {
    if (ImGui::MenuItem(tr(Text::open))) actions.open = recent;
    if (ImGui::MenuItem(tr(Text::reveal_in_folder))) actions.reveal = recent;
    if (ImGui::MenuItem(tr(Text::copy_path))) actions.copy_path = recent;
    if (ImGui::MenuItem(tr(Text::recent_remove))) actions.remove = recent;
    ImGui::EndPopup();
  }
  ImGui::PopID();
}

struct RecentKind {
  PageKind page{};
  Text title{};
};
constexpr std::array kRecentKinds{
    RecentKind{PageKind::timeline, Text::recent_trace}, RecentKind{PageKind::snapshot, Text::recent_snapshot},
    RecentKind{PageKind::job, Text::recent_job}, RecentKind{PageKind::snapshots, Text::recent_snapshots},
    RecentKind{PageKind::hang, Text::recent_hang}};

const RecentKind* kind_of(const RecentFile& recent) {
  const auto found = std::ranges::find_if(
      kRecentKinds, [&](const RecentKind& kind) { return recent.facts.kind == name_of(kind.page); });
  return found != kRecentKinds.end() ? &*found : nullptr;
}

std::uint32_t color_of(const RecentKind* kind, const Theme& theme) {
  if (kind == nullptr) return theme.text_dim;
  switch (kind->page) {
    case PageKind::timeline:
      return kind_color(SliceKind::compute, theme);
    case PageKind::job:
      return kind_color(SliceKind::communication, theme);
    case PageKind::hang:
      return theme.error;
    default:
      return theme.counter;
  }
}

// Draws the two lines of a card: name, kind and date; verdict or place, and size.
void draw_card_texts(const RecentFile& recent, const RecentFiles::Status& status, ImVec2 min, ImVec2 max,
                     const Theme& theme, float scale) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const auto px = [scale](float units) { return std::round(units * scale); };
  const bool missing = status.kind == FileKind::missing;
  const RecentKind* const kind = kind_of(recent);
  const std::uint32_t faint = mixed(theme.window, theme.text_dim, 0.75);
  const std::uint32_t dim = missing ? faint : theme.text_dim;
  list.AddRectFilled({min.x, min.y + px(5)}, {min.x + px(3), max.y - px(5)},
                     missing ? theme.border : color_of(kind, theme));
  const float left = min.x + px(14);
  const float right = max.x - px(10);
  const float line = ImGui::GetTextLineHeight();
  const float first = std::floor(min.y + (max.y - min.y - 2 * line - px(2)) / 2);
  const float second = first + line + px(2);
  const auto at_end = [&](float y, const std::string& text) {
    const float x = std::floor(right - text_width(text));
    list.AddText({x, y}, dim, text.c_str());
    return x - px(14) - left;  // the room before the text
  };
  const float room = at_end(first, recent.facts.opened_s != 0 ? local_date(recent.facts.opened_s) : "");
  const float used = draw_elided(list, {left, first}, room, missing ? dim : theme.text,
                                 escaped(recent.path.filename().string()), Elide::middle);
  if (kind != nullptr)
    draw_elided(list, {left + used + px(10), first}, room - used - px(10), dim, tr(kind->title));
  const float below = at_end(second, missing ? std::string() : size_text(status));
  const std::string place = escaped(recent.path.parent_path().string());
  if (missing) {
    const std::string absent = escaped(status.absent.string());
    draw_elided(list, {left, second}, below, dim,
                filled(status.denied ? Text::path_denied : Text::path_missing, {absent}), Elide::middle);
  } else if (!recent.facts.verdict.empty()) {
    draw_elided(list, {left, second}, below, mixed(theme.text_dim, theme.text, 0.45), recent.facts.verdict);
  } else {
    draw_elided(list, {left, second}, below, dim, place, Elide::middle);
  }
}

}  // namespace

float recent_card_height(float scale) { return std::round(2 * ImGui::GetTextLineHeight() + 14 * scale); }

RecentActions draw_recent_cards(const RecentFiles& recent, std::size_t most, float width, const Theme& theme,
                                float scale, std::vector<ImVec2>& places) {
  RecentActions actions;
  places.clear();
  const ImVec2 size(std::max(1.0F, width), recent_card_height(scale));
  ImVec2 min = ImGui::GetCursorScreenPos();
  const std::size_t count = std::min(most, recent.files().size());
  for (std::size_t i = 0; i < count; ++i, min.y += size.y) {
    const RecentFile& file = recent.files()[i];
    ImGui::SetCursorScreenPos(min);
    draw_row_area(file, size, theme, actions);
    places.emplace_back(min.x + size.x / 2, min.y + size.y / 2);
    draw_card_texts(file, recent.status(file), min, {min.x + size.x, min.y + size.y}, theme, scale);
  }
  return actions;
}

}  // namespace kino
