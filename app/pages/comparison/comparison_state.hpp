// State shared by the parts of the comparison page: positions, inputs, and selection.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "app/pages/comparison/comparison_picture.hpp"
#include "app/ui/view/drawer_choice.hpp"
#include "app/ui/view/navigation.hpp"
#include "app/ui/widgets/box.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

struct ComparisonBoxes {
  Box all;
  Box head;       ///< the verdict
  Box bar;        ///< both runs and the key of the comparison
  Box steps;      ///< one dot per step
  Box waterfall;  ///< change by cause
  Box icicle;
  Box labels;  ///< labels of the lanes
  Box ruler;
  Box lanes;  ///< A on top, B at the bottom, ribbons between
  Box drawer;
  Box inspector;  ///< right of the pictures and of the drawer; zero width unless it is shown
};

/// A slice to show in its trace.
struct WantedSlice {
  std::size_t side = 0;
  SliceId slice = kNoSlice;
};

struct ComparisonState {
  Theme theme;
  float scale = 1;
  ComparisonBoxes boxes;
  float inspector_px = 0;  ///< width of the panel on the right, in ImGui units; 0 if it is hidden
  DrawerChoice drawer;

  std::array<ComparedSide, kSides> sides;
  std::shared_ptr<const ComparisonPicture> picture;
  RunKey key = RunKey::name;
  bool force = false;    ///< whether to compare although the checks refused the comparison
  bool linked = true;    ///< whether both lanes share one axis; if not, each step fills the width
  double gate = 0.05;    ///< threshold of a regression gate, as a relative change
  std::size_t read = 0;  ///< increases when sides or steps change and must be read again
  bool failed = false;   ///< whether the last computation ran out of memory

  std::optional<TimeCategory> cause;    ///< cause that filters the rows; empty: all rows
  std::optional<std::uint32_t> row;     ///< selected row of the comparison
  std::array<BusyLine, kSides> of_row;  ///< intervals of the selected row
  Navigation navigation;
  std::optional<WantedSlice> wanted;

  float px(float at_scale_1) const { return std::round(at_scale_1 * scale); }
  bool of_jobs() const { return sides[0].job != nullptr && sides[1].job != nullptr; }
  /// Returns the comparison; null until it is computed, or if the runs are not comparable.
  const RunComparison* told() const {
    const bool any = picture != nullptr && picture->comparison.verdict != RunVerdict::not_comparable;
    return any ? &picture->comparison : nullptr;
  }
  const StepLane& lane(std::size_t side) const { return picture->runs->lanes[side]; }
  /// Returns the view, converted to the time axis of one side's step.
  TimeView view_of(std::size_t side) const;
  /// Returns whether B has a time axis different from A's.
  bool own_axis() const;

  /// Sets the boxes of the page's parts.
  void place(float left, float top, float width, float height);
  /// Shows another picture. If it has `other_steps`, resets selection, filter and view; otherwise keeps the
  /// selected row if it still exists.
  void take(std::shared_ptr<const ComparisonPicture> made, bool other_steps);
  void select_row(std::optional<std::uint32_t> wanted_row);
  void choose_cause(std::optional<TimeCategory> wanted_cause);
  /// Selects the next (+1) or previous (-1) row of the filtered cause in the order of the changes' sizes,
  /// cyclically. Shows the work of this row. Does nothing if no row has the filtered cause.
  void step_change(int by);
  void swap();
  /// Requests to show the longest work of the selected row, in A if possible.
  void want_slice();

 private:
  double stretch(std::size_t side) const;
  double shift_of_b() const;
};

/// Direction of a change. Slower and faster differ in color and hatching.
enum class Direction : std::uint8_t { none, faster, slower };
/// Returns the direction of a change. `told`: whether the change exceeds the noise.
inline Direction direction_of(double change_ns, bool told) {
  if (!told || change_ns == 0) return Direction::none;
  return change_ns < 0 ? Direction::faster : Direction::slower;
}
std::uint32_t color_of(Direction direction, const Theme& theme);
std::uint32_t cause_color(TimeCategory cause, const Theme& theme);

}  // namespace kino
