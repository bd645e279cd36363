// Rows of a short list in a panel on the right of a page: a name, an amount, a share, and a bar.
#pragma once

#include <cstdint>
#include <string>

#include "app/ui/drawer/drawer_page.hpp"

namespace kino {

struct TopRow {
  std::string name;    ///< escaped; elided in the middle if it is too long, with a tooltip
  std::string amount;  ///< such as "1.2 GB"
  double share = 0;    ///< length of the bar, 0..1
  std::uint32_t color = 0;
  bool selected = false;
};

/// Draws a row across the current window. Returns whether it was clicked. Push an ImGui id before rows whose
/// names can be equal.
bool draw_top_row(const TopRow& row, const DrawContext& look);

}  // namespace kino
