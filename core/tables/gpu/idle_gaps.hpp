// Idle time of each GPU stream: its gaps by cause, and the CPU's activity.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/tables/table.hpp"
#include "core/tables/table_kind.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/trace.hpp"

namespace kino {

class GpuParts;

/// HTA's causes (README.md, Idle time) with two differences. A gap starts when all earlier work of the stream
/// has ended. Work without a recorded launch is not treated as launched by the file's first event.
enum class IdleCause : std::uint8_t {
  host_wait,    ///< the next work was launched after the stream ran dry
  kernel_wait,  ///< the next work was launched earlier, and the gap is shorter than kKernelWaitNs
  other,        ///< the next work was launched earlier, but the gap is longer: the work waited for another
                ///< stream or for resources
};
inline constexpr std::int64_t kKernelWaitNs = 30'000;

struct IdleGap {
  TimeRange range;
  SliceId before = kNoSlice;
  SliceId after = kNoSlice;
  IdleCause cause{};
};

struct StreamIdle {
  struct Sum {
    std::int64_t total_ns = 0;
    std::uint64_t gaps = 0;
  };
  TrackId track{};
  std::array<Sum, 3> causes{};       ///< sums by IdleCause, including `unlaunched`
  std::array<Sum, 3> unlaunched{};   ///< part of `causes` before work without a recorded launch
  Sum unknown_launch;                ///< sum of `unlaunched`
  SliceId longest_after = kNoSlice;  ///< work after the longest gap
  std::int64_t longest_ns = 0;

  /// Returns the sum of gaps with this cause before work with a recorded launch.
  Sum known(IdleCause cause) const {
    const auto at = static_cast<std::size_t>(cause);
    return {causes[at].total_ns - unlaunched[at].total_ns, causes[at].gaps - unlaunched[at].gaps};
  }
  std::int64_t total_ns() const { return causes[0].total_ns + causes[1].total_ns + causes[2].total_ns; }
};

msg::Id text_of(IdleCause cause);

/// Returns the end of the call that launches `work`, clamped to [begin_ns, end_ns]. Until this time, an idle
/// GPU waits for the launch; later, it waits for something else. Returns `begin_ns` if the launch is unknown.
std::int64_t launched_at(const Trace& trace, SliceId work, std::int64_t begin_ns, std::int64_t end_ns);

/// Returns the cause of a gap that starts at `ran_dry_ns` and ends with `after`.
IdleCause idle_cause(const Trace& trace, SliceId after, std::int64_t ran_dry_ns);

/// Calls visit(gap) for each gap between the work of the stream, in order of time. Gaps are clipped to the
/// range, so their range may be empty. Time before the first work is not a gap. O(work).
template <class Visit>
void for_each_gap(const Trace& trace, const StreamWork& stream, TimeRange range, Visit&& visit) {
  SliceId before = kNoSlice;
  std::int64_t end = 0;
  for (const SliceId slice : stream.slices) {
    const std::int64_t start = trace.start_ns(slice);
    if (before != kNoSlice && start > end)
      visit(IdleGap{clipped(range, end, start), before, slice, idle_cause(trace, slice, end)});
    if (before == kNoSlice || trace.end_ns(slice) >= end) {
      end = trace.end_ns(slice);
      before = slice;
    }
  }
}

/// Returns the idle time of each stream, in display order. Streams without a gap in the range are omitted.
std::vector<StreamIdle> idle_by_stream(const Trace& trace, const GpuWork& work, TimeRange range,
                                       const std::stop_token& stop = {});

/// Table `idle`: one row per stream.
Table idle_table(const Trace& trace, const std::vector<StreamIdle>& streams);

extern const TableKind<GpuParts> kIdleTable;

}  // namespace kino
