// What a trace cannot say: work without its launch, launches without work, odd clocks and the share of the
// trace that this leaves for the numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/trace/links/launch_calls.hpp"
#include "core/trace/trace.hpp"

namespace kino {

enum class TrustFinding : std::uint8_t {
  gpu_work_without_launch,  ///< kernels, copies and memsets whose launch lies outside the trace
  launch_without_gpu_work,  ///< calls that start GPU work, of which none was recorded (lost, or still to run)
  gpu_side_missing,         ///< the same, in a trace without any GPU work
  kernels_missing,          ///< the same, in a trace without any kernel
  transfer_without_gpu_work,  ///< copies and memsets without GPU work: maybe of zero bytes, which run nothing
  captured_launch,            ///< launches that a graph recorded instead of running them
  step_without_gpu_work,      ///< training steps with launches of which no GPU work was recorded
  step_without_launch,  ///< training steps without any launch of a kernel or graph, although others have some
  start_before_launch,  ///< GPU work that starts before its launch does: the clocks disagree
  stream_overlap,       ///< GPU work that overlaps, or wholly contains, other work of its stream
  thread_overlap,       ///< slices of threads that overlap their track's nesting, shown in a further lane
  graph_launch,         ///< launches of whole graphs: one call, many kernels
  no_rank,              ///< a trace with collectives that does not say which rank it is of
};
inline constexpr int kTrustFindingCount = static_cast<int>(TrustFinding::no_rank) + 1;

/// "GPU work without a launch in the trace": for `info` and logs.
msg::Id text_of(TrustFinding finding);
/// The same for a count of them: "launch without GPU work" for one.
msg::Id text_of(TrustFinding finding, std::uint64_t count);
/// Part of a sentence on what it means for the numbers.
msg::Id meaning_of(TrustFinding finding);

/// One kind of finding; only what occurs is reported.
struct TrustLine {
  TrustFinding finding{};
  std::uint64_t count = 0;
  std::uint64_t of = 0;          ///< how many there are of that kind altogether; 0: nothing to compare with
  std::int64_t duration_ns = 0;  ///< their summed time, where that says something
  SliceId first = kNoSlice;      ///< the first case by start
};

/// State of the launch side of a recording.
enum class LaunchSide : std::uint8_t {
  counted,   ///< some should have GPU work
  captured,  ///< there are some, all captured into graphs
  unknown,   ///< the CPU was recorded, and none of its events is known to launch work
  none,      ///< the CPU was not recorded
};

struct TrustReport {
  std::vector<TrustLine> lines;         ///< in order of TrustFinding
  std::uint64_t gpu_work = 0;           ///< kernels, copies, memsets
  std::int64_t gpu_work_ns = 0;         ///< without the work that outlasts the recording, see DoubtfulWork
  std::int64_t linked_gpu_work_ns = 0;  ///< of those whose launch is known
  LaunchCounts launches;                ///< of the whole trace
  LaunchSide launch_side = LaunchSide::none;
  std::int64_t believed_ns = 0;        ///< length of the content without work that outlasts the recording
  std::uint64_t outlasting_work = 0;   ///< GPU work that outlasts the recording
  bool programmatic_launches = false;  ///< the device has them: kernels that start before the one before ends
  std::uint64_t spilled = 0;   ///< cases of DamageReason::overlap_spilled that lines on overlaps contain
  std::vector<Message> notes;  ///< of the recorder; see recorder_notes.hpp

  /// The share of GPU time whose launch, and so operator, is known: what tables by operator cover. Empty
  /// without GPU time.
  std::optional<double> covered_gpu_time() const;
  /// The share of launches whose GPU work is known, as LaunchTally::covered(). Empty without launches.
  std::optional<double> covered_launches() const { return launches.all.covered(); }
};

/// The meaning of a finding in this trace: fewer causes are possible on devices without programmatic
/// launches, and without any launch in the trace.
msg::Id meaning_of(TrustFinding finding, const TrustReport& report);
/// Whether no call in the trace is known to launch work.
constexpr bool knows_no_launch(LaunchSide side) {
  return side == LaunchSide::unknown || side == LaunchSide::none;
}

/// O(slices), one thread: 120 ms for 10 M slices. Empty when stopped.
TrustReport trust_report(const Trace& trace, const std::stop_token& stop = {});

}  // namespace kino
