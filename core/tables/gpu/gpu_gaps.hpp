// Idle intervals of whole GPUs within a window, with their causes and the CPU's activity.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/tables/gpu/time_base.hpp"
#include "core/tables/table.hpp"
#include "core/tables/table_kind.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/steps.hpp"
#include "core/trace/trace.hpp"

namespace kino {

class GpuParts;

/// Cause of a gap, determined by the work after it. The first values are those of IdleCause, in its order.
/// `host_wait`: at least half of the gap passed before the launch call returned, see launched_at().
/// `end_of_work`: no work follows. `unknown_launch`: the launch is not in the trace. `unknown`: see
/// mark_lost_work().
enum class GapCause : std::uint8_t { host_wait, kernel_wait, other, end_of_work, unknown_launch, unknown };
msg::Id text_of(GapCause cause);

/// Position of a gap in the requested window. A gap that fills the window is `before_first`.
enum class GapPosition : std::uint8_t { before_first, between, after_last };
msg::Id text_of(GapPosition place);

struct GpuGap {
  TimeRange range;            ///< the gap, clipped to the window
  std::uint32_t process = 0;  ///< the GPU, as an index into Trace::processes
  TrackId track = kNoTrack;   ///< stream, for a gap of one stream
  GapPosition place = GapPosition::between;
  GapCause cause = GapCause::other;
  std::int64_t ran_dry_ns = 0;  ///< end of the work before the gap, possibly before the window; the start of
                                ///< the window if there is no such work
  SliceId before = kNoSlice;    ///< last work to end before the gap, possibly outside the window; or
                                ///< kNoSlice
  SliceId after = kNoSlice;     ///< first work to start after the gap, possibly outside the window; or
                                ///< kNoSlice
};

/// Returns the window in which the gaps of a whole trace are searched. It lasts from the start of the first
/// step to the end of the last step or GPU work. Without steps, the window contains all events and GPU work.
/// Returns `requested` unchanged if it is only a part of the trace.
TimeRange gap_window(const Trace& trace, const GpuWork& work, const Steps& steps, TimeRange requested);

/// Returns the intervals of `window` without kernels, copies or memsets on a GPU, for each GPU with work in
/// the trace. Sorted by GPU, then by time. Gaps and work together fill the window. `work` is the work in the
/// window. O(work log streams).
std::vector<GpuGap> gpu_gaps(const Trace& trace, const GpuWork& work, TimeRange window,
                             const std::stop_token& stop = {});
/// Returns the gaps of each stream between its first and last work. Time before and after them is not a gap,
/// since a rarely used stream delays nothing. O(work).
std::vector<GpuGap> stream_gaps(const Trace& trace, const GpuWork& work, TimeRange window,
                                const std::stop_token& stop = {});

enum class GapGrouping : std::uint8_t { gpu, stream };
/// Table `gaps`: one row per gap, longest first. With `stream`, only gaps of the streams with that number.
/// `base` is the time base of the summary's shares; a note names it next to the window of the gaps.
Table gap_table(const Trace& trace, const GpuWork& work, const Steps& steps, TimeRange requested,
                GapGrouping grouping, const TimeBase& base,
                const std::optional<std::string>& stream = std::nullopt, const std::stop_token& stop = {});

extern const TableKind<GpuParts> kGapTable;

}  // namespace kino
