// Two jobs compared rank by rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "core/compare/run_comparison.hpp"

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
  std::string verdict;            ///< who makes the others wait
};
/// What they were read of, and who makes the others wait.
std::vector<RunCheck> job_checks(const JobFacts& a, const JobFacts& b);

/// In the order of `a`, which are ranks of one job, as `b` are of the other. As compare_runs() for each.
/// Unfinished when stopped.
std::vector<RankComparison> compare_ranks(const std::vector<RunRecord>& a, const std::vector<RunRecord>& b,
                                          const CompareOptions& options, const std::stop_token& stop = {});

}  // namespace kino
