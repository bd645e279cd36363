// A common scale of bytes for two snapshots side by side.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "app/ui/view/byte_view.hpp"
#include "core/memory/band_layout.hpp"

namespace kino {

/// A pane's part of a common scale. `bytes` is valid as long as its panel.
struct BytePane {
  ByteView* bytes = nullptr;
  double highest = 0;  ///< the value it would fit without a link
  PlotLayout layout = PlotLayout::stacked;
};

/// Does not use ImGui. UI thread only.
class ByteLink {
 public:
  /// Whether snapshots side by side should have the same scale.
  bool wanted() const { return wanted_; }
  void toggle() { wanted_ = !wanted_; }
  /// Whether the panes have the same scale; the bytes of different layouts cannot be compared.
  bool holds() const { return last_.has_value(); }
  /// Value that both panes must fit; 0 without a common scale.
  double highest() const { return highest_; }
  /// Called once a frame before both panes are drawn. Copies a changed scale to the other pane; initially the
  /// scale of `active`. Does nothing unless two snapshots are side by side.
  void follow(const std::optional<std::array<BytePane, 2>>& panes, std::size_t active);

 private:
  bool wanted_ = true;
  double highest_ = 0;
  std::optional<ByteView> last_;  // common scale of the last frame
};

}  // namespace kino
