// CPU activity during an idle gap of a GPU, and the reason for the gap derived from this activity.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/tables/gpu/gpu_gaps.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Threads that launch GPU work anywhere in a trace, sorted by amount of launched work; at most 16.
class LaunchingThreads {
 public:
  LaunchingThreads() = default;
  /// O(GPU slices).
  explicit LaunchingThreads(const Trace& trace, const std::stop_token& stop = {});
  const std::vector<TrackId>& threads() const { return threads_; }

 private:
  std::vector<TrackId> threads_;
};

/// Facts on the whole trace that limit the possible reasons for gaps.
struct GapFacts {
  std::vector<TimeRange> captures;             ///< intervals of stream captures into graphs, disjoint and in
                                               ///< order of time
  std::vector<std::int64_t> lost_launches_ns;  ///< times of lost_launches(), sorted
  bool python_unrecorded = false;              ///< whether this is a PyTorch trace without Python frames
};
/// Collects these facts. O(slices). Empty when stopped.
GapFacts gap_facts(const Trace& trace, const std::stop_token& stop = {});

/// Sets the cause to GapCause::unknown for gaps that may contain unrecorded work. Such work was launched
/// between the launches of the work before and after the gap. O(gaps log launches).
void mark_lost_work(const Trace& trace, std::vector<GpuGap>& gaps, const GapFacts& facts);

/// Activity of the thread that launched the work after the gap, or before it if the former is unknown. If
/// that thread has few events, the launching thread of its process with the most recorded time is used.
struct CpuMeanwhile {
  TrackId thread = kNoTrack;
  NameId name{};                   ///< event name with the most self time; valid only if `thread` is known
                                   ///< and share > 0
  double share = 0;                ///< share of the gap that is self time of this name
  msg::Id meaning = msg::nothing;  ///< one sentence on the reason for the gap
};
/// Returns the CPU activity during the gap. O(lanes of the thread * log slices + slices in the gap).
CpuMeanwhile cpu_meanwhile(const Trace& trace, const GpuGap& gap, const LaunchingThreads& launching,
                           const GapFacts& facts = {});

}  // namespace kino
