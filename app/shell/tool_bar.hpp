// The tool bar: open, the tabs of the documents, and commands.
#pragma once

#include <cstddef>
#include <optional>

#include "app/shell/documents/session.hpp"
#include "app/shell/recent_list.hpp"
#include "app/ui/commands/commands.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// The clicks of one frame.
struct ToolBarActions {
  bool open = false;
  bool show_recent = false;
  bool fit_all = false;
  bool toggle_theme = false;
  bool toggle_help = false;
  bool show_damage = false;
  std::optional<std::size_t> activate;
  std::optional<std::size_t> close;
  std::optional<std::size_t> reveal;
  std::optional<std::size_t> copy_path;
  std::optional<std::size_t> reload;
  RecentActions recent;
};

struct ToolBar {
  /// Draws the tool bar as one line across the current window. Commands of the view menu are run immediately.
  /// `beside` is the serial of the document in the second pane, or 0.
  ToolBarActions draw(const Session& session, std::uint64_t beside, const RecentFiles& recent,
                      Commands& commands, const Theme& theme, float scale);
  /// Opens the menu of recent files in the next draw().
  void open_recent_menu() { opens_recent_menu = true; }

  bool opens_recent_menu = false;
  std::uint64_t shown_serial = 0;  ///< the document whose tab was last scrolled into view
};

}  // namespace kino
