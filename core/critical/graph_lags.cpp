#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/critical/gpu_dependences.hpp"

namespace kino {
namespace {

constexpr std::int64_t kMostSampleNs = 100'000;
constexpr std::int64_t kQueuedNs = 20'000;

Latency latency_of(std::vector<std::int64_t>& samples, std::int64_t least_ns, std::int64_t typical_ns) {
  if (samples.empty()) return {least_ns, typical_ns, 0};
  std::ranges::sort(samples);
  return {samples[samples.size() / 10], samples[samples.size() / 2], samples.size()};
}

/// Lags are at most those recorded. If one does not fit, it is the recorded one.
std::int32_t narrowed(std::int64_t lag_ns) {
  static_assert(GraphEdge::kRecordedLag == INT32_MIN);
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(lag_ns, INT32_MIN, INT32_MAX));
}

class LagSetter {
 public:
  LagSetter(const EdgeInputs& inputs, std::span<const std::int64_t> time_ns, std::span<DraftEdge> edges)
      : inputs_(inputs), rank_(inputs.rank), works_(inputs.works), time_ns_(time_ns), edges_(edges) {}

  void set() {
    measure_work();
    measure_edges();
    measure_own_costs();
    for (DraftEdge& draft : edges_) set_lag(draft);
  }

 private:
  std::int64_t difference(const DraftEdge& draft) const {
    return time_ns_[static_cast<std::size_t>(draft.target)] -
           time_ns_[static_cast<std::size_t>(draft.edge.source)];
  }

