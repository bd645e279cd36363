// Pictures of a snapshot's plot, saved beside its file: PNG of the pixels, SVG of the shapes.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <imgui.h>

#include "app/background_result.hpp"
#include "app/band_paint.hpp"
#include "app/plot_svg.hpp"
#include "app/snapshot_state.hpp"

namespace kino {

/// UI thread only; pictures are written on the pool.
class PlotPicture {
 public:
  PlotPicture(std::shared_ptr<const Snapshot> snapshot, std::filesystem::path file, WorkerPool& pool,
              std::function<void()> wake)
      : snapshot_(std::move(snapshot)), file_(std::move(file)), pool_(pool), wake_(std::move(wake)) {}

  /// Of what this frame has drawn above the drawer, when it is rendered.
  void ask_for_png() { png_wanted_ = true; }
  /// The plot as it is in sight.
  void start_svg(const SnapshotState& state, PlotSvgLook look);
  /// At the end of a frame's drawing; this must live until the frame is rendered.
  void draw(ImDrawList& list, const SnapshotState& state);
  /// Once a frame; tells in message() what became of it.
  void update();
  bool complete() const { return !written_.running() && !png_wanted_; }
  const std::string& message() const { return message_; }
  /// Whether that is news.
  bool tells() const;

 private:
  struct Written {
    std::string path;
    std::string problem;
  };
  static void read(const ImDrawList* list, const ImDrawCmd* command);
  static Written write(const std::filesystem::path& file, const char* extension,
                       const Result<std::string>& text);

  std::shared_ptr<const Snapshot> snapshot_;
  std::filesystem::path file_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  BackgroundResult<Written> written_;
  bool png_wanted_ = false;
  int left_ = 0;  // in framebuffer px, from the lower edge
  int bottom_ = 0;
  int width_ = 0;
  int height_ = 0;
  std::string message_;
  double told_at_ = -10;
};

}  // namespace kino
