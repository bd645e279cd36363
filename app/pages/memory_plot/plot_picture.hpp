// Pictures of a snapshot's plot, saved to a file that the user selects: PNG or SVG.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <imgui.h>

#include "app/pages/memory_plot/plot_svg.hpp"
#include "app/pages/memory_plot/snapshot_state.hpp"
#include "app/pages/memory_plot/treemap_svg.hpp"
#include "app/ui/view/area_picture.hpp"

namespace kino {

class PlotPicture {
 public:
  PlotPicture(std::shared_ptr<const Snapshot> snapshot, std::filesystem::path file, WorkerPool& pool,
              std::function<void()> wake)
      : snapshot_(std::move(snapshot)), picture_(std::move(file), ".memory", pool, std::move(wake)) {}

  /// Saves the area above the drawer once this frame is rendered.
  void request_png() { picture_.request_png(); }
  /// Saves the visible plot, with the curves of the overlay if `over` is set.
  void start_svg(const SnapshotState& state, PlotSvgStyle look, std::optional<OverlayParams> over);
  /// Saves the treemap of a device without a history, as drawn.
  void start_svg(const TreemapResult& shown, PlotSvgStyle look);
  /// Takes the pixels of a requested PNG. Call at the end of a frame's drawing; this object must live until
  /// the frame is rendered.
  void draw(ImDrawList& list, const SnapshotState& state);
  /// Takes finished exports, so that message() contains their result. Call once per frame.
  void update() { picture_.update(); }
  bool complete() const { return picture_.complete(); }
  const std::string& message() const { return picture_.message(); }
  /// Returns whether the message is recent enough to be shown.
  bool tells() const { return picture_.tells(); }

 private:
  std::shared_ptr<const Snapshot> snapshot_;
  AreaPicture picture_;
};

}  // namespace kino
