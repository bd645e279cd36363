// What the parts of the page of two compared runs share: where they are, what is compared, what is chosen.
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
  Box bar;        ///< both runs, and by what they are compared
  Box steps;      ///< a dot a step
  Box waterfall;  ///< causes
  Box icicle;
  Box labels;  ///< of the lanes
  Box ruler;
  Box lanes;  ///< A above, B below, ribbons between
  Box drawer;
};

/// What somebody wants to see in the trace itself.
struct WantedSlice {
  std::size_t side = 0;
  SliceId slice = kNoSlice;
};

struct ComparisonState {
  Theme theme;
  float scale = 1;
  ComparisonBoxes boxes;
  DrawerChoice drawer;
  float drawer_height = 0;  ///< at scale 1; 0: as it fits

  std::array<ComparedSide, kSides> sides;
  std::shared_ptr<const ComparisonPicture> picture;
  RunKey key = RunKey::name;
  bool force = false;    ///< compared although it is refused
  bool linked = true;    ///< both lanes on one axis; else each step as wide as the other
  double gate = 0.05;    ///< a change beyond it would fail a gate
  std::size_t read = 0;  ///< counts what has to be read anew: other sides, other steps
  bool failed = false;   ///< there was no memory for what was asked last

  std::optional<LedgerCause> cause;     ///< of which alone rows are shown
  std::optional<std::uint32_t> row;     ///< of the comparison
  std::array<BusyLine, kSides> of_row;  ///< where it ran
  Navigation navigation;
  std::optional<WantedSlice> wanted;

  float px(float at_scale_1) const { return std::round(at_scale_1 * scale); }
  bool of_jobs() const { return sides[0].job != nullptr && sides[1].job != nullptr; }
  /// Nothing while nothing is compared, or when that is refused.
  const RunComparison* told() const {
    const bool any = picture != nullptr && picture->comparison.verdict != RunVerdict::not_comparable;
    return any ? &picture->comparison : nullptr;
  }
  const StepLane& lane(std::size_t side) const { return picture->runs->lanes[side]; }
  /// The view of a side's own times.
  TimeView view_of(std::size_t side) const;
  /// Whether B's times are not those of A's axis.
  bool own_axis() const;

  /// Divides the page's area.
  void place(float left, float top, float width, float height);
  /// Shows another picture; what was chosen stays where it still means something.
  void take(std::shared_ptr<const ComparisonPicture> made, bool other_steps);
  void select_row(std::optional<std::uint32_t> wanted_row);
  void choose_cause(std::optional<LedgerCause> wanted_cause);
  /// The row with the next largest change, or the one before it.
  void step_change(int by);
  void swap();
  /// The longest work of the selected row, of A if A has it.
  void want_slice();

 private:
  double stretch(std::size_t side) const;
  double shift_of_b() const;
};

/// Slower and faster are told apart by colour and by hatching.
enum class Direction : std::uint8_t { none, faster, slower };
/// Of a change that is more than noise.
inline Direction direction_of(double change_ns, bool told) {
  if (!told || change_ns == 0) return Direction::none;
  return change_ns < 0 ? Direction::faster : Direction::slower;
}
std::uint32_t color_of(Direction direction, const Theme& theme);
std::uint32_t cause_color(LedgerCause cause, const Theme& theme);

}  // namespace kino
