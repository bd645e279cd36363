// The overview strip: GPU and CPU load over the whole trace, its steps, and the visible range.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include <imgui.h>

#include "app/system/background_result.hpp"
#include "app/ui/view/overview_heights.hpp"
#include "app/ui/view/overview_map.hpp"
#include "app/ui/view/timeline_state.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/base/worker_pool.hpp"
#include "core/trace/timeline/busy_profile.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Draws the overview strip. The load is computed on the pool, and again when the width changes.
class OverviewStrip {
 public:
  OverviewStrip(std::shared_ptr<const Trace> trace, WorkerPool& pool, std::function<void()> wake);

  /// Handles the mouse over the strip: clicks, drags and the wheel change the view. Requests the load for the
  /// current width.
  void handle(TimelineState& state);
  /// A marked range, such as the worst example of a finding.
  struct Mark {
    TimeRange range;
    std::uint32_t color = 0;
    std::string text;  ///< line of the tooltip inside the range
  };
  /// Draws the strip into boxes.overview, with the legend on its left. `steps`: ranges of the steps, sorted
  /// by time, which get ticks. `hits`: numbers of search hits in bins of equal width, or empty.
  void draw(ImDrawList& list, const TimelineState& state, std::span<const TimeRange> steps,
            std::span<const std::uint32_t> hits, const std::optional<Mark>& mark, const Theme& theme);
  /// Returns the number of columns of the strip, in framebuffer px.
  std::uint32_t columns() const { return wanted_columns_; }
  /// Returns whether the drawn columns were computed for the current width.
  bool complete() const { return !profile_.running(); }

 private:
  struct Profile {
    std::shared_ptr<const BusyIndex> index;  // index that is built once and reused when the width changes
    std::vector<OverviewColumn> columns;
    float most_threads = 0;  // largest number of busy threads in a column; full height, if at least 1
  };

  static Profile computed(const Trace& trace, std::shared_ptr<const BusyIndex> index, std::uint32_t columns,
                          const std::stop_token& stop);
  void update(const TimelineState& state);
  void draw_columns(ImDrawList& list, const TimelineState& state, const Theme& theme);
  void draw_brush(ImDrawList& list, const TimelineState& state, const Theme& theme) const;
  void draw_legend(ImDrawList& list, const TimelineState& state, const Theme& theme) const;
  void draw_mark(ImDrawList& list, const TimelineState& state, const Mark& mark) const;
  void draw_tooltip(const TimelineState& state, const std::optional<Mark>& mark, const Theme& theme) const;

  std::shared_ptr<const Trace> trace_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  BackgroundResult<Profile> profile_;
  std::uint32_t wanted_columns_ = 0;
  OverviewMap map_;
  OverviewDrag drag_;
  std::vector<OverviewHeights> heights_;  // heights of the profile's columns
  int gpu_px_ = 0;
  int cpu_px_ = 0;
  bool heights_stale_ = true;
  bool hovered_ = false;
};

}  // namespace kino
