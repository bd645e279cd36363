// When a whole GPU did nothing: its gaps from the first to the last moment of a window, their causes, and
// what the CPU did meanwhile.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/gpu/time_base.hpp"
#include "core/relations/gpu_work.hpp"
#include "core/table/table.hpp"
#include "core/table/table_kind.hpp"
#include "core/trace/steps.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Named as IdleCause, in its order, for the work that ends the gap; `end_of_work` has none behind it. A gap
/// is a host wait if at least half of it passed before the launch call had returned, see launched_at().
enum class GapCause : std::uint8_t { host_wait, kernel_wait, other, end_of_work };
std::string_view text_of(GapCause cause);

/// Where a gap lies in the window that was asked for. One that fills all of it counts as before the first.
enum class GapPlace : std::uint8_t { before_first, between, after_last };
std::string_view text_of(GapPlace place);

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

/// The threads that launch GPU work anywhere in a trace, those with most of it first, at most 16.
class LaunchingThreads {
 public:
  LaunchingThreads() = default;
  /// O(GPU slices).
  explicit LaunchingThreads(const Trace& trace, const std::stop_token& stop = {});
  const std::vector<TrackId>& threads() const { return threads_; }

 private:
  std::vector<TrackId> threads_;
};

/// What the thread did in a gap that launched the work behind it (or before it, when there is none or its
/// launch is not known). Where little is recorded of that one, another of its process that launches work may
/// be what was waited for: the one of which most is.
struct CpuMeanwhile {
  TrackId thread = kNoTrack;
  NameId name{};             ///< with the most time of its own; only when `thread` is known and share > 0
  double share = 0;          ///< of the gap
  std::string_view meaning;  ///< one sentence on why the GPU had nothing to do
};
/// O(lanes of the thread * log slices + slices in the gap).
CpuMeanwhile cpu_meanwhile(const Trace& trace, const GpuGap& gap, const LaunchingThreads& launching);

/// What a row of gaps is of.
enum class GapGrouping : std::uint8_t { gpu, stream };
/// `gaps`: a row a gap, the longest first. With `stream`, of the streams of that number. `base` is what the
/// summary's shares are of, and tells what was asked for: a note names both windows.
Table gap_table(const Trace& trace, const GpuWork& work, const Steps& steps, TimeRange asked,
                GapGrouping grouping, const TimeBase& base,
                const std::optional<std::string>& stream = std::nullopt, const std::stop_token& stop = {});

extern const TableKind kGapTable;

}  // namespace kino
