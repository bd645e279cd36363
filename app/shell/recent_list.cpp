#include "app/shell/recent_list.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>

#include <imgui.h>

#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

using FileKind = RecentFiles::Status::Kind;

constexpr float kMenuWidthEm = 40;

std::string size_text(const RecentFiles::Status& status) {
  if (status.kind == FileKind::missing) return tr(Text::recent_missing);
  // The size of a folder is unknown.
  return status.size_bytes > 0 ? text_from_bytes(static_cast<double>(status.size_bytes)) : std::string();
}

// Draws name, folder and size, in columns that have the same positions in all rows.
void draw_row_texts(const std::filesystem::path& path, const RecentFiles::Status& status, ImVec2 min,
                    ImVec2 max, const Theme& theme) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float em = ImGui::GetFontSize();
  const float y = min.y + (max.y - min.y - em) / 2;
  const float size_x = max.x - 5.5F * em;
  const float folder_x = min.x + (size_x - min.x) * 0.5F;
  const auto text = [&](float x, std::uint32_t color, const std::string& shown) {
    list.AddText(ImVec2(x, y), color, shown.data(), shown.data() + shown.size());
  };
  const bool missing = status.kind == FileKind::missing;
  text(min.x + em * 0.5F, missing ? theme.text_dim : theme.text,
       fitted_in_middle(escaped(path.filename().string()), std::max(0.0F, folder_x - min.x - 1.2F * em)));
  text(folder_x, theme.text_dim,
       fitted_in_middle(escaped(path.parent_path().string()), std::max(0.0F, size_x - folder_x - 0.5F * em)));
  const std::string size = size_text(status);
  text(max.x - em * 0.5F - ImGui::CalcTextSize(size.c_str()).x, theme.text_dim, size);
}

// Returns the paths of the entry, one per line.
std::string paths_text(const RecentFile& recent) {
  constexpr std::size_t kShown = 12;
  std::string text = escaped((recent.members.empty() ? recent.path : recent.members.front()).string());
  for (std::size_t i = 1; i < std::min(kShown, recent.members.size()); ++i)
    text += "\n" + escaped(recent.members[i].string());
  if (recent.members.size() > kShown)
    text += "\n" + filled(Text::and_more, {grouped(recent.members.size() - kShown)});
  return text;
}

void draw_row(const RecentFile& recent, const RecentFiles::Status& status, const Theme& theme,
              RecentActions& actions) {
  const ImVec2 min = ImGui::GetCursorScreenPos();
  const ImVec2 size(std::max(1.0F, ImGui::GetContentRegionAvail().x), ImGui::GetFrameHeight());
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
    ImGui::TextUnformatted(paths_text(recent).c_str());
    ImGui::PopTextWrapPos();
    colored_text(theme.text_dim, tr(Text::recent_row_hint));
    ImGui::EndTooltip();
  }
  draw_row_texts(recent.path, status, min, max, theme);
  if (ImGui::BeginPopupContextItem("more")) {
    if (ImGui::MenuItem(tr(Text::open))) actions.open = recent;
    if (ImGui::MenuItem(tr(Text::reveal_in_folder))) actions.reveal = recent;
    if (ImGui::MenuItem(tr(Text::copy_path))) actions.copy_path = recent;
    if (ImGui::MenuItem(tr(Text::recent_remove))) actions.remove = recent;
    ImGui::EndPopup();
  }
  ImGui::PopID();
}

}  // namespace

RecentActions draw_recent_rows(const RecentFiles& recent, std::size_t most, const Theme& theme) {
  RecentActions actions;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(ImGui::GetStyle().ItemSpacing.x, 0));
  const std::size_t count = std::min(most, recent.files().size());
  for (std::size_t i = 0; i < count; ++i) {
    const RecentFile& file = recent.files()[i];
    draw_row(file, recent.status(file), theme, actions);
  }
  ImGui::PopStyleVar();
  return actions;
}

RecentActions draw_recent_menu(const RecentFiles& recent, const Theme& theme) {
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float em = ImGui::GetFontSize();
  const float width = std::min(kMenuWidthEm * em, display.x - 2 * em);
  ImGui::SetNextWindowSizeConstraints(ImVec2(width, 0), ImVec2(width, display.y - 4 * em));
  if (!ImGui::BeginPopup(kRecentMenu)) return {};
  if (popup_closed_by_escape()) return {};
  RecentActions actions = draw_recent_rows(recent, RecentFiles::kMost, theme);
  if (recent.files().empty()) {
    colored_text(theme.text_dim, tr(Text::recent_none));
  } else {
    ImGui::Separator();
    actions.clear = ImGui::MenuItem(tr(Text::recent_clear));
  }
  if (actions.open || actions.clear) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
  return actions;
}

}  // namespace kino
