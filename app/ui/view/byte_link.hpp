// A common scale of bytes for the snapshots in two panes.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "app/ui/view/byte_view.hpp"
#include "core/memory/band_layout.hpp"

namespace kino {

/// The byte scale of a pane, which can be linked with another pane. `bytes` is valid as long as the pane's
/// panel.
struct BytePane {
  ByteView* bytes = nullptr;
  double highest = 0;  ///< value that the pane would fit without a link
  PlotLayout layout = PlotLayout::stacked;
};

/// The link of the byte scales of two panes. Does not use ImGui. UI thread only.
class ByteLink {
 public:
  /// Whether the user wants the same scale for snapshots in two panes.
  bool wanted() const { return wanted_; }
  void toggle() { wanted_ = !wanted_; }
  /// Whether the panes have the same scale now. False for different layouts, whose bytes cannot be compared.
  bool holds() const { return last_.has_value(); }
  /// Value that both panes must fit; 0 without a common scale.
  double highest() const { return highest_; }
  /// Called once per frame before both panes are drawn. Copies a scale that changed in one pane to the other
  /// pane. If both scales changed, and in the first frame, copies the scale of `active`. `panes` is nullopt
  /// unless both panes show snapshots.
  void follow(const std::optional<std::array<BytePane, 2>>& panes, std::size_t active);

 private:
  bool wanted_ = true;
  double highest_ = 0;
  std::optional<ByteView> last_;  // common scale of the last frame
};

}  // namespace kino
