// Rows of different heights in a list, of which only the visible ones are laid out.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <imgui.h>

namespace kino {

/// Heights of the rows that were drawn since the width of the list last changed.
class RowHeights {
 public:
  void reset() { heights_.clear(); }

  /// Draws the visible rows of `shown` (ascending) in the current window, from the cursor on. `draw` takes a
  /// row and returns the height used; `skip` takes the number and total height of consecutive invisible rows.
  /// Rows that were never drawn count as `usual_px`. A new `width_px` discards all heights. O(shown), with
  /// very little work for invisible rows.
  template <class Skip, class Draw>
  void draw(std::span<const std::uint32_t> shown, float width_px, float usual_px, const Skip& skip,
            const Draw& draw) {
    if (width_px != width_px_) heights_.clear();
    width_px_ = width_px;
    if (!shown.empty() && heights_.size() <= shown.back()) heights_.resize(shown.back() + std::size_t{1}, 0);
    const float top = ImGui::GetWindowPos().y;
    const float bottom = top + ImGui::GetWindowHeight();
    float y = ImGui::GetCursorScreenPos().y;
    std::size_t skipped = 0;
    float skipped_px = 0;
    for (const std::uint32_t row : shown) {
      float& known = heights_[row];
      const float height = known > 0 ? known : usual_px;
      if (y + height < top || y > bottom) {
        ++skipped;
        skipped_px += height;
        y += height;
        continue;
      }
      if (skipped > 0) skip(skipped, skipped_px);
      skipped = 0;
      skipped_px = 0;
      known = draw(row);
      y += known;
    }
    if (skipped > 0) skip(skipped, skipped_px);
  }

 private:
  std::vector<float> heights_;  // 0: unknown
  float width_px_ = 0;
};

/// Replaces invisible rows of an ImGui table with empty space, for RowHeights::draw(). Preserves the
/// alternation of striped rows.
inline void skip_table_rows(std::size_t rows, float height_px) {
  const float least = 2 * ImGui::GetStyle().CellPadding.y;
  if (rows % 2 == 0) {
    ImGui::TableNextRow(ImGuiTableRowFlags_None, least);
    height_px -= least;
  }
  ImGui::TableNextRow(ImGuiTableRowFlags_None, height_px);
}

}  // namespace kino
