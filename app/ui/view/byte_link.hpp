// One scale of bytes for two snapshots beside each other.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "app/ui/view/byte_view.hpp"
#include "core/memory/band_layout.hpp"

namespace kino {

/// What a pane has for a common scale. The pointer holds as long as its panel.
struct BytePane {
  ByteView* bytes = nullptr;
  double highest = 0;  ///< what it would fit left to itself
  PlotLayout layout = PlotLayout::stacked;
};

/// Without ImGui. UI thread only.
class ByteLink {
 public:
  /// Whether snapshots beside each other are to have one scale.
  bool wanted() const { return wanted_; }
  void toggle() { wanted_ = !wanted_; }
  /// Whether they have one: bytes of different layouts mean different things.
  bool holds() const { return last_.has_value(); }
  /// What both have to fit; 0 unless they have one scale.
  double highest() const { return highest_; }
  /// Before both are drawn, once a frame: gives the scale that somebody changed to the other pane, at first
  /// that of `active`. Nothing where there are no two snapshots beside each other.
  void follow(const std::optional<std::array<BytePane, 2>>& panes, std::size_t active);

 private:
  bool wanted_ = true;
  double highest_ = 0;
  std::optional<ByteView> last_;  // what both had
};

}  // namespace kino
