// The row of training steps under the ruler: where each one is, how long it took, and which stand out.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <imgui.h>

#include "app/system/background_result.hpp"
#include "app/ui/view/timeline_state.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/base/worker_pool.hpp"
#include "core/trace/steps.hpp"

namespace kino {

/// The step to go to from what the view shows: the neighbour (+1, -1) of the step that fills it, else the
/// first one that begins in the view or after it (+1), or the last one that ends in it or before it (-1).
/// Steps::kNone when there is none. O(steps).
std::size_t step_to_go_to(const Steps& steps, const TimeView& view, int direction);

/// Where and how a step is drawn.
struct StepMark {
  std::size_t step = 0;  ///< index; of several that begin in one column the last
  float left = 0;        ///< px from the left of the ruler; may lie outside of it
  float right = 0;
  bool outlier = false;  ///< one of those that begin in the column is
  bool hovered = false;  ///< one of those that begin in the column is
};

/// Those in sight: no more than columns of pixels, however many steps there are. One that overlaps the next
/// is covered by it, so that each pixel is filled once. O(steps).
std::vector<StepMark> step_marks(const Steps& steps, const TimeView& view, float width_px,
                                 std::size_t hovered);

/// UI thread only; steps are looked for on the pool.
class StepRuler {
 public:
  StepRuler(const std::shared_ptr<const Trace>& trace, WorkerPool& pool, std::function<void()> wake);

  /// Takes over what was found; before the state is placed, since the row needs room.
  void update(TimelineState& state);
  /// Mouse on the row, and, with `keyboard`, the keys that go from step to step.
  void handle(TimelineState& state, bool keyboard);
  void draw(ImDrawList& list, const TimelineState& state, const Theme& theme) const;
  /// In order of time; empty until they are found.
  std::span<const TimeRange> ranges() const { return ranges_; }
  /// Null until they are found.
  const Steps* steps() const { return steps_.value(); }
  bool complete() const { return !steps_.running(); }

 private:
  std::size_t step_at_mouse(const TimelineState& state) const;
  void fit(TimelineState& state, std::size_t step) const;
  static void draw_step(ImDrawList& list, const TimelineState& state, const Step& step, const StepMark& mark,
                        const Theme& theme);
  void draw_tooltip(const Step& step, const Theme& theme) const;

  BackgroundResult<Steps> steps_;
  std::vector<TimeRange> ranges_;
  std::size_t hovered_ = Steps::kNone;
};

}  // namespace kino
