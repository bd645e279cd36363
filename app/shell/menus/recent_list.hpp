// Cards of recent files, for the start page and for the menu Open.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <imgui.h>

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

/// Height of a card of draw_recent_cards() in px.
float recent_card_height(float scale);
/// Draws at most `most` files as cards below each other. The first line of a card has the name, kind and date
/// of the last opening. The second line has the verdict, or the folder if no verdict is known, and the size.
/// A missing file is gray, and its card names the folder or file that does not exist or may not be read.
/// `places` receives the centers of the cards, for tests.
RecentActions draw_recent_cards(const RecentFiles& recent, std::size_t most, float width, const Theme& theme,
                                float scale, std::vector<ImVec2>& places);

}  // namespace kino
