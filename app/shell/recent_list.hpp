// Rows of recent files, for the start page and for the menu in the tool bar.
#pragma once

#include <optional>

#include "app/shell/settings/recent_files.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// The clicks of one frame.
struct RecentActions {
  std::optional<RecentFile> open;
  std::optional<RecentFile> reveal;
  std::optional<RecentFile> copy_path;
  std::optional<RecentFile> remove;
  bool clear = false;
};

/// Draws one line per file, at most `most`, with name, folder and size over the available width. Missing
/// files are gray. A right click opens a menu.
RecentActions draw_recent_rows(const RecentFiles& recent, std::size_t most, const Theme& theme);

/// The popup of recent files in the tool bar. Open it by ImGui::OpenPopup(kRecentMenu) in the same window.
inline constexpr const char* kRecentMenu = "recent";
RecentActions draw_recent_menu(const RecentFiles& recent, const Theme& theme);

}  // namespace kino
