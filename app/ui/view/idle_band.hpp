// Bands over the tracks where the GPU was idle, so that what the CPU did meanwhile stands in them.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <imgui.h>

#include "app/system/background_result.hpp"
#include "app/ui/view/timeline_state.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/base/worker_pool.hpp"
#include "core/tables/gpu/idle_time.hpp"

namespace kino {

/// UI thread only; the gaps are found on the pool, once, when the band is wanted first.
class IdleBand {
 public:
  /// `pool` must outlive it; `wake` is called from a worker when there is news.
  IdleBand(std::shared_ptr<const Trace> trace, WorkerPool& pool, std::function<void()> wake)
      : trace_(std::move(trace)), pool_(pool), wake_(std::move(wake)) {}

  /// Once a frame.
  void update(bool wanted);
  bool complete() const { return !times_.running(); }
  /// Over the tracks of a GPU where it is idle, over all others where all GPUs are; the stronger the more of
  /// a px is idle. O(width log gaps) for each run of tracks of one GPU.
  void draw(ImDrawList& list, const TimelineState& state, const Theme& theme) const;

 private:
  std::shared_ptr<const Trace> trace_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  BackgroundResult<std::vector<IdleTime>> times_;
};

/// A stretch of px of one strength.
struct IdleRun {
  int begin_px = 0;
  int end_px = 0;
  int level = 0;  ///< 1..kIdleLevels: how much of it is idle, rounded up
  bool operator==(const IdleRun&) const = default;
};
inline constexpr int kIdleLevels = 8;
/// What `view` shows of the idle time, from left to right; nothing where the GPU is busy all the time.
std::vector<IdleRun> idle_runs(const IdleTime& idle, const TimeView& view);

}  // namespace kino
