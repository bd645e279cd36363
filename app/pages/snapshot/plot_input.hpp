// Mouse input over a snapshot: on the drawer's edge, the ruler and the plot.
#pragma once

#include <optional>

#include "app/pages/memory_plot/memory_plot.hpp"
#include "app/pages/memory_plot/snapshot_state.hpp"

namespace kino {

class PlotInput {
 public:
  /// Handles the edge of the drawer. Call once per frame, after the state is placed.
  static void handle_splitter(SnapshotState& state);
  /// Handles the mouse over the ruler and the plot, and its wheel. Call only if the device has a plot.
  void handle(SnapshotState& state, const MemoryPlot& plot);
  /// Updates mouse_time_ns(). Call after everything that moves the view.
  void note_mouse(const SnapshotState& state);
  /// Returns the time under the mouse in ns. If the mouse is not over ruler or plot, or the axis does not
  /// show time, returns nullopt.
  const std::optional<double>& mouse_time_ns() const { return mouse_time_ns_; }

 private:
  void handle_plot(SnapshotState& state, const MemoryPlot& plot);

  bool dragging_ = false;
  float dragged_x_ = 0;  // part of the current drag that was already applied, in px
  float dragged_y_ = 0;
  std::optional<double> mouse_time_ns_;
};

}  // namespace kino
