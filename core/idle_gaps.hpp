// Why each GPU stream was idle: its gaps by cause, with what the CPU did meanwhile.
#pragma once

#include <array>
#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/gpu_work.hpp"
#include "core/table.hpp"
#include "core/trace.hpp"

namespace kino {

/// HTA's causes (ANALYSES 2.5; HTA f4d0062c, idle time breakdown), with two differences: the gap begins where
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
  std::array<Sum, 3> causes{};       ///< by IdleCause
  Sum unknown_launch;                ///< the part of kernel_wait and other whose launch is not in the trace
  SliceId longest_after = kNoSlice;  ///< what follows the longest gap
  std::int64_t longest_ns = 0;

  std::int64_t total_ns() const { return causes[0].total_ns + causes[1].total_ns + causes[2].total_ns; }
};

std::string_view text_of(IdleCause cause);

/// Gaps between the work of one stream, in order of time. Before its first work there is none. O(work).
std::vector<IdleGap> idle_gaps(const Trace& trace, const StreamWork& stream, TimeRange range);
/// By stream, in display order; without those that have no gap.
std::vector<StreamIdle> idle_by_stream(const Trace& trace, const GpuWork& work, TimeRange range,
                                       const std::stop_token& stop = {});

/// The innermost CPU slice at `time_ns` on the thread that launched `gpu_slice`; kNoSlice without. O(lanes
/// log slices).
SliceId cpu_frame_at(const Trace& trace, SliceId gpu_slice, std::int64_t time_ns);

/// `idle`: a row a stream.
Table idle_table(const Trace& trace, const std::vector<StreamIdle>& streams);
/// `gaps`: a row a gap, the longest first, at most `limit`.
Table gap_table(const Trace& trace, const GpuWork& work, TimeRange range, std::size_t limit = 1000,
                const std::stop_token& stop = {});

}  // namespace kino
