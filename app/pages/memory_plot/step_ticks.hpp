// What a ruler along training steps says and where: steps by their names or numbers, events inside of wide
// ones.
#pragma once

#include <string>
#include <vector>

#include "app/pages/memory_plot/snapshot_axis.hpp"

namespace kino {

struct StepTick {
  double begin_units = 0;
  double end_units = 0;  ///< where the room for its words ends
  std::string text;
  std::string brief;   ///< where that has no room; may be empty
  bool border = true;  ///< of a step; false: an event inside of one
};

/// Those in sight, from left to right, labelled ones at least `min_px` apart; also the step that began left
/// of the view. `axis` is along steps of `snapshot`. Steps count from 0, as the table of growth has them.
/// O(ticks * log steps).
std::vector<StepTick> step_ticks(const Snapshot& snapshot, const SnapshotAxis& axis, double begin_units,
                                 double end_units, double units_per_px, double min_px);

/// Whose steps they are, that they are none but equal parts, or why there are none.
std::string steps_words(const SnapshotSteps& steps);

}  // namespace kino
