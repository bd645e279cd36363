// What many ranks did, painted pixel by pixel on a worker: rows of one band each, or of less than a pixel.
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

/// A row to paint, in pixels of the painting.
struct RankBand {
  std::uint32_t rank = 0;
  float top = 0;
  float bottom = 0;
  bool marked = false;  ///< painted over the others, and never lower than kMarkedPx
  bool operator==(const RankBand&) const = default;
};

/// A band above a group, in pixels of the painting: the shares of its ranks.
struct GroupBand {
  std::vector<std::uint32_t> ranks;
  float top = 0;
  float bottom = 0;
  bool operator==(const GroupBand&) const = default;
};

/// Of what something is painted: columns of the same length of time, at whole multiples of it, so that
/// nothing shimmers while the view moves.
struct RankPainting {
  std::shared_ptr<const JobPicture> picture;
  std::vector<RankBand> bands;
  std::vector<GroupBand> groups;
  std::int64_t first_column = 0;
  double ns_per_px = 1;
  int width = 0;
  int height = 0;
  double top_px = 0;  ///< of the page's content, where the painting begins
  float scale = 1;
  // Of the theme.
  std::uint32_t back = 0;
  std::uint32_t compute = 0;
  std::uint32_t communication = 0;
  std::uint32_t copy = 0;

  bool operator==(const RankPainting&) const = default;
};

/// Rows from the top, transparent where no band is. The bands of groups are stacked from below: how many of
/// the ranks compute, move data, wait. Of the ranks that share a row of pixels a column shows the one that
/// waits most. Of no use when stopped. O(bands * columns).
std::vector<std::uint32_t> painted(const RankPainting& painting, const std::stop_token& stop);

/// Keeps the newest painting, and has it moved and stretched until the next one is there. UI thread only.
class RankImage {
 public:
  static constexpr float kMarkedPx = 6;

  /// `pool` outlives it; `wake` is called from a worker when there is news.
  RankImage(WorkerPool& pool, std::function<void()> wake) : pool_(pool), wake_(std::move(wake)) {}

  /// Paints the bands of what the state shows; nothing where it has none.
  void draw(ImDrawList& list, const JobState& state);
  /// Whether the last draw() showed what there is, sharply.
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