  void measure_work() {
    std::vector<std::int64_t> launches;
    std::vector<std::int64_t> gaps;
    for (std::uint32_t i = 0; i < works_.size(); ++i) {
      if (!works_.launched(i) || works_.call_works[i] > 1) continue;
      const std::uint32_t last = works_.last_ended[i];
      const bool idle = last == RankWork::kNone || works_.end_ns[last] < works_.call_begin_ns[i];
      const std::int64_t latency_ns = works_.start_ns[i] - works_.call_end_ns[i];
      if (idle && latency_ns < kMostSampleNs) launches.push_back(latency_ns);
      const std::uint32_t previous = works_.previous[i];
      if (previous == RankWork::kNone) continue;
      const std::int64_t gap_ns = works_.start_ns[i] - works_.end_ns[previous];
      const bool queued = works_.end_ns[previous] - works_.call_end_ns[i] > kQueuedNs;
      if (queued && gap_ns >= 0 && gap_ns < kMostSampleNs) gaps.push_back(gap_ns);
    }
    rank_.latencies.launch = latency_of(launches, 0, 3'000);
    rank_.latencies.gap = latency_of(gaps, 0, 1'000);
  }

  void measure_edges() {
    // The latest source of each start, except waits for events, and the latest end that each call waited for.
    std::unordered_map<NodeId, std::int64_t> other_source;
    std::unordered_map<NodeId, std::int64_t> back;
    const auto raise = [&](std::unordered_map<NodeId, std::int64_t>& map, const DraftEdge& draft) {
      const std::int64_t source_ns = time_ns_[static_cast<std::size_t>(draft.edge.source)];
      const auto [at, added] = map.try_emplace(draft.target, source_ns);
      if (!added) at->second = std::max(at->second, source_ns);
    };
    for (const DraftEdge& draft : edges_) {
      if (draft.edge.kind == EdgeKind::launch || draft.edge.kind == EdgeKind::stream_order)
        raise(other_source, draft);
      const bool returns = draft.edge.kind == EdgeKind::sync_return &&
                           (draft.edge.flags & GraphEdge::kWaited) != 0 &&
                           (draft.edge.flags & (GraphEdge::kInferred | GraphEdge::kFullQueue)) == 0;
      if (returns) raise(back, draft);
    }
    std::vector<std::int64_t> crosses;
    for (const DraftEdge& draft : edges_) {
      if (draft.edge.kind != EdgeKind::event_calls) continue;
      const auto other = other_source.find(draft.target);
      if (other != other_source.end() &&
          other->second >= time_ns_[static_cast<std::size_t>(draft.edge.source)])
        continue;
      const std::int64_t cross_ns = difference(draft);
      if (cross_ns < kMostSampleNs) crosses.push_back(cross_ns);
    }
    std::vector<std::int64_t> returns;
    returns.reserve(back.size());
    for (const auto& [node, source_ns] : back)
      returns.push_back(std::max<std::int64_t>(0, time_ns_[static_cast<std::size_t>(node)] - source_ns));
    rank_.latencies.cross = latency_of(crosses, 1'000, 2'000);
    rank_.latencies.back = latency_of(returns, 2'000, 5'000);
  }

  /// Measures the lengths of calls that did not wait, by name.
  void measure_own_costs() {
    for (const DraftEdge& draft : edges_) {
      if (draft.edge.kind == EdgeKind::sync_return && (draft.edge.flags & GraphEdge::kWaited) != 0)
        waited_.insert(draft.target);
    }
    const Trace& trace = *rank_.trace;
    std::unordered_map<std::uint32_t, std::vector<std::int64_t>> lengths;
    for (const SliceId call : inputs_.waits) {
      const auto nodes = inputs_.calls.find(index_of(call));
      if (nodes == inputs_.calls.end() || waited_.contains(rank_.first_line + nodes->second.end)) continue;
      lengths[index_of(trace.name(call))].push_back(trace.duration_ns(call));
    }
    for (auto& [name, list] : lengths) {
      std::ranges::sort(list);
      own_cost_[name] = list[list.size() / 2];
    }
  }

  std::int64_t own_cost(NodeId end) const {
    constexpr std::int64_t kImplicitNs = 50'000;
    constexpr std::int64_t kUnknownNs = 3'000;
    constexpr std::int64_t kFullQueueNs = 6'000;
    const LineNode& node = rank_.line_nodes[static_cast<std::size_t>(end - rank_.first_line)];
    if (node.kind == LineNode::Kind::implicit_end) return kImplicitNs;
    if (node.kind == LineNode::Kind::call_end) return kFullQueueNs;
    const auto known = own_cost_.find(index_of(rank_.trace->name(node.slice)));
    return known == own_cost_.end() ? kUnknownNs : known->second;
  }

  void set_lag(DraftEdge& draft) const {
    GraphEdge& edge = draft.edge;
    const std::int64_t recorded_ns = difference(draft);
    const RankLatencies& latencies = rank_.latencies;
    constexpr std::int64_t kCallBeginNs = 2'000;
    constexpr std::int64_t kFullQueueReturnNs = 2'000;
    std::int64_t most_ns = 0;
    switch (edge.kind) {
      case EdgeKind::chain:
        if ((edge.flags & GraphEdge::kOwnCost) == 0 || !waited_.contains(draft.target)) return;
        most_ns = own_cost(draft.target);
        break;
      case EdgeKind::launch:
        most_ns = (edge.flags & GraphEdge::kCallBegin) == 0
                      ? latencies.launch.least_ns
                      : std::max<std::int64_t>(0, latencies.launch.least_ns) + kCallBeginNs;
        break;
      case EdgeKind::stream_order:
        most_ns = latencies.gap.least_ns;
        break;
      case EdgeKind::event_calls:
      case EdgeKind::wait_times:
        most_ns = latencies.cross.least_ns;
        break;
      case EdgeKind::sync_return: {
        const bool full_queue = (edge.flags & GraphEdge::kFullQueue) != 0;
        most_ns = full_queue ? kFullQueueReturnNs : latencies.back.least_ns;
        break;
      }
      default:
        return;
    }
    edge.lag_ns = narrowed(std::min(most_ns, recorded_ns));
  }

  const EdgeInputs& inputs_;
  RankGraph& rank_;
  const RankWork& works_;
  std::span<const std::int64_t> time_ns_;
  std::span<DraftEdge> edges_;
  std::unordered_set<NodeId> waited_;  // ends of calls that waited
  std::unordered_map<std::uint32_t, std::int64_t> own_cost_;
};

}  // namespace

void set_lags(const EdgeInputs& inputs, std::span<const std::int64_t> time_ns, std::span<DraftEdge> edges) {
  LagSetter(inputs, time_ns, edges).set();
}

}  // namespace kino
