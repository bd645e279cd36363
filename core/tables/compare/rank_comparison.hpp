// Two jobs compared rank by rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/tables/compare/run_comparison.hpp"

namespace kino {

/// One rank that both jobs have. Its comparison has no rows: of a thousand ranks they would fill the memory.
struct RankComparison {
  std::int64_t rank = -1;
  RunComparison comparison;
};

/// What is to be known of a job that is compared.
struct JobFacts {
  std::size_t ranks = 0;          ///< that were read; 0: it is no job, but one trace
  std::vector<std::string> lost;  ///< a sentence for each that could not be
  Message verdict;                ///< who makes the others wait
};
/// What they were read of, and who makes the others wait.
std::vector<RunCheck> job_checks(const JobFacts& a, const JobFacts& b);

/// Change of a rank that is in both jobs: ns per mean step, B minus A.
struct RankChange {
  std::int64_t rank = -1;
  double step_ns = 0;
  double own_ns = 0;  ///< the step without exposed communication, in which a rank may wait for others
  double communication_ns = 0;  ///< exposed
  double p = kNoRatio;          ///< of a U test on own work a step; none below 4 steps a side
};

/// Differences of two jobs. Definitions: README.md, "Two jobs".
struct JobChange {
  std::vector<RankChange> ranks;  ///< those that both have, ascending
  /// The rank whose steps, causes and kernels stand for the job in a comparison: the first root, else the
  /// rank whose own work changed by the median. -1: no rank is in both jobs.
  std::int64_t head = -1;
  std::vector<std::int64_t> roots;  ///< whose own work changed apart from the others'; the largest first
  double mean_step_a_ns = 0;        ///< of the median rank
  bool shared = false;              ///< the own work of most ranks changed alike

  /// Nothing when no rank is in both. "Rank 2: its own work takes 9.8 ms more a step; the other 3 ranks
  /// spend 9.7 ms more in communication, where they wait."
  Message sentence() const;
};

/// Ranks of two jobs, each compared with itself. O(ranks * steps log steps).
JobChange job_change(const std::vector<RunRecord>& a, const std::vector<RunRecord>& b);

/// In the order of `a`, which are ranks of one job, as `b` are of the other. As compare_runs() for each.
/// Unfinished when stopped.
std::vector<RankComparison> compare_ranks(const std::vector<RunRecord>& a, const std::vector<RunRecord>& b,
                                          const CompareOptions& options, const std::stop_token& stop = {});

}  // namespace kino
