// Comparison of two jobs, rank by rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/tables/compare/run_comparison.hpp"

namespace kino {

/// Comparison of one rank that both jobs have. It has no rows, since the rows of a thousand ranks would fill
/// the memory.
struct RankComparison {
  std::int64_t rank = -1;
  RunComparison comparison;
};

/// Facts on a compared job.
struct JobFacts {
  std::size_t ranks = 0;          ///< number of ranks read; 0 for a single trace
  std::vector<std::string> lost;  ///< one sentence per rank that could not be read
  Message verdict;                ///< sentence on the ranks that others wait for
};
/// Returns the checks on which ranks were read, and on which ranks the others wait for.
std::vector<RunCheck> job_checks(const JobFacts& a, const JobFacts& b);

/// Change of a rank that both jobs have: B minus A, in ns per mean step.
struct RankChange {
  std::int64_t rank = -1;
  double step_ns = 0;
  double own_ns = 0;  ///< own work: the step minus exposed communication, in which a rank may wait for others
  double communication_ns = 0;  ///< exposed communication
  double p = kNoRatio;          ///< U test on own work per step; NaN below 4 steps per side
};

/// Differences of two jobs. Definitions: README.md, "Two jobs".
struct JobChange {
  std::vector<RankChange> ranks;  ///< ranks that both jobs have, ascending
  /// Rank that represents the job's steps, causes and kernels: the first of `roots`, else the rank with the
  /// median change of own work. -1 if the jobs have no rank in common.
  std::int64_t head = -1;
  std::vector<std::int64_t> roots;  ///< ranks whose own work changed apart from the others; largest first
  double mean_step_a_ns = 0;        ///< mean step of A, median over ranks
  bool shared = false;              ///< whether the own work of most ranks changed by similar amounts

  /// Returns "Rank 2: its own work takes 9.8 ms more a step; the other 3 ranks spend 9.7 ms more in
  /// communication, where they wait." Empty if the jobs have no rank in common.
  Message sentence() const;
};

/// Compares each rank of A with the rank of this number in B. O(ranks * steps log steps).
JobChange job_change(const std::vector<RunRecord>& a, const std::vector<RunRecord>& b);

/// Runs compare_runs() for each rank that both jobs have, in the order of `a`. `a` contains the ranks of one
/// job, `b` those of the other.
std::vector<RankComparison> compare_ranks(const std::vector<RunRecord>& a, const std::vector<RunRecord>& b,
                                          const CompareOptions& options, const std::stop_token& stop = {});

}  // namespace kino
