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

/// Comparison of one rank that both jobs have. It has no rows, replacements and layers, since
/// those of a thousand ranks would fill the memory.
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
/// Returns two checks: one of the ranks that were read, and one of the ranks that the others wait for.
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
  /// Rank that represents the job's steps, causes and kernels: the first of `roots`. If there are no roots,
  /// the rank with the median change of own work. -1 if the jobs have no rank in common.
  std::int64_t head = -1;
  std::vector<std::int64_t> roots;  ///< ranks whose own work changed unlike that of the other ranks; largest
                                    ///< change first
  double mean_step_a_ns = 0;        ///< mean step of A, median over ranks
  bool shared = false;              ///< whether the own work of most ranks changed by similar amounts

  /// Returns "Rank 2: its own work takes 9.8 ms more per step. The other 3 ranks wait for it, and their
  /// communication takes 9.7 ms more." Empty if the jobs have no rank in common, or a single one that is not
  /// a root.
  Message sentence() const;
};

/// Compares each rank of A with the same rank of B. O(ranks * (ranks + steps log steps)).
JobChange job_change(const std::vector<RunRecord>& a, const std::vector<RunRecord>& b);

/// Runs compare_runs() for each rank that both jobs have, in the order of `a`. `a` contains the ranks of one
/// job, `b` those of the other.
std::vector<RankComparison> compare_ranks(const std::vector<RunRecord>& a, const std::vector<RunRecord>& b,
                                          const CompareOptions& options, const std::stop_token& stop = {});

}  // namespace kino
