// The activity of the CPU during a gap of a GPU, and the reason for the gap that follows from it.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string_view>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/tables/gpu/gpu_gaps.hpp"
#include "core/trace/trace.hpp"

namespace kino {

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

/// Facts of a whole trace that limit the reasons for its gaps.
struct GapFacts {
  std::vector<TimeRange> captures;             ///< of streams into graphs: disjoint and in order
  std::vector<std::int64_t> lost_launches_ns;  ///< lost_launches(), sorted
  bool python_unrecorded = false;              ///< PyTorch's trace without a Python frame
};
/// O(slices). Empty when stopped.
GapFacts gap_facts(const Trace& trace, const std::stop_token& stop = {});

/// Sets the cause of gaps that may be filled with work that was not recorded to GapCause::unknown: such work
/// was launched between the work before and the work after the gap. O(gaps log launches).
void mark_lost_work(const Trace& trace, std::vector<GpuGap>& gaps, const GapFacts& facts);

/// Activity of the thread that launched the work behind the gap (or before it, if there is none or its launch
/// is unknown). If little is recorded of that thread, another thread of its process that launches work is
/// taken: the one with most recorded time.
struct CpuMeanwhile {
  TrackId thread = kNoTrack;
  NameId name{};     ///< with the most time of its own; only when `thread` is known and share > 0
  double share = 0;  ///< of the gap
  msg::Id meaning = msg::nothing;  ///< one sentence on why the GPU had nothing to do
};
/// O(lanes of the thread * log slices + slices in the gap).
CpuMeanwhile cpu_meanwhile(const Trace& trace, const GpuGap& gap, const LaunchingThreads& launching,
                           const GapFacts& facts = {});

}  // namespace kino
