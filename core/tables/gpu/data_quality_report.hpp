// Data quality of a trace: work without its launch, launches without work, implausible clocks, and the share
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
  gpu_work_without_launch,  ///< kernels, copies and memsets launched outside of the trace
  launch_without_gpu_work,  ///< calls that start GPU work without any recorded work (lost, or still pending)
  gpu_side_missing,         ///< launches without GPU work, in a trace without any GPU work
  kernels_missing,          ///< launches without GPU work, in a trace without any kernel
  transfer_without_gpu_work,  ///< copies and memsets without GPU work: maybe of zero bytes, which run
                              ///< nothing
  captured_launch,            ///< launches that a graph captured instead of running them
  step_without_gpu_work,      ///< steps with launches but without recorded GPU work
  step_without_launch,        ///< steps without launches of kernels or graphs, although other steps have some
  start_before_launch,        ///< GPU work that starts before its launch: the clocks disagree
  stream_overlap,             ///< GPU work that overlaps or contains other work of its stream
  thread_overlap,             ///< slices of threads that are not nested, shown in a further lane
  graph_launch,               ///< launches of whole graphs: one call, many kernels
  no_rank,                    ///< a trace with collectives that does not contain its rank
};
inline constexpr int kQualityFindingCount = static_cast<int>(QualityFinding::no_rank) + 1;

/// Returns "GPU work without a launch in the trace", ..., for `info` and logs.
msg::Id text_of(QualityFinding finding);
/// Returns the text for a count: "launch without GPU work" for one.
msg::Id text_of(QualityFinding finding, std::uint64_t count);
/// Part of a sentence: the consequence for the numbers.
msg::Id meaning_of(QualityFinding finding);

/// One kind of finding; only kinds that occur are reported.
struct DataQualityLine {
  QualityFinding finding{};
  std::uint64_t count = 0;
  std::uint64_t of = 0;          ///< total number of that kind; 0: not applicable
  std::int64_t duration_ns = 0;  ///< sum of their time, if meaningful
  SliceId first = kNoSlice;      ///< first case by start
};

/// Launch side of a recording.
enum class LaunchSide : std::uint8_t {
  counted,   ///< some launches should have GPU work
  captured,  ///< there are launches, all captured into graphs
  unknown,   ///< the CPU was recorded, but none of its events is known to launch work
  none,      ///< the CPU was not recorded
};

struct DataQualityReport {
  std::vector<DataQualityLine> lines;   ///< in order of QualityFinding
  std::uint64_t gpu_work = 0;           ///< kernels, copies, memsets
  std::int64_t gpu_work_ns = 0;         ///< without work that outlasts the recording, see DoubtfulWork
  std::int64_t linked_gpu_work_ns = 0;  ///< part with a known launch
  LaunchCounts launches;                ///< for the whole trace
  LaunchSide launch_side = LaunchSide::none;
  std::int64_t reliable_ns = 0;        ///< length of the trace without work that outlasts the recording
  std::uint64_t outlasting_work = 0;   ///< GPU work that outlasts the recording
  bool programmatic_launches = false;  ///< supported by the device: kernels may start before the previous
                                       ///< one ends
  std::uint64_t spilled = 0;   ///< cases of DamageReason::overlap_spilled within the lines on overlaps
  std::vector<Message> notes;  ///< on the recorder; see recorder_notes.hpp

  /// Share of GPU time with a known launch, and so a known operator: the coverage of tables by operator.
  /// nullopt without GPU time.
  std::optional<double> covered_gpu_time() const;
  /// Share of launches with known GPU work, as LaunchTally::covered(). nullopt without launches.
  std::optional<double> covered_launches() const { return launches.all.covered(); }
};

/// Meaning of a finding in this trace. Fewer causes are possible without programmatic launches or without any
/// launch in the trace.
msg::Id meaning_of(QualityFinding finding, const DataQualityReport& report);
/// Whether no call in the trace is known to launch work.
constexpr bool knows_no_launch(LaunchSide side) {
  return side == LaunchSide::unknown || side == LaunchSide::none;
}

/// O(slices), one thread: 120 ms for 10 M slices.
DataQualityReport data_quality_report(const Trace& trace, const std::stop_token& stop = {});

}  // namespace kino
