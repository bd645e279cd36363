// What several ranks tell together: collectives matched, clocks laid over each other, and who made whom wait.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/job/collective_matching.hpp"
#include "core/job/gpu_index.hpp"
#include "core/job/job.hpp"
#include "core/job/job_clocks.hpp"
#include "core/job/late_causes.hpp"
#include "core/job/rank_waits.hpp"

namespace kino {

struct JobAnalysis {
  std::vector<std::shared_ptr<const RankDigest>> ranks;      ///< of the job's digests, in their order
  std::vector<std::shared_ptr<const RankMemory>> snapshots;  ///< by index of them; null: there is none
  std::int64_t world_size = -1;
  std::vector<std::int64_t> missing;  ///< ranks of the job without a recording
  MatchedJob matched;
  JobClocks clocks;
  JobWaits waits;
  std::vector<LateCause> causes;  ///< of the collectives whose last is named, in their order
  std::vector<RankBlame> blame;   ///< by index of `ranks`
  std::uint32_t whole_steps = 0;  ///< that all ranks with steps have
  GpuIndex gpu;
  std::optional<double> overlap_cost;  ///< see overlap_cost()

  /// What the rank's GPU had allocated when: by its trace, else by a snapshot. `index` is one of `ranks`.
  const RankMemory& memory(std::size_t index) const {
    const bool told = ranks[index]->memory.peak_bytes >= 0 || snapshots[index] == nullptr;
    return told ? ranks[index]->memory : *snapshots[index];
  }
  /// Of a collective; null where nobody is named. O(log causes).
  const LateCause* cause_of(std::uint32_t collective) const;
  /// Index of the rank to name first. Recurrence comes before one long wait: that of the ranks that recur
  /// which was late the longest, and waited_for_most() where it recurs, or where none does. O(ranks).
  std::optional<std::uint32_t> culprit() const;
  /// Index of the rank that at least half of the waiting goes back to, but for pipeline_ns(), and that is at
  /// least 1 % of the communication; else nobody stands out. O(ranks).
  std::optional<std::uint32_t> waited_for_most() const;
  /// Whether the rank was late by its own doing in three whole steps or more, and in most of them.
  bool recurs(std::uint32_t index) const;
  /// The ranks that others waited for, in the order of their names in a verdict: those that recur, then by
  /// what they cost. O(ranks log ranks).
  std::vector<std::uint32_t> to_blame() const;
  /// Waiting for messages that came when the schedule of a pipeline lets them: nobody's fault.
  /// O(ranks).
  std::int64_t pipeline_ns() const;
  /// The first moment of any rank, and the last, by the common clock. 0 without ranks. O(ranks).
  std::int64_t begin_ns() const;
  std::int64_t end_ns() const;
};

/// Matches, fits the clocks, and does both once more with what the first fit says. Of no use when stopped.
JobAnalysis analyze_job(const Job& job, const std::stop_token& stop = {});

/// The same collectives by other clocks, of as many ranks: who waited for whom, and why. Of no use when
/// stopped.
JobAnalysis with_clocks(const JobAnalysis& job, JobClocks clocks, const std::stop_token& stop = {});

}  // namespace kino
