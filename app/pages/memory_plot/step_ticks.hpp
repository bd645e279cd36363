// Ticks of a ruler of training steps: names or numbers of steps, and events within wide steps.
#pragma once

#include <string>
#include <vector>

#include "app/pages/memory_plot/snapshot_axis.hpp"

namespace kino {

struct StepTick {
  double begin_units = 0;
  double end_units = 0;  ///< right edge of the room for the text
  std::string text;
  std::string brief;   ///< used if `text` does not fit; may be empty
  bool border = true;  ///< whether a step, or the part before or after steps, starts here; false: an event
};

/// Returns the ticks in view from left to right. Ticks of steps and events are at least `min_px` apart. A
/// step that started left of the view also has a tick. `axis` must show steps of `snapshot`. O(ticks * log
/// steps).
std::vector<StepTick> step_ticks(const Snapshot& snapshot, const SnapshotAxis& axis, double begin_units,
                                 double end_units, double units_per_px, double min_px);

/// Returns the number of steps, or of equal parts if no steps were found.
std::string steps_count_text(const SnapshotSteps& steps);
/// Returns an explanation of the steps: their region, the fact that they are equal parts, or the reason why
/// there are none.
std::string steps_text(const SnapshotSteps& steps);

}  // namespace kino
