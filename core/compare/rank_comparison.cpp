#include "core/compare/rank_comparison.hpp"

#include <algorithm>

namespace kino {

std::vector<RunCheck> job_checks(const JobFacts& a, const JobFacts& b) {
  const auto ranks = [](const JobFacts& job) {
    const std::size_t all = job.ranks + job.lost.size();
    return all == 0 ? std::string("one trace") : std::to_string(job.ranks) + " of " + std::to_string(all);
  };
  RunCheck read{RunCheckKind::ranks,
                CheckResult::alike,
                "Ranks",
                ranks(a),
                ranks(b),
                "The slowest rank decides each step",
                {}};
  for (const JobFacts* const job : {&a, &b}) {
    for (const std::string& line : job->lost) {
      read.result = CheckResult::warns;
      read.outcome = line;
      read.line += (read.line.empty() ? "" : "; ") + line;
    }
  }
  return {read,
          {RunCheckKind::waiting,
           CheckResult::alike,
           "Waiting",
           a.verdict,
           b.verdict,
           "Who makes the others wait",
           {}}};
}

std::vector<RankComparison> compare_ranks(const std::vector<RunRecord>& a, const std::vector<RunRecord>& b,
                                          const CompareOptions& options, const std::stop_token& stop) {
  std::vector<RankComparison> ranks;
  for (const RunRecord& of_a : a) {
    if (stop.stop_requested()) break;
    const auto of_b =
        std::ranges::find(b, of_a.facts.rank, [](const RunRecord& it) { return it.facts.rank; });
    if (of_b == b.end()) continue;
    RankComparison& rank = ranks.emplace_back();
    rank.rank = of_a.facts.rank;
    rank.comparison = compare_runs(of_a, *of_b, options, stop);
    rank.comparison.rows = {};
    rank.comparison.replacements = {};
  }
  return ranks;
}

}  // namespace kino
