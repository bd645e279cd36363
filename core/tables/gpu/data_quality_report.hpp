// Data quality of a trace: work without its launch, launches without work, implausible clocks, and the part
// of the trace that remains reliable.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/trace/links/launch_calls.hpp"
#include "core/trace/trace.hpp"

namespace kino {

enum class QualityFinding : std::uint8_t {
  gpu_work_without_launch,    ///< kernels, copies and memsets launched outside of the trace
  launch_without_gpu_work,    ///< calls whose GPU work was not recorded (lost, or still pending)
  gpu_side_missing,           ///< launches in a trace without any GPU work
  kernels_missing,            ///< launches without GPU work, in a trace that has no kernels
  transfer_without_gpu_work,  ///< copy and memset calls without GPU work; possibly of zero bytes, which run
                              ///< nothing
  captured_launch,            ///< launches that a graph captured instead of running them
  step_without_gpu_work,      ///< steps with launches but without recorded GPU work
  step_without_launch,        ///< steps without launches of kernels or graphs, although other steps have some
  start_before_launch,        ///< GPU work that starts before its launch: the clocks disagree
  stream_overlap,             ///< GPU work that overlaps or contains other work of its stream
  thread_overlap,             ///< slices of a thread that overlap without nesting, shown in an additional
                              ///< lane
  graph_launch,               ///< launches of whole graphs: one call, many kernels
  no_rank,                    ///< trace with collectives that does not contain its rank
};
inline constexpr int kQualityFindingCount = static_cast<int>(QualityFinding::no_rank) + 1;

/// Returns "pieces of GPU work without a launch in the trace", ..., for the command `info` and logs.
msg::Id text_of(QualityFinding finding);
/// Returns the text in singular or plural for `count`: "launch without GPU work" for 1.
msg::Id text_of(QualityFinding finding, std::uint64_t count);
/// Returns the consequence of the finding for the figures, as part of a sentence.
msg::Id meaning_of(QualityFinding finding);

/// Occurrences of one kind of finding; only kinds that occur are reported.
struct DataQualityLine {
  QualityFinding finding{};
  std::uint64_t count = 0;
  std::uint64_t of = 0;          ///< total that `count` is part of; 0 if not applicable
  std::int64_t duration_ns = 0;  ///< summed time of the occurrences, if meaningful
  SliceId first = kNoSlice;      ///< first occurrence by start
};

/// State of the CPU side of a recording, which contains the launches.
enum class LaunchSide : std::uint8_t {
  counted,   ///< some launches should have GPU work
  captured,  ///< there are launches, all captured into graphs
  unknown,   ///< the CPU was recorded, but none of its events is known to launch work
  none,      ///< the CPU was not recorded
};

struct DataQualityReport {
  std::vector<DataQualityLine> lines;   ///< in order of QualityFinding
  std::uint64_t gpu_work = 0;           ///< kernels, copies, memsets
  std::int64_t gpu_work_ns = 0;         ///< summed time of GPU work, excluding work that outlasts the
                                        ///< recording, see DoubtfulWork
  std::int64_t linked_gpu_work_ns = 0;  ///< part of `gpu_work_ns` with a known launch
  LaunchCounts launches;                ///< launches of the whole trace
  LaunchSide launch_side = LaunchSide::none;
  std::int64_t reliable_ns = 0;        ///< length of the trace, excluding work that outlasts the recording
  std::uint64_t outlasting_work = 0;   ///< number of pieces of GPU work that outlast the recording
  bool programmatic_launches = false;  ///< whether the devices are NVIDIA GPUs, on which a kernel may start
                                       ///< before the previous one ends
  std::uint64_t spilled = 0;   ///< number of cases of DamageReason::overlap_spilled included in the lines on
                               ///< overlaps
  std::vector<Message> notes;  ///< notes on the profiler that recorded the trace; see recorder_notes.hpp

  /// Returns the share of GPU time with a known launch, which tables by operator can cover. nullopt if there
  /// is no GPU time.
  std::optional<double> covered_gpu_time() const;
  /// Returns the share of launches with known GPU work, see LaunchTally::covered(). nullopt if there are no
  /// launches.
  std::optional<double> covered_launches() const { return launches.all.covered(); }
};

/// Returns the meaning of a finding in this trace. Fewer causes are possible if the device does not support
/// programmatic launches or the trace contains no launches.
msg::Id meaning_of(QualityFinding finding, const DataQualityReport& report);
/// Whether no call in the trace is known to launch work.
constexpr bool knows_no_launch(LaunchSide side) {
  return side == LaunchSide::unknown || side == LaunchSide::none;
}

/// Creates the report. O(slices), in one thread: 120 ms for 10 M slices.
DataQualityReport data_quality_report(const Trace& trace, const std::stop_token& stop = {});

}  // namespace kino
