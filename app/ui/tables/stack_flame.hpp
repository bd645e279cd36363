// The drawer's tab with the flame graph of the marked range or of the whole trace.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "app/system/background_result.hpp"
#include "app/ui/widgets/flame_view.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/base/worker_pool.hpp"
#include "core/tables/operators/trace_flame.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Builds and draws the flame graph of a trace. UI thread only; graphs are built on the pool, and only while
/// the tab is shown.
class StackFlame {
 public:
  StackFlame(std::shared_ptr<const Trace> trace, std::filesystem::path file, WorkerPool& pool,
             const std::function<void()>& wake)
      : trace_(std::move(trace)),
        pool_(pool),
        wake_(wake),
        view_(std::move(file), pool, wake),
        times_(flame_times(*trace_)) {}

  /// Called once per frame. `marked` is the range that the user has marked; nullopt if there is none. The
  /// graph covers this range, unless the user has chosen the whole trace for it in the pane.
  void update(bool shown, std::optional<TimeRange> marked);
  void flip_direction() { view_.flip_direction(); }
  void next_time();
  void start_copy() { view_.start_copy(); }
  /// Draws into a child window of `size`. O(visible boxes).
  void draw(ImVec2 size, const Theme& theme, float ui_scale);

  bool complete() const { return !graph_.running() && view_.complete(); }
  bool wants_frames() const { return view_.wants_frames(); }
  const FlameView& view() const { return view_; }
  /// The query of the graph in view().
  const std::optional<TraceFlameParams>& shown() const { return shown_; }

 private:
  /// Draws a line that names the part of the trace, and a button to choose the other part.
  void draw_scope(const Theme& theme);

  using Answer = std::pair<TraceFlameParams, std::shared_ptr<const FlameGraph>>;

  std::shared_ptr<const Trace> trace_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  FlameView view_;
  std::vector<FlameTime> times_;
  FlameTime time_ = FlameTime::cpu;
  std::optional<TimeRange> marked_;
  bool whole_ = false;  // whether the whole trace is shown although a range is marked
  std::optional<TraceFlameParams> requested_;
  std::optional<TraceFlameParams> shown_;
  BackgroundResult<Answer> graph_;
};

}  // namespace kino
