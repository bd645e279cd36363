// Idle time of each GPU by reason in any interval, for the idle bands on the timeline at every zoom level.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/trace/links/busy_time.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Reason for idle time: rows of the ledger that have the same meaning for a reader of the timeline.
enum class IdleReason : std::uint8_t {
  loader,          ///< StepRow::idle_loader
  late_launch,     ///< the rows idle_lock, idle_dispatch, idle_python and idle_silent
  launching,       ///< StepRow::idle_launch
  sync,            ///< StepRow::idle_sync
  malloc,          ///< StepRow::idle_malloc
  gc,              ///< StepRow::idle_gc
  before_first,    ///< late_launch, launching or unknown_launch before the first work of the GPU
  unknown_launch,  ///< StepRow::idle_unknown
  unrecorded,      ///< any time, if LaunchCounts::idle_unknown()
  tail,            ///< StepRow::idle_tail
};
inline constexpr std::size_t kIdleReasonCount = static_cast<std::size_t>(IdleReason::tail) + 1;

/// Idle time of one GPU. Takes about 12 bytes per gap.
struct GpuIdle {
  std::uint32_t process = 0;                       ///< index into Trace::processes
  BusyLine gaps;                                   ///< all idle time
  std::array<BusyLine, kIdleReasonCount> reasons;  ///< by IdleReason; disjoint; their union is `gaps`

  const BusyLine& line(IdleReason reason) const { return reasons[static_cast<std::size_t>(reason)]; }
  /// A range of one reason.
  struct Part {
    TimeRange range;
    IdleReason reason{};
  };
  /// Positions at which searches start, by reason. The caller keeps them between calls with ascending times.
  using Near = std::array<std::size_t, kIdleReasonCount>;
  /// Returns the part that contains a time; nullopt if the GPU is busy. O(reasons * log(parts between the
  /// result and `near`)).
  std::optional<Part> part_at(std::int64_t time_ns, Near& near) const;
};

/// Returns the idle time of each GPU with work, in display order, within gap_window() of the whole trace.
/// Empty if there is no GPU work. O(work log streams + slices of launching threads) per GPU.
std::vector<GpuIdle> gpu_idle(const Trace& trace, const std::stop_token& stop = {});

}  // namespace kino
