// The bar at the top: open, the tabs of the documents, and the commands of the active one.
#pragma once

#include <cstddef>
#include <optional>

#include "app/session.hpp"
#include "app/theme.hpp"

namespace kino {

/// What was clicked in one frame.
struct ToolBarActions {
  bool open = false;
  bool fit_all = false;
  bool toggle_theme = false;
  bool toggle_help = false;
  bool show_damage = false;
  std::optional<std::size_t> activate;
  std::optional<std::size_t> close;
};

struct ToolBar {
  /// Draws one line across the current window.
  ToolBarActions draw(const Session& session, const Theme& theme, float scale);

  std::uint64_t shown_serial = 0;  ///< the document whose tab was last scrolled into view
};

}  // namespace kino
