// CPU activity during an idle gap of a GPU, and the reason for the gap derived from this activity.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/tables/gpu/gpu_gaps.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Threads that launch GPU work anywhere in a trace: at most 16, those with the most pieces of work first.
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
/// Collects the facts on a trace. O(slices).
GapFacts gap_facts(const Trace& trace, const std::stop_token& stop = {});

/// Sets the cause to GapCause::unknown for gaps that may contain unrecorded work: work launched between the
/// launches of the work before and after the gap. Gaps without a following launch keep their cause. O(gaps
/// log launches).
void mark_lost_work(const Trace& trace, std::vector<GpuGap>& gaps, const GapFacts& facts);

/// Activity of the thread that is most likely the cause of a gap. Candidates are the threads that launched
/// the work after and before the gap, and then other launching threads of the same process. The first
/// candidate with events in at least half of the gap is used; if there is none, the candidate with the most
/// recorded time.
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
