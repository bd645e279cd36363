#include "core/critical/rank_costs.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
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

/// Adds the thread time of a rank. Of a call that waits, only its own cost counts.
void add_thread_costs(const ActivityGraph& graph, const RankGraph& rank, CauseSums& sums) {
  for (std::size_t line = 0; line + 1 < rank.line_first.size(); ++line) {
    for (NodeId node = rank.line_first[line]; node < rank.line_first[line + 1]; ++node) {
      for (const GraphEdge& edge : graph.edges_of(node)) {
        if (edge.kind != EdgeKind::chain || edge.source == kNoNode) continue;
        const TimeRange range{
            rank.line_nodes[static_cast<std::size_t>(edge.source - rank.first_line)].time_ns,
            rank.line_nodes[static_cast<std::size_t>(node - rank.first_line)].time_ns};
        const std::int64_t lag_ns = graph.lag_of(node, edge);
        if (range.length_ns() <= 0 || lag_ns <= 0) continue;
        const double share =
            std::min(1.0, static_cast<double>(lag_ns) / static_cast<double>(range.length_ns()));
        for_each_piece(rank.lines[line], range, [&](TimeRange part, const LinePiece& piece) {
          add_saturating(sums[index_of_cause(piece.cause)],
                         std::llround(share * static_cast<double>(part.length_ns())));
        });
      }
    }
  }
}

RankCosts costs_of(const ActivityGraph& graph, const RankGraph& rank) {
  constexpr std::size_t kFewest = 3;
  RankCosts costs;
  const Trace& trace = *rank.trace;
  add_thread_costs(graph, rank, costs.thread);
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

/// Returns the change that makes a rank like the median of the others. `costs`: by rank.
RankCostChange change_to_median(const ActivityGraph& graph, const std::vector<RankCosts>& costs,
                                std::size_t index) {
  RankCostChange change;
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

}  // namespace

std::vector<RankCostChange> like_medians(const ActivityGraph& graph, std::span<const std::size_t> indices) {
  std::vector<RankCosts> costs;
  costs.reserve(graph.ranks.size());
  for (const RankGraph& rank : graph.ranks) costs.push_back(costs_of(graph, rank));
  std::vector<RankCostChange> changes;
  changes.reserve(indices.size());
  for (const std::size_t index : indices) changes.push_back(change_to_median(graph, costs, index));
  return changes;
}

RankCostChange like_median(const ActivityGraph& graph, std::size_t index) {
  return std::move(like_medians(graph, std::span(&index, 1)).front());
}

}  // namespace kino
