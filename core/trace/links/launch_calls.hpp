// Calls that start GPU work, recognized by the kind and name of the slice, and the outcome of each call.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Kind of work that a call starts on the device. `none`: the call starts no work on it.
enum class LaunchKind : std::uint8_t { none, kernel, transfer, graph };
inline constexpr std::size_t kLaunchKindCount = 4;

/// Interface that a call belongs to. `other`: NPUs, MTIA and the rest.
enum class DeviceApi : std::uint8_t { cuda, hip, xpu, musa, other };
inline constexpr std::size_t kDeviceApiCount = 5;

/// Returns the kind of work that a runtime or driver call of this name starts: launches of kernels and
/// graphs, asynchronous copies and memsets. Any maker's prefix is accepted (cuda, cu, hip, musa, mu, aclrt,
/// tops, ...); Unified Runtime (ur*), Level Zero (ze*) and MTIA have different names. Calls that launch
/// functions of the host (cudaLaunchHostFunc) start no GPU work.
LaunchKind launch_kind(std::string_view call_name);
/// Whether a call of this name launches a graph.
inline bool launches_graph(std::string_view call_name) { return launch_kind(call_name) == LaunchKind::graph; }
DeviceApi device_api(std::string_view call_name);

/// Finds the launches of a trace. Thread-safe once constructed.
class LaunchCalls {
 public:
  /// O(names). The trace must outlive this object.
  explicit LaunchCalls(const Trace& trace);

  /// Returns the kind of work that a slice starts. It is `none` unless the name of a runtime or driver call
  /// implies that it starts GPU work, or a CPU slice has recorded GPU work. A CPU sample or a Python function
  /// of the same name is not a call. A driver call within the runtime's launch is part of that launch, and so
  /// is a second record of the same call; both are `none`.
  LaunchKind kind_of(SliceId slice) const;
  /// Returns the launch that the slice is a part of: the slice itself, or the outermost launch around it that
  /// it implements. Considers at most four calls around the slice. Returns kNoSlice if the slice starts no
  /// work.
  SliceId launch_of(SliceId slice) const;
  DeviceApi api_of(SliceId slice) const;

 private:
  LaunchKind own_kind(SliceId slice) const;

  const Trace& trace_;
  std::vector<LaunchKind> by_name_;
};

/// Count and summed duration of calls, and the first call by start.
struct CallSum {
  std::uint64_t count = 0;
  std::int64_t duration_ns = 0;
  SliceId first = kNoSlice;
};

/// Launches by outcome: `calls` is the sum of the other four.
struct LaunchTally {
  CallSum calls;
  CallSum with_work;  ///< launches with some GPU work in the trace
  CallSum captured;   ///< recorded into a graph instead of running; may run when the graph is launched
  /// Copies and memsets without work in a trace with GPU work. They have zero bytes and run nothing, or their
  /// work was lost; the trace does not distinguish these cases.
  CallSum transfers_without_work;
  CallSum without_work;  ///< all other launches: their work was lost, or ran after the recording ended

  /// Returns the share of launches with GPU work among the launches that certainly should have some. Empty if
  /// there are no such launches.
  std::optional<double> covered() const;
};

/// Counts of launches. Definitions: README.md, Launches.
struct LaunchCounts {
  LaunchTally all;
  std::array<LaunchTally, kLaunchKindCount> by_kind;  ///< LaunchKind::none is empty
  std::array<LaunchTally, kDeviceApiCount> by_api;
  std::uint64_t gpu_work = 0;  ///< kernels, copies and memsets of the whole trace, with or without a launch
  std::uint64_t kernels = 0;   ///< number of kernels in gpu_work

  const LaunchTally& of(LaunchKind kind) const { return by_kind[static_cast<std::size_t>(kind)]; }
  const LaunchTally& of(DeviceApi api) const { return by_api[static_cast<std::size_t>(api)]; }
  /// Whether the trace has no GPU work at all, although calls started some.
  bool gpu_side_missing() const { return gpu_work == 0 && all.without_work.count > 0; }
  /// Whether the trace has no kernel, although calls launched some. It may have copies.
  bool kernels_missing() const;
  /// Whether launches of this interface lost their work, and no launch of it has work in the trace.
  bool missing(DeviceApi api) const;
  /// Whether so much GPU work was lost that idle times are unknown. This holds if all GPU work or all kernels
  /// were lost. It also holds if more than kLostShare of the kernel launches, or of the graph launches, lost
  /// their work.
  bool idle_unknown() const;

  static constexpr double kLostShare = 0.05;
};

/// Counts launches that start in `range`; see whole_range(). A launch without GPU work is captured if its
/// thread was capturing a stream at that time. A capture lasts from *StreamBeginCapture to *StreamEndCapture,
/// which another thread may call. If only one of them was recorded, the capture lasts from the start or to
/// the end of the recording. O(slices), one thread: 60 ms for 10 M.
LaunchCounts count_launches(const Trace& trace, TimeRange range, const std::stop_token& stop = {});

/// One capture of a stream. Another thread may end it.
struct StreamCapture {
  TimeRange range;         ///< within the trace
  TrackId first_thread{};  ///< thread that began it; if that was not recorded, the thread that ended it
  TrackId last_thread{};   ///< thread that ended it; if that was not recorded, the thread that began it
};

/// Captures of streams into graphs, and the launches that were recorded instead of running.
struct CapturedWork {
  std::vector<TimeRange> times;         ///< times of the captures of all threads, united
  std::vector<SliceId> launches;        ///< launches counted as captured, sorted
  std::vector<StreamCapture> captures;  ///< in order of begin
};
/// Returns the captures of a trace. If there are none, returns an empty result in O(names).
CapturedWork captured_work(const Trace& trace, const std::stop_token& stop = {});

/// Returns the start times of the launches whose work was lost (LaunchTally::without_work), sorted. Empty
/// unless LaunchCounts::idle_unknown(). O(slices), and a sort of the result.
std::vector<std::int64_t> lost_launches(const Trace& trace, const std::stop_token& stop = {});

/// Returns a note such as "20 of 22 launches have no GPU work in the trace. No kernel was recorded."; empty
/// if no work was lost. If there are launches of copies and memsets, but none of them is lost, the note
/// counts "launches of kernels or graphs".
Message lost_note(const LaunchCounts& counts);
/// Returns a note such as "5 of 6 launches were captured into graphs. ..."; empty if no launch was captured.
Message captured_note(const LaunchCounts& counts);

}  // namespace kino
