// When a whole GPU did nothing: its gaps from the first to the last moment of a window, their causes, and
// what the CPU did meanwhile.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
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

/// Begins with IdleCause, in its order. The work that ends the gap decides: `end_of_work` has none behind it,
/// and the launch of `unknown_launch` is not in the trace. A gap is a host wait if at least half of it passed
/// before the launch call had returned, see launched_at(). `unknown`: see mark_lost_work().
enum class GapCause : std::uint8_t { host_wait, kernel_wait, other, end_of_work, unknown_launch, unknown };
msg::Id text_of(GapCause cause);

/// Where a gap lies in the window that was asked for. One that fills all of it counts as before the first.
enum class GapPlace : std::uint8_t { before_first, between, after_last };
msg::Id text_of(GapPlace place);

struct GpuGap {
  TimeRange range;            ///< within the window
  std::uint32_t process = 0;  ///< of the GPU, index into Trace::processes
  TrackId track = kNoTrack;   ///< of one stream's gap
  GapPlace place = GapPlace::between;
  GapCause cause = GapCause::other;
  std::int64_t ran_dry_ns = 0;  ///< when the work before it ended, maybe before the window; without any, the
                                ///< window's begin
  SliceId before = kNoSlice;    ///< what ended last before it, also outside the window; kNoSlice: nothing
  SliceId after = kNoSlice;     ///< what starts first behind it, also outside the window; kNoSlice: nothing
};

/// The window of a whole trace: from its first step's begin, or its first event when it has no steps, to the
/// end of the last step or of the last GPU work, whichever is later. `asked` itself when it is not
/// everything.
TimeRange gap_window(const Trace& trace, const GpuWork& work, const Steps& steps, TimeRange asked);

/// All moments of `window` in which no kernel, copy or memset of a GPU runs, for each GPU that has GPU work
/// in the trace; by GPU, then in order of time. They and the union of the work fill the window. `work` is
/// that of the window. O(work log streams).
std::vector<GpuGap> gpu_gaps(const Trace& trace, const GpuWork& work, TimeRange window,
                             const std::stop_token& stop = {});
/// The gaps of each stream on its own, but only between its first and last work: a stream that is used now
/// and then waits for no one. O(work).
std::vector<GpuGap> stream_gaps(const Trace& trace, const GpuWork& work, TimeRange window,
                                const std::stop_token& stop = {});

/// What a row of gaps is of.
enum class GapGrouping : std::uint8_t { gpu, stream };
/// `gaps`: a row a gap, the longest first. With `stream`, of the streams of that number. `base` is what the
/// summary's shares are of, and tells what was asked for: a note names both windows.
Table gap_table(const Trace& trace, const GpuWork& work, const Steps& steps, TimeRange asked,
                GapGrouping grouping, const TimeBase& base,
                const std::optional<std::string>& stream = std::nullopt, const std::stop_token& stop = {});

extern const TableKind<GpuParts> kGapTable;

}  // namespace kino
