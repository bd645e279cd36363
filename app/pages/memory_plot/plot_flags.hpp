// Lines and labels over a snapshot's plot: out-of-memory errors, peaks, capacities, cursor, other moments,
// and names of strips.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <imgui.h>

#include "app/pages/memory_plot/annotation_lane.hpp"
#include "app/pages/memory_plot/label_places.hpp"
#include "app/pages/memory_plot/snapshot_state.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

struct SnapshotMarkers {
  std::size_t device = 0;
  std::vector<EventIndex> ooms;
  std::vector<EventIndex> snapshots;
  std::vector<AnnotationSpan> annotations;
  std::shared_ptr<const SnapshotSteps> steps;
};

struct PlotLabel {
  std::string words;
  Box box;
};

/// Draws the flags into state.boxes.plot: all lines, then the labels that fit. The peak's label has
/// precedence. `found` may be null. Returns the drawn labels.
std::vector<PlotLabel> draw_plot_flags(ImDrawList& list, const SnapshotState& state,
                                       const SnapshotMarkers* found, const Theme& theme);

}  // namespace kino
