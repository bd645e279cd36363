// The mouse over a snapshot: on the drawer's edge, the ruler and the plot.
#pragma once

#include <optional>

#include "app/pages/memory_plot/memory_plot.hpp"
#include "app/pages/memory_plot/snapshot_state.hpp"

namespace kino {

/// UI thread only.
class PlotInput {
 public:
  /// The edge of the drawer; once a frame, after the state is placed.
  static void handle_splitter(SnapshotState& state);
  /// Ruler, plot and wheel, where there is a plot.
  void handle(SnapshotState& state, const MemoryPlot& plot);
  /// After all that moves the view.
  void note_mouse(const SnapshotState& state);
  /// Over the ruler and the plot, while they show time.
  const std::optional<double>& mouse_time_ns() const { return mouse_time_ns_; }

 private:
  void handle_plot(SnapshotState& state, const MemoryPlot& plot);

  bool dragging_ = false;
  float dragged_x_ = 0;  // what of the running drag has been applied
  float dragged_y_ = 0;
  std::optional<double> mouse_time_ns_;
};

}  // namespace kino
