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

/// Starts with the values of IdleCause, in its order. The work after the gap determines the cause.
/// `end_of_work`: none follows. `unknown_launch`: its launch is not in the trace. `host_wait`: at least half
/// of the gap passed before the launch call returned, see launched_at(). `unknown`: see mark_lost_work().
enum class GapCause : std::uint8_t { host_wait, kernel_wait, other, end_of_work, unknown_launch, unknown };
msg::Id text_of(GapCause cause);

/// Position of a gap in the requested window. A gap that fills the window is `before_first`.
enum class GapPosition : std::uint8_t { before_first, between, after_last };
msg::Id text_of(GapPosition place);

struct GpuGap {
  TimeRange range;            ///< within the window
  std::uint32_t process = 0;  ///< GPU, index into Trace::processes
  TrackId track = kNoTrack;   ///< stream, for a gap of one stream
  GapPosition place = GapPosition::between;
  GapCause cause = GapCause::other;
  std::int64_t ran_dry_ns = 0;  ///< end of the work before, possibly before the window; begin of the window
                                ///< if there is none
  SliceId before = kNoSlice;    ///< last work to end before the gap, possibly outside the window; or
                                ///< kNoSlice
  SliceId after = kNoSlice;     ///< first work to start after the gap, possibly outside the window; or
                                ///< kNoSlice
};

/// Window of a whole trace: from the begin of its first step, or of its first event without steps, to the end
/// of the last step or GPU work. `requested` itself if it is only a part of the trace.
TimeRange gap_window(const Trace& trace, const GpuWork& work, const Steps& steps, TimeRange requested);

/// Intervals of `window` without kernels, copies or memsets on a GPU, for each GPU with work in the trace; by
/// GPU, then by time. Together with the work they fill the window. `work` is for the window. O(work log
/// streams).
std::vector<GpuGap> gpu_gaps(const Trace& trace, const GpuWork& work, TimeRange window,
                             const std::stop_token& stop = {});
/// Gaps of each stream, only between its first and last work: a stream that is used rarely delays nothing.
/// O(work).
std::vector<GpuGap> stream_gaps(const Trace& trace, const GpuWork& work, TimeRange window,
                                const std::stop_token& stop = {});

enum class GapGrouping : std::uint8_t { gpu, stream };
/// Table `gaps`: one row per gap, longest first. With `stream`, only gaps of the streams with that number.
/// `base` is the base of the summary's shares and defines the request; a note names both windows.
Table gap_table(const Trace& trace, const GpuWork& work, const Steps& steps, TimeRange requested,
                GapGrouping grouping, const TimeBase& base,
                const std::optional<std::string>& stream = std::nullopt, const std::stop_token& stop = {});

extern const TableKind<GpuParts> kGapTable;

}  // namespace kino
