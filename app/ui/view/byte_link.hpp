// A common scale of bytes for two snapshots side by side.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "app/ui/view/byte_view.hpp"
#include "core/memory/band_layout.hpp"

namespace kino {

/// A pane that can have a common scale with another. `bytes` is valid as long as the pane's panel.
struct BytePane {
  ByteView* bytes = nullptr;
  double highest = 0;  ///< value that the pane would fit without a link
  PlotLayout layout = PlotLayout::stacked;
};

/// The link of the byte scales of two panes. Does not use ImGui. UI thread only.
class ByteLink {
 public:
  /// Whether the user wants the same scale for snapshots side by side.
  bool wanted() const { return wanted_; }
  void toggle() { wanted_ = !wanted_; }
  /// Whether the panes have the same scale now. False for different layouts, whose bytes cannot be compared.
  bool holds() const { return last_.has_value(); }
  /// Value that both panes must fit; 0 without a common scale.
  double highest() const { return highest_; }
  /// Called once a frame before both panes are drawn. Copies a scale that changed in one pane to the other
  /// pane; at first, copies the scale of `active`. `panes` is nullopt unless two snapshots are side by side.
  void follow(const std::optional<std::array<BytePane, 2>>& panes, std::size_t active);

 private:
  bool wanted_ = true;
  double highest_ = 0;
  std::optional<ByteView> last_;  // common scale of the last frame
};

}  // namespace kino
