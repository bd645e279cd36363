// The page of a window without documents: recent files with their verdicts, and all ways to begin.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <imgui.h>

#include "app/shell/menus/recent_list.hpp"
#include "app/ui/commands/commands.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// UI thread only.
class StartPage {
 public:
  /// Fills the rest of the window. Runs the commands that are clicked.
  RecentActions draw(const RecentFiles& recent, Commands& commands, const Theme& theme, float scale);

  /// Centers of the clickable parts by name, for tests.
  const std::vector<std::pair<std::string, ImVec2>>& places() const { return places_; }
  const std::vector<ImVec2>& recent_places() const { return recent_places_; }

 private:
  class Body;
  void draw_bar(Commands& commands, float height, const Theme& theme);

  std::vector<std::pair<std::string, ImVec2>> places_;
  std::vector<ImVec2> recent_places_;
};

}  // namespace kino
