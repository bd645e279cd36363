// Bands over the streams of a GPU at times when the GPU was idle, colored by reason, with their durations.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <imgui.h>
#include <nlohmann/json_fwd.hpp>

#include "app/system/background_result.hpp"
#include "app/ui/view/timeline_state.hpp"
#include "app/ui/widgets/ruler.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/base/worker_pool.hpp"
#include "core/tables/gpu/cpu_meanwhile.hpp"
#include "core/tables/gpu/time_base.hpp"
#include "core/tables/ledger/gpu_idle.hpp"
#include "core/trace/links/busy_time.hpp"
#include "render/time_view.hpp"

namespace kino {

/// Draws the bands of a trace and their tooltip. UI thread only. Idle times are found once on the pool, when
/// the bands are first shown. The activity of the CPU in a band is found on the pool when the mouse reaches
/// it.
class IdleBand {
 public:
  IdleBand(std::shared_ptr<const Trace> trace, WorkerPool& pool, std::function<void()> wake)
      : trace_(std::move(trace)), device_(device_word(*trace_)), pool_(pool), wake_(std::move(wake)) {}

  void update(bool wanted);
  bool complete() const { return !times_.running() && !meanwhile_.running(); }
  /// Returns, by IdleReason, whether the trace has idle time of this reason; all false until idle times are
  /// found.
  const std::array<bool, kIdleReasonCount>& reasons() const { return reasons_; }
  /// Draws the idle time of each GPU over its tracks. Labels are in the unit of `ticks`, in the first stream
  /// that is completely in view. `chosen` is the key of the chosen legend entry: bands of other reasons are
  /// dimmed. O(tracks in view), and O(width log gaps) per GPU in view.
  void draw(ImDrawList& list, const TimelineState& state, const RulerScale& ticks,
            std::optional<std::uint32_t> chosen, const Theme& theme) const;
  /// Draws the tooltip of the band under the mouse: the reason, the duration, and the event with the
  /// most self time in the band, with its share. This share can be small. Call once per frame.
  void draw_card(const TimelineState& state, const Theme& theme);
  void write_test_state(nlohmann::ordered_json& json, const TimelineState& state) const;

 private:
  /// A band: idle time of one reason.
  struct Band {
    std::uint32_t process = 0;
    GpuIdle::Part part;
    bool operator==(const Band& other) const {
      return process == other.process && part.range == other.part.range;
    }
  };
  struct Times {
    std::vector<GpuIdle> gpus;
    LaunchingThreads launching;
  };

  const GpuIdle* idle_of(std::uint32_t process) const;
  std::optional<Band> band_at_mouse(const TimelineState& state) const;
  void draw_band(ImDrawList& list, const TimelineState& state, const RulerScale& ticks,
                 const GpuIdle::Part& part, ImVec2 from, ImVec2 to, std::optional<float> label_y, bool dimmed,
                 const Theme& theme) const;

  std::shared_ptr<const Trace> trace_;
  std::string device_;  // see device_word()
  WorkerPool& pool_;
  std::function<void()> wake_;
  BackgroundResult<std::shared_ptr<const Times>> times_;
  std::array<bool, kIdleReasonCount> reasons_{};
  std::optional<Band> asked_;  // band of meanwhile_
  BackgroundResult<CpuMeanwhile> meanwhile_;
};

inline constexpr double kLeastGapPx = 2;
/// Returns the gaps that are in view and at least kLeastGapPx wide, from left to right.
std::vector<TimeRange> visible_gaps(const BusyLine& gaps, const TimeView& view);

/// Calls visit(part, left_px, right_px) for the parts of a gap in view, from left to right, clipped to the
/// view. A part narrower than a px is visited as 1 px wide, and parts that end within this px are left out.
/// O(width * log parts).
template <class Visit>
void visit_idle_parts(const GpuIdle& idle, TimeRange gap, const TimeView& view, GpuIdle::Near& near,
                      const Visit& visit) {
  const double gap_end = view.px_from_ns(static_cast<double>(gap.end_ns));
  const double end = gap_end < view.width_px ? gap_end : view.width_px;
  std::int64_t time_ns = gap.begin_ns;
  if (static_cast<double>(time_ns) < view.begin_ns) time_ns = static_cast<std::int64_t>(view.begin_ns);
  while (time_ns < gap.end_ns) {
    const double from = view.px_from_ns(static_cast<double>(time_ns));
    const double left = from > 0 ? from : 0;
    const std::optional<GpuIdle::Part> part = left < end ? idle.part_at(time_ns, near) : std::nullopt;
    if (!part) return;
    double right = view.px_from_ns(static_cast<double>(part->range.end_ns));
    time_ns = part->range.end_ns;
    if (right < left + 1) {  // parts that end within this px are left out
      right = left + 1;
      const auto next_ns = static_cast<std::int64_t>(view.ns_from_px(right));
      time_ns = next_ns > time_ns ? next_ns : time_ns;
    }
    visit(*part, left, right < end ? right : end);
  }
}

}  // namespace kino
