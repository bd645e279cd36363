// Bands over the tracks at times when the GPU was idle, so that the CPU's work in these gaps is visible.
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

/// UI thread only; the gaps are found once on the pool, when the band is first shown.
class IdleBand {
 public:
  IdleBand(std::shared_ptr<const Trace> trace, WorkerPool& pool, std::function<void()> wake)
      : trace_(std::move(trace)), pool_(pool), wake_(std::move(wake)) {}

  void update(bool wanted);
  bool complete() const { return !times_.running(); }
  /// Covers a GPU's tracks where it is idle, and other tracks where all GPUs are idle. Opacity follows the
  /// idle share of each px. O(width log gaps) for each sequence of tracks with the same GPU.
  void draw(ImDrawList& list, const TimelineState& state, const Theme& theme) const;

 private:
  std::shared_ptr<const Trace> trace_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  BackgroundResult<std::vector<IdleTime>> times_;
};

/// An interval of px with the same idle level.
struct IdleRun {
  int begin_px = 0;
  int end_px = 0;
  int level = 0;  ///< 1..kIdleLevels: idle share in steps of 1 / kIdleLevels, rounded up
  bool operator==(const IdleRun&) const = default;
};
inline constexpr int kIdleLevels = 8;
/// Returns the idle intervals in `view`, from left to right; empty if the GPU is always busy.
std::vector<IdleRun> idle_runs(const IdleTime& idle, const TimeView& view);

}  // namespace kino
