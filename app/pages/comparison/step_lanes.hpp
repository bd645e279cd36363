// The typical steps of two runs, one above the other, with ribbons between equal work.
#pragma once

#include <optional>

#include <imgui.h>

#include "app/pages/comparison/comparison_state.hpp"

namespace kino {

/// Draws the lanes and handles the mouse over them. UI thread only.
class StepLanes {
 public:
  /// Handles the mouse: a drag moves the view, and the wheel zooms it or, with Shift, moves it. A click
  /// selects the row of the work under the mouse. A double click also calls ComparisonState::want_slice().
  void handle(ComparisonState& state);
  void draw(ImDrawList& list, const ComparisonState& state);

  /// Returns the depth of the ribbons in the last frame.
  StepDepth depth() const { return depth_; }
  std::size_t ribbons() const { return drawn_; }

 private:
  struct Ribbon {
    AlignedNode node;
    float top_left = 0;
    float top_right = 0;
    float bottom_left = 0;
    float bottom_right = 0;
    double length_a_ns = 0;
    double length_b_ns = 0;

    /// Returns the x of the ribbon's left edge at height t, which is 0 at A's lane and 1 at B's.
    float left_at(float t) const;
    float right_at(float t) const;
  };

  void drag(ComparisonState& state);
  void click(ComparisonState& state);
  void draw_lane(ImDrawList& list, const ComparisonState& state, std::size_t side) const;
  void draw_ribbons(ImDrawList& list, const ComparisonState& state);
  void draw_ribbon(ImDrawList& list, const ComparisonState& state, const Ribbon& ribbon, bool hovered);
  static void draw_ribbon_hatching(ImDrawList& list, const ComparisonState& state, const Ribbon& ribbon,
                                   std::uint32_t color);
  void draw_ribbon_words(ImDrawList& list, const ComparisonState& state, const Ribbon& ribbon);
  /// Returns the visible ribbons. Stops after more than `most` ribbons, unless `depth` is the coarsest one.
  static std::vector<Ribbon> ribbons_of(const ComparisonState& state, StepDepth depth, std::size_t most);
  void draw_card(const ComparisonState& state, const Ribbon& ribbon) const;

  float dragged_px_ = 0;
  float labels_end_ = 0;  // right end of the last label in this frame
  bool dragging_ = false;
  bool over_ = false;
  StepDepth depth_ = StepDepth::phase;
  std::size_t drawn_ = 0;
  std::optional<AlignedNode> hovered_;  // node of the ribbon under the mouse in the last frame
};

}  // namespace kino
