// What several ranks tell together: collectives matched, clocks laid over each other, and who made whom wait.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/job/collective_matching.hpp"
#include "core/job/gpu_index.hpp"
#include "core/job/job_clocks.hpp"
#include "core/job/late_causes.hpp"
#include "core/job/link_speeds.hpp"
#include "core/job/rank_waits.hpp"
#include "core/job/recording.hpp"

namespace kino {

/// Why nobody can be named.
enum class NoVerdict : std::uint8_t {
  doubled,       ///< JobAnalysis::doubled
  unmatched,     ///< no kernels of several ranks were matched
  rejected,      ///< what was matched cannot be one operation
  not_waiting,   ///< what was matched does not make its members wait for each other
  not_together,  ///< the recordings have no part in common
  before,        ///< most waiting is for a rank that was late with the first kernel of its recording
};

struct JobAnalysis {
  std::vector<std::shared_ptr<const RankDigest>> ranks;        ///< of the job's digests, in their order
  std::vector<std::shared_ptr<const RankSnapshot>> snapshots;  ///< by index of `ranks`; null if there is none
  MemoryMeasure memory_measure = MemoryMeasure::requested;     ///< that most ranks with memory have
  std::vector<std::string> names;  ///< of their files, by index of `ranks`; empty if unknown
  std::int64_t world_size = -1;
  std::vector<std::int64_t> missing;  ///< ranks of the job without a recording
  std::vector<std::int64_t> doubled;  ///< see Job::doubled
  MatchedJob matched;
  JobClocks clocks;
  JobWaits waits;
  std::vector<LateCause> causes;       ///< of the collectives whose last is named, in their order
  std::vector<RankBlame> blame;        ///< by index of `ranks`
  std::int64_t unrecorded_ns = 0;      ///< waiting that goes back to before all ranks were recording
  std::uint32_t whole_steps = 0;       ///< that all ranks with steps have
  std::vector<GpuComparison> gpu;      ///< by index of `ranks`; see gpu_index()
  std::optional<double> overlap_cost;  ///< see overlap_cost()
  std::vector<LinkSpeed> links;        ///< by group; see link_speeds()

  /// Returns memory_measure, or the other one if that is all that the rank has. `index` is one of `ranks`.
  MemoryMeasure measure_of(std::size_t index) const;
  /// Memory of the rank by measure_of(index).
  const RankMemory& memory(std::size_t index) const {
    return measure_of(index) == MemoryMeasure::requested ? snapshots[index]->memory : ranks[index]->memory;
  }
  /// Groups and pairs of ranks that move data slower than their like beyond doubt, each once, the most lost
  /// time first. O(links log links).
  std::vector<const LinkSpeed*> slow_links() const;
  /// The comparison of a group to show: the slow one that lost most, else that of the most transfers; null
  /// where there is none. O(links of the group + log links).
  const LinkSpeed* link_of(std::uint32_t group) const;
  /// Nothing if the job can be judged. O(ranks).
  std::optional<NoVerdict> no_verdict() const;
  /// Of a collective; null where nobody is named. O(log causes).
  const LateCause* cause_of(std::uint32_t collective) const;
  /// Index of the rank to name first. Recurrence comes before one long wait: that of the ranks that recur
  /// which was late the longest, and waited_for_most() where it recurs, or where none does. O(ranks).
  std::optional<std::uint32_t> culprit() const;
  /// Index of the rank that at least half of the waiting goes back to, but for pipeline_ns(), and that is at
  /// least 1 % of the communication; else nobody stands out, and nobody does whose lateness is mostly from
  /// before its recording. O(ranks).
  std::optional<std::uint32_t> waited_for_most() const;
  /// The same rank, also where its lateness is from before its recording. O(ranks).
  std::optional<std::uint32_t> late_most() const;
  /// Whether the rank was late by its own doing in three whole steps or more, and in most of them; if the job
  /// has only two whole steps, in both, and at least twice as late as each of 15 peers or more. O(ranks).
  bool recurs(std::uint32_t index) const;
  /// The ranks that others waited for, in the order of their names in a verdict: those that recur, then by
  /// what they cost. O(ranks log ranks).
  std::vector<std::uint32_t> to_blame() const;
  /// Waiting in collectives whose last rank is not named: it came last within the tolerance. O(ranks).
  std::int64_t unnamed_ns() const;
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
