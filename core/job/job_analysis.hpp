// Analysis of all ranks of a job: matched collectives, common clock, waiting and its causes.
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

/// Reason why no straggler can be named.
enum class NoVerdict : std::uint8_t {
  doubled,       ///< a rank was recorded twice; see JobAnalysis::doubled
  unmatched,     ///< no kernels of several ranks were matched
  rejected,      ///< the matched kernels cannot be one operation
  not_waiting,   ///< the matched operations do not make their members wait for each other
  not_together,  ///< no matched collective is in the time in which all ranks recorded
  before,        ///< the rank that caused most waiting was late mainly with the first kernel of its recording
};

struct JobAnalysis {
  std::vector<std::shared_ptr<const RankDigest>> ranks;        ///< in the order of the job's recordings
  std::vector<std::shared_ptr<const RankSnapshot>> snapshots;  ///< by index of `ranks`; null if there is none
  MemoryMeasure memory_measure = MemoryMeasure::requested;     ///< measure that most ranks have
  std::vector<std::string> names;  ///< names of the recordings' files, by index of `ranks`; empty if unknown
  std::int64_t world_size = -1;
  std::vector<std::int64_t> missing;  ///< ranks of the job without a recording
  std::vector<std::int64_t> doubled;  ///< see Job::doubled
  MatchedJob matched;
  JobClocks clocks;
  JobWaits waits;
  std::vector<LateCause> causes;       ///< one per collective with CollectiveWait::last, sorted by collective
  std::vector<StragglerStats> blame;   ///< by index of `ranks`
  std::int64_t unrecorded_ns = 0;      ///< waiting that originates while some rank was not recording
  std::uint32_t whole_steps = 0;       ///< number of steps that all ranks with steps have
  std::vector<GpuComparison> gpu;      ///< by index of `ranks`; see gpu_index()
  std::optional<double> overlap_cost;  ///< see overlap_cost()
  std::vector<LinkSpeed> links;        ///< by group; see link_speeds()

  /// Returns the word for the devices: "NPU" if collectives are those of HCCL, which only NPUs have, else "GPU".
  /// Digests do not have the titles of devices; see also device_word() of a trace. O(ranks).
  std::string device_word() const;
  /// Returns memory_measure, or the other measure if the rank has only that one; `allocated` if the rank has
  /// neither. `index` is an index into `ranks`.
  MemoryMeasure measure_of(std::size_t index) const;
  /// Returns the rank's memory by measure_of(index).
  const RankMemory& memory(std::size_t index) const {
    return measure_of(index) == MemoryMeasure::requested ? snapshots[index]->memory : ranks[index]->memory;
  }
  /// Returns the groups and pairs of ranks whose transfers are significantly slower than those of comparable
  /// ones, at most one link per group. Sorted by lost time, longest first. O(links log links).
  std::vector<const LinkSpeed*> slow_links() const;
  /// Returns the link to show for a group: the slow link with the most lost time; if none is slow, the link
  /// with the most transfers. Null if there is no link. O(links of the group + log links).
  const LinkSpeed* link_of(std::uint32_t group) const;
  /// Returns the reason why no straggler can be named; nullopt if there is no such reason. O(ranks), but
  /// O(ranks^2) at worst if the job has two whole steps.
  std::optional<NoVerdict> no_verdict() const;
  /// Returns the cause of a collective; null if it has no CollectiveWait::last. O(log causes).
  const LateCause* cause_of(std::uint32_t collective) const;
  /// Returns the index of the rank to name first: waited_for_most() if it recurs, otherwise the recurring
  /// rank that was late the longest, otherwise waited_for_most(). Recurrence outweighs one long wait. nullopt
  /// if there is no such rank or no_verdict() returns a reason. The cost is as for no_verdict().
  std::optional<std::uint32_t> straggler() const;
  /// Returns the index of the rank that caused at least half of the waiting (without pipeline_ns()), and at
  /// least 1 % of the communication time. nullopt if there is none, or if most of the waiting it caused is
  /// for the first kernel of its recording. O(ranks).
  std::optional<std::uint32_t> waited_for_most() const;
  /// Returns the rank of waited_for_most(), even if the waiting is for the first kernel of its recording.
  /// O(ranks).
  std::optional<std::uint32_t> late_most() const;
  /// Returns whether the rank itself was late in at least three whole steps, and in most of them. If the job
  /// has only two whole steps, the rank must be late in both. It must also be at least twice as late as every
  /// other rank, of which there must be at least 15. O(ranks).
  bool recurs(std::uint32_t index) const;
  /// Returns the ranks that caused waiting, in the order to name them: straggler(), then ranks that recur,
  /// then by the waiting they caused. Empty if no_verdict() returns a reason.
  std::vector<std::uint32_t> stragglers() const;
  /// Returns the ranks to check first, at most three: those of stragglers() that recur or caused more than a
  /// twentieth of the waiting, without pipeline_ns(). The cost is as for no_verdict().
  std::vector<std::uint32_t> notable_stragglers() const;
  /// Returns the time spent waiting in collectives within JobWaits::recorded that have no
  /// CollectiveWait::last. O(ranks).
  std::int64_t unnamed_ns() const;
  /// Returns the time spent waiting for messages that arrived as the schedule of the pipeline allows. No rank
  /// caused it. O(ranks).
  std::int64_t pipeline_ns() const;
  /// Returns the first and the last time of any rank on the common clock; 0 if there are no ranks. O(ranks).
  TimeRange range() const;
  std::int64_t begin_ns() const { return range().begin_ns; }
  std::int64_t end_ns() const { return range().end_ns; }
};

/// Matches the kernels and fits the clocks; repeats both if the fitted offsets improve the match. Then
/// computes waits, causes, links and GPU comparisons.
JobAnalysis analyze_job(const Job& job, const std::stop_token& stop = {});

/// Returns an analysis of the same collectives with `clocks`, one per rank. Waits, links and causes are
/// computed again.
JobAnalysis with_clocks(const JobAnalysis& job, JobClocks clocks, const std::stop_token& stop = {});

}  // namespace kino
