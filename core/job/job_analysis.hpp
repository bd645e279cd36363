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

/// Reason for which no straggler can be named.
enum class NoVerdict : std::uint8_t {
  doubled,       ///< JobAnalysis::doubled
  unmatched,     ///< no kernels of several ranks were matched
  rejected,      ///< the matched kernels cannot be one operation
  not_waiting,   ///< the matched operations do not make their members wait for each other
  not_together,  ///< the recordings do not overlap in time
  before,        ///< most waiting is for a rank that was late with the first kernel of its recording
};

struct JobAnalysis {
  std::vector<std::shared_ptr<const RankDigest>> ranks;        ///< in the order of the job's recordings
  std::vector<std::shared_ptr<const RankSnapshot>> snapshots;  ///< by index of `ranks`; null if there is none
  MemoryMeasure memory_measure = MemoryMeasure::requested;     ///< the one that most ranks have
  std::vector<std::string> names;  ///< names of the recordings' files, by index of `ranks`; empty if unknown
  std::int64_t world_size = -1;
  std::vector<std::int64_t> missing;  ///< ranks of the job without a recording
  std::vector<std::int64_t> doubled;  ///< see Job::doubled
  MatchedJob matched;
  JobClocks clocks;
  JobWaits waits;
  std::vector<LateCause> causes;       ///< one per collective with a named last rank, sorted by collective
  std::vector<StragglerStats> blame;   ///< by index of `ranks`
  std::int64_t unrecorded_ns = 0;      ///< waiting that originates before all ranks were recording
  std::uint32_t whole_steps = 0;       ///< number of steps that all ranks with steps have
  std::vector<GpuComparison> gpu;      ///< by index of `ranks`; see gpu_index()
  std::optional<double> overlap_cost;  ///< see overlap_cost()
  std::vector<LinkSpeed> links;        ///< by group; see link_speeds()

  /// Returns memory_measure, or the other measure if the rank has only that. `index` is an index of `ranks`.
  MemoryMeasure measure_of(std::size_t index) const;
  /// Returns the rank's memory by measure_of(index).
  const RankMemory& memory(std::size_t index) const {
    return measure_of(index) == MemoryMeasure::requested ? snapshots[index]->memory : ranks[index]->memory;
  }
  /// Returns one entry per group or pair of ranks that transfers significantly slower than comparable ones,
  /// most lost time first. O(links log links).
  std::vector<const LinkSpeed*> slow_links() const;
  /// Returns the comparison to show for a group: the slow one with the most lost time, else the one with the
  /// most transfers; null if there is none. O(links of the group + log links).
  const LinkSpeed* link_of(std::uint32_t group) const;
  /// Returns nullopt if a straggler can be named. O(ranks).
  std::optional<NoVerdict> no_verdict() const;
  /// Returns null if the collective has no named last rank. O(log causes).
  const LateCause* cause_of(std::uint32_t collective) const;
  /// Returns the index of the rank to name first. Recurrence precedes one long wait: waited_for_most() if it
  /// recurs, else the recurring rank that was late the longest, else waited_for_most(). O(ranks).
  std::optional<std::uint32_t> straggler() const;
  /// Returns the index of the rank that caused at least half of the waiting without pipeline_ns(), and at
  /// least 1 % of the communication time. nullopt if there is none, or if most of its lateness is from
  /// before its recording. O(ranks).
  std::optional<std::uint32_t> waited_for_most() const;
  /// Returns the same rank, even if its lateness is from before its recording. O(ranks).
  std::optional<std::uint32_t> late_most() const;
  /// Returns whether the rank itself was late in three whole steps or more, and in most of them. If the job
  /// has only two whole steps: in both, and at least twice as late as each of 15 peers or more. O(ranks).
  bool recurs(std::uint32_t index) const;
  /// Returns the ranks that others waited for, in the order to name them: culprit(), those that recur, then
  /// by the delay caused. O(ranks log ranks).
  std::vector<std::uint32_t> stragglers() const;
  /// Returns waiting in collectives without a named last rank. O(ranks).
  std::int64_t unnamed_ns() const;
  /// Returns waiting for messages that arrived as the schedule of a pipeline allows; no rank caused it.
  /// O(ranks).
  std::int64_t pipeline_ns() const;
  /// Returns the first and last time of any rank on the common clock. 0 without ranks. O(ranks).
  TimeRange range() const;
  std::int64_t begin_ns() const { return range().begin_ns; }
  std::int64_t end_ns() const { return range().end_ns; }
};

/// Matches, fits the clocks, and refines both once with the offsets of the first fit.
JobAnalysis analyze_job(const Job& job, const std::stop_token& stop = {});

/// Returns the same collectives with other clocks, one per rank, and waits and causes computed anew.
JobAnalysis with_clocks(const JobAnalysis& job, JobClocks clocks, const std::stop_token& stop = {});

}  // namespace kino
