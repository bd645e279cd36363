// The row below the ruler: training steps with their durations and outliers, or iterations of an inference
// engine with their phases.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <imgui.h>

#include "app/pages/timeline/overlays/ruler_iterations.hpp"
#include "app/system/background_result.hpp"
#include "app/ui/view/timeline_state.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/base/worker_pool.hpp"
#include "core/trace/steps.hpp"

namespace kino {

/// Returns the step to show next. If a step contains the middle of the view and is at least half as long as
/// the view, returns the next (+1) or previous (-1) step. Otherwise returns, for +1, the first step that
/// starts at or after the start of the view. For -1, it returns the last step that ends at or before the
/// view's end. Steps::kNone if there is none. O(steps).
std::size_t next_step_in_view(const Steps& steps, const TimeView& view, int direction);

struct StepMark {
  std::size_t step = 0;  ///< index; if several steps start in the same column, the last one
  float left = 0;        ///< px from the left of the ruler; may be outside of the ruler
  float right = 0;
  bool outlier = false;  ///< whether any step that starts in the column is an outlier
  bool hovered = false;  ///< whether any step that starts in the column is hovered
};

/// Returns the visible steps, at most one per column of pixels. A step that overlaps the next one is cut
/// there, so that each pixel is filled once. O(steps).
std::vector<StepMark> step_marks(const Steps& steps, const TimeView& view, float width_px,
                                 std::size_t hovered);

class StepRuler {
 public:
  StepRuler(const std::shared_ptr<const Trace>& trace, WorkerPool& pool, std::function<void()> wake);

  /// Takes the steps or iterations once they are found. Call before the state is placed, because the row of steps needs
  /// room.
  void update(TimelineState& state);
  /// Handles the mouse on the row and, if the timeline has the `keyboard`, the keys that go from step to
  /// step.
  void handle(TimelineState& state, bool keyboard);
  void draw(ImDrawList& list, const TimelineState& state, const Theme& theme) const;
  /// Fits a step into the view; ignores an index that is out of range.
  void show(TimelineState& state, std::size_t step) const;
  /// Returns the ranges of the steps or iterations, sorted by time; empty until they are found.
  std::span<const TimeRange> ranges() const { return ranges_; }
  /// Returns the training steps, without iterations; null until they are found.
  const Steps* steps() const;
  bool complete() const { return !found_.running(); }

 private:
  std::size_t step_at_mouse(const TimelineState& state) const;
  /// Returns the intervals of the row. Call only if `ranges_` is not empty.
  const Steps& shown() const { return found_.value()->steps; }
  bool shows_iterations() const { return !found_.value()->training(); }
  std::string title() const;
  void draw_interval(ImDrawList& list, const TimelineState& state, const StepMark& mark,
                     const Theme& theme) const;
  void draw_tooltip(std::size_t step, const std::string& device, const Theme& theme) const;
  void draw_step_lines(const Step& step, const std::string& device, const Theme& theme) const;

  BackgroundResult<RulerSteps> found_;
  std::vector<TimeRange> ranges_;
  std::size_t hovered_ = Steps::kNone;
};

}  // namespace kino
