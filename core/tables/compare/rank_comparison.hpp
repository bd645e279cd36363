// Two jobs compared rank by rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/tables/compare/run_comparison.hpp"

namespace kino {

/// One rank of both jobs. The comparison has no rows, since those of a thousand ranks would fill the memory.
struct RankComparison {
  std::int64_t rank = -1;
  RunComparison comparison;
};

/// Facts on a compared job.
struct JobFacts {
  std::size_t ranks = 0;          ///< number of ranks read; 0: a single trace
  std::vector<std::string> lost;  ///< one sentence per rank that could not be read
  Message verdict;                ///< the ranks that others wait for
};
/// Checks which ranks were read, and which ones the others wait for.
std::vector<RunCheck> job_checks(const JobFacts& a, const JobFacts& b);

/// Change of a rank of both jobs: ns per mean step, B minus A.
struct RankChange {
  std::int64_t rank = -1;
  double step_ns = 0;
  double own_ns = 0;  ///< the step without exposed communication, in which a rank may wait for others
  double communication_ns = 0;  ///< exposed
  double p = kNoRatio;          ///< U test on own work per step; NaN below 4 steps per side
};

/// Differences of two jobs. Definitions: README.md, "Two jobs".
struct JobChange {
  std::vector<RankChange> ranks;  ///< ranks of both jobs, ascending
  /// Rank that represents the job's steps, causes and kernels: the first root, else the rank with the median
  /// change of own work. -1: the jobs have no rank in common.
  std::int64_t head = -1;
  std::vector<std::int64_t> roots;  ///< ranks whose own work changed apart from the others; largest first
  double mean_step_a_ns = 0;        ///< of the median rank
  bool shared = false;              ///< the own work of most ranks changed alike

  /// Returns "Rank 2: its own work takes 9.8 ms more a step; the other 3 ranks spend 9.7 ms more in
  /// communication, where they wait." Empty if the jobs have no rank in common.
  Message sentence() const;
};

/// Compares each rank of both jobs with itself. O(ranks * steps log steps).
JobChange job_change(const std::vector<RunRecord>& a, const std::vector<RunRecord>& b);

/// Runs compare_runs() for each rank of both jobs, in the order of `a`. `a` and `b` are the ranks of one job
/// each.
std::vector<RankComparison> compare_ranks(const std::vector<RunRecord>& a, const std::vector<RunRecord>& b,
                                          const CompareOptions& options, const std::stop_token& stop = {});

}  // namespace kino
