#include "core/critical/rank_costs.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/saturating.hpp"
#include "core/tables/compare/median.hpp"
#include "core/tables/compare/run_key.hpp"

namespace kino {
namespace {

/// Thread time by cause, and by name the durations of kernels that overlap no collective. If a name has fewer
/// than three of these, all durations of the name.
struct RankCosts {
  CauseSums thread{};
  std::unordered_map<std::string, std::vector<std::int64_t>> kernels;
};

RankCosts costs_of(const RankGraph& rank) {
  constexpr std::size_t kFewest = 3;
  RankCosts costs;
  const Trace& trace = *rank.trace;
  for (const ThreadLine& line : rank.lines) {
    for_each_piece(line, line.range, [&](TimeRange part, const LinePiece& piece) {
      add_saturating(costs.thread[index_of_cause(piece.cause)], part.length_ns());
    });
  }
  std::vector<TimeRange> busy;
  for (const GraphCollective& collective : rank.collectives)
    busy.push_back(trace.range_of(rank.works[collective.work].slice));
  std::size_t next = 0;
  std::int64_t busy_until_ns = INT64_MIN;
  std::unordered_map<std::string, std::vector<std::int64_t>> all;
  for (const GraphWork& work : rank.works) {
    if (work.collective >= 0 || trace.kind(work.slice) == SliceKind::copy) continue;
    const TimeRange range = trace.range_of(work.slice);
    while (next < busy.size() && busy[next].begin_ns < range.end_ns)
      busy_until_ns = std::max(busy_until_ns, busy[next++].end_ns);
    std::string name = kernel_without_templates(trace.name_of(work.slice));
    all[name].push_back(range.length_ns());
    if (busy_until_ns <= range.begin_ns) costs.kernels[std::move(name)].push_back(range.length_ns());
  }
  for (auto& [name, lengths] : all) {
    if (costs.kernels[name].size() < kFewest) costs.kernels[name] = std::move(lengths);
  }
  return costs;
}

double mean_of(const std::vector<std::int64_t>& values) {
  double sum = 0;
  for (const std::int64_t value : values) sum += static_cast<double>(value);
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

}  // namespace

RankChange like_median(const ActivityGraph& graph, std::size_t index) {
  RankChange change;
  std::vector<RankCosts> costs;
  costs.reserve(graph.ranks.size());
  for (const RankGraph& rank : graph.ranks) costs.push_back(costs_of(rank));
  for (std::size_t cause = 0; cause < kPathCauseCount; ++cause) {
    std::vector<double> others;
    for (std::size_t rank = 0; rank < costs.size(); ++rank) {
      if (rank != index) others.push_back(static_cast<double>(costs[rank].thread[cause]));
    }
    const auto own = static_cast<double>(costs[index].thread[cause]);
    if (own > 0) change.thread[cause] = std::min(1.0, median_of(std::move(others)) / own);
  }
  const RankGraph& rank = graph.ranks[index];
  std::unordered_map<std::string, double> factors;
  for (const auto& [name, lengths] : costs[index].kernels) {
    std::vector<double> others;
    for (std::size_t other = 0; other < costs.size(); ++other) {
      const auto found = costs[other].kernels.find(name);
      if (other != index && found != costs[other].kernels.end()) others.push_back(mean_of(found->second));
    }
    const double own = mean_of(lengths);
    if (own > 0 && !others.empty()) factors[name] = std::min(1.0, median_of(std::move(others)) / own);
  }
  change.work.assign(rank.works.size(), 1);
  for (std::size_t i = 0; i < rank.works.size(); ++i) {
    if (rank.works[i].collective >= 0) continue;
    const auto found = factors.find(kernel_without_templates(rank.trace->name_of(rank.works[i].slice)));
    if (found != factors.end()) change.work[i] = static_cast<float>(found->second);
  }
  return change;
}

}  // namespace kino
