// The typical steps of two runs, one above the other on one axis, with ribbons between what is the same work.
#pragma once

#include <optional>

#include <imgui.h>

#include "app/pages/comparison/comparison_state.hpp"

namespace kino {

/// UI thread only.
class StepLanes {
 public:
  /// Mouse: drag and wheel move the view, a click selects the row of what is there.
  void handle(ComparisonState& state);
  void draw(ImDrawList& list, const ComparisonState& state);

  /// How deep the ribbons are that were drawn last.
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

    /// The edges between the lanes: 0 is A's lane, 1 is B's.
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
  /// Ribbons in sight; more than `most` if there are more.
  static std::vector<Ribbon> ribbons_of(const ComparisonState& state, StepDepth depth, std::size_t most);
  void draw_card(const ComparisonState& state, const Ribbon& ribbon) const;

  float dragged_px_ = 0;
  float labels_end_ = 0;  // the right end of the last label of a frame
  bool dragging_ = false;
  bool over_ = false;
  StepDepth depth_ = StepDepth::phase;
  std::size_t drawn_ = 0;
  std::optional<AlignedNode> hovered_;  // of the ribbons drawn last
};

}  // namespace kino
