// Why each GPU stream was idle: its gaps by cause, with what the CPU did meanwhile.
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

/// HTA's causes (README.md, Idle time), with two differences: the gap begins where
/// everything before has ended, and work without a launch in the trace does not take the first event of the
/// file for its launch.
enum class IdleCause : std::uint8_t {
  host_wait,    ///< the next work was launched after the stream had run dry
  kernel_wait,  ///< launched before; the gap is shorter than kKernelWait
  other,        ///< launched before, but a longer gap: it waited for another stream, or for its resources
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
  std::array<Sum, 3> causes{};       ///< by IdleCause, as HTA counts them
  std::array<Sum, 3> unlaunched{};   ///< the part of `causes` before work whose launch is not in the trace
  Sum unknown_launch;                ///< the sum of `unlaunched`
  SliceId longest_after = kNoSlice;  ///< what follows the longest gap
  std::int64_t longest_ns = 0;

  /// Gaps with this cause before work whose launch is in the trace.
  Sum known(IdleCause cause) const {
    const auto at = static_cast<std::size_t>(cause);
    return {causes[at].total_ns - unlaunched[at].total_ns, causes[at].gaps - unlaunched[at].gaps};
  }
  std::int64_t total_ns() const { return causes[0].total_ns + causes[1].total_ns + causes[2].total_ns; }
};

msg::Id text_of(IdleCause cause);

/// When the call that launches `work` had returned, within [begin_ns, end_ns]. An idle GPU waits for the
/// launch until then; afterwards the launched work waits for something else. `begin_ns` if the launch is
/// unknown.
std::int64_t launched_at(const Trace& trace, SliceId work, std::int64_t begin_ns, std::int64_t end_ns);

/// The cause of a gap that begins at `ran_dry_ns` and that `after` ends.
IdleCause idle_cause(const Trace& trace, SliceId after, std::int64_t ran_dry_ns);

/// Calls visit(gap) for each gap between the work of the stream in order of time, cut to the range: nothing
/// may be left of it. Before its first work there is none. O(work).
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

/// By stream, in display order; without those that have no gap.
std::vector<StreamIdle> idle_by_stream(const Trace& trace, const GpuWork& work, TimeRange range,
                                       const std::stop_token& stop = {});

/// `idle`: a row a stream.
Table idle_table(const Trace& trace, const std::vector<StreamIdle>& streams);

extern const TableKind<GpuParts> kIdleTable;

}  // namespace kino
