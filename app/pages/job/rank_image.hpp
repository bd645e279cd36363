// Paints the activity of many ranks pixel by pixel on a worker. Each row is one band, and may be less than a
// pixel high.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

#include <imgui.h>

#include "app/pages/job/job_picture.hpp"
#include "app/pages/job/job_state.hpp"
#include "app/system/background_result.hpp"
#include "core/base/worker_pool.hpp"
#include "render/pixel_texture.hpp"

namespace kino {

/// A row to paint, in pixels of the image.
struct RankBand {
  std::uint32_t rank = 0;
  float top = 0;
  float bottom = 0;
  bool marked = false;  ///< whether it is painted over the others, at least kMarkedPx high
  bool operator==(const RankBand&) const = default;
};

/// A band above a group that shows the shares of the group's ranks, in pixels of the image.
struct GroupBand {
  std::vector<std::uint32_t> ranks;
  float top = 0;
  float bottom = 0;
  bool operator==(const GroupBand&) const = default;
};

/// Parameters of a painting. All columns have the same duration and start at multiples of this duration, so
/// that nothing flickers while the view moves.
struct RankPainting {
  std::shared_ptr<const JobPicture> picture;
  std::vector<RankBand> bands;
  std::vector<GroupBand> groups;
  std::int64_t first_column = 0;
  double ns_per_px = 1;
  int width = 0;
  int height = 0;
  double top_px = 0;  ///< offset of the painting in the page's content, in px
  float scale = 1;
  // Colors of the theme.
  std::uint32_t back = 0;
  std::uint32_t compute = 0;
  std::uint32_t communication = 0;
  std::uint32_t copy = 0;

  bool operator==(const RankPainting&) const = default;
};

/// Returns the pixels row by row from the top, transparent outside of bands and where a rank has no activity.
/// Group bands are stacked from the bottom: computing, transferring and waiting ranks. If several ranks share
/// a row of pixels, each column shows the rank that waits most. O((bands + ranks of groups) * columns).
std::vector<std::uint32_t> painted(const RankPainting& painting, const std::stop_token& stop);

/// Shows the newest painting. Until the next painting is ready, moves and scales it with the view. UI thread
/// only.
class RankImage {
 public:
  static constexpr float kMarkedPx = 6;

  /// `pool` must outlive the object. `wake` is called from a worker when a painting is ready.
  RankImage(WorkerPool& pool, std::function<void()> wake) : pool_(pool), wake_(std::move(wake)) {}

  /// Draws the bands of the visible rows, and requests a new painting if the view has changed. Does nothing
  /// if no band is visible.
  void draw(ImDrawList& list, const JobState& state);
  /// Returns whether the last draw() showed a painting of its view, or had nothing to show.
  bool complete() const { return fresh_; }

 private:
  struct Made {
    RankPainting of;
    std::vector<std::uint32_t> pixels;
  };
  static RankPainting painting_of(const JobState& state);

  WorkerPool& pool_;
  std::function<void()> wake_;
  BackgroundResult<std::shared_ptr<const Made>> made_;
  std::shared_ptr<const Made> shown_;
  PixelTexture texture_;
  bool fresh_ = true;
};

}  // namespace kino
