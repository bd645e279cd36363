// What a trace cannot say: work without its launch, launches without work, odd clocks and the share of the
// trace that this leaves for the numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace/trace.hpp"

namespace kino {

enum class TrustFinding : std::uint8_t {
  gpu_work_without_launch,  ///< kernels, copies and memsets whose launch lies outside the trace
  launch_without_gpu_work,  ///< calls that start GPU work, of which none was recorded (lost, or still to run)
  step_without_gpu_work,    ///< training steps that launch nothing although others do
  start_before_launch,      ///< GPU work that starts before its launch does: the clocks disagree
  stream_overlap,           ///< GPU work that overlaps other work of its stream, which runs in order
  thread_overlap,           ///< CPU slices that overlap their track's nesting, shown in a further lane
  graph_launch,             ///< launches of whole graphs: one call, many kernels
  no_rank,                  ///< a trace with collectives that does not say which rank it is of
};
inline constexpr int kTrustFindingCount = static_cast<int>(TrustFinding::no_rank) + 1;

/// "GPU work without a launch in the trace": for `info` and logs.
std::string_view text_of(TrustFinding finding);
/// A sentence on what it means for the numbers.
std::string_view meaning_of(TrustFinding finding);

/// One kind of finding; only what occurs is reported.
struct TrustLine {
  TrustFinding finding{};
  std::uint64_t count = 0;
  std::uint64_t of = 0;          ///< how many there are of that kind altogether; 0: nothing to compare with
  std::int64_t duration_ns = 0;  ///< their summed time, where that says something
  SliceId first = kNoSlice;      ///< the first case by start
};

struct TrustReport {
  std::vector<TrustLine> lines;  ///< in order of TrustFinding
  std::uint64_t gpu_work = 0;    ///< kernels, copies, memsets
  std::int64_t gpu_work_ns = 0;
  std::int64_t linked_gpu_work_ns = 0;  ///< of those whose launch is known
  std::uint64_t launches = 0;           ///< calls that start GPU work
  std::uint64_t linked_launches = 0;    ///< of those with recorded work
  std::vector<std::string> notes;       ///< of the recorder; see recorder_notes.hpp

  /// The share of GPU time whose launch, and so operator, is known: what tables by operator cover. Empty
  /// without GPU time.
  std::optional<double> covered_gpu_time() const;
  std::optional<double> covered_launches() const;
};

/// Whether a call of this name starts work on a GPU: kernel and graph launches, asynchronous copies and
/// memsets of CUDA, its driver, and HIP.
bool starts_gpu_work(std::string_view call_name);
/// Whether it launches a graph.
bool launches_graph(std::string_view call_name);

/// O(slices), one thread: 60 ms for 10 M slices. Empty when stopped.
TrustReport trust_report(const Trace& trace, const std::stop_token& stop = {});

}  // namespace kino
