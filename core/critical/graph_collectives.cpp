#include "core/critical/graph_collectives.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "core/job/link_speeds.hpp"

namespace kino {

std::vector<std::vector<std::int32_t>> joined_instances(const JobAnalysis& job) {
  std::vector<std::vector<std::int32_t>> joined;
  joined.reserve(job.ranks.size());
  for (const auto& rank : job.ranks) joined.emplace_back(rank->kernels.size(), -1);
  for (std::size_t i = 0; i < job.matched.instances.size(); ++i) {
    const CollectiveInstance& instance = job.matched.instances[i];
    if (instance.level == MatchLevel::rejected || job.clocks.synchronizing[instance.group] == 0) continue;
    const RankKernel& first = instance.kernels.front();
    if (!synchronizes(job.ranks[first.rank]->kernels.operation(first.kernel).kind)) continue;
    for (const RankKernel& member : instance.kernels)
      joined[member.rank][member.kernel] = static_cast<std::int32_t>(i);
  }
  return joined;
}

void find_collectives(RankGraph& rank, const RankWork& works, const RankDigest& digest,
                      std::span<const std::int32_t> instances) {
  using Signature = std::tuple<std::uint32_t, std::int64_t, std::int64_t, std::uint32_t, std::uint32_t>;
  std::unordered_map<std::uint32_t, std::uint32_t> work_of;  // by slice
  for (std::uint32_t i = 0; i < rank.works.size(); ++i) work_of[index_of(rank.works[i].slice)] = i;
  std::map<Signature, std::int64_t> shortest;
  std::vector<Signature> signatures;
  for (std::size_t k = 0; k < digest.kernels.size(); ++k) {
    const CommunicationKernel kernel = digest.kernels[k];
    const auto found = work_of.find(index_of(kernel.slice));
    if (found == work_of.end()) continue;
    // Sizes in annotations may differ from those of the kernel.
    const bool known = kernel.evidence == GroupEvidence::kernel;
    const Signature signature =
        known ? Signature{kernel.family, kernel.in_elements, kernel.out_elements, kernel.dtype, 0}
              : Signature{kernel.family, -1, -1, 0, kernel.algorithm};
    rank.works[found->second].collective = static_cast<std::int32_t>(rank.collectives.size());
    const std::int32_t instance = instances.empty() ? -1 : instances[k];
    rank.collectives.push_back({found->second, instance, 0,
                                static_cast<std::int32_t>(rank.collectives.size()) - 1,
                                bus_bytes(digest, kernel)});
    signatures.push_back(signature);
    const std::int64_t length_ns = works.end_ns[found->second] - works.start_ns[found->second];
    const auto [at, added] = shortest.try_emplace(signature, length_ns);
    if (!added) at->second = std::min(at->second, length_ns);
  }
  for (std::size_t i = 0; i < signatures.size(); ++i)
    rank.collectives[i].shortest_ns = shortest[signatures[i]];
}

void add_arrivals(ActivityGraph& graph, std::vector<std::int64_t>& time_ns, std::vector<DraftEdge>& edges) {
  graph.first_arrival = static_cast<NodeId>(time_ns.size());
  std::unordered_map<std::int32_t, std::int32_t> arrival_of;  // by index into MatchedJob::instances
  for (RankGraph& rank : graph.ranks) {
    for (GraphCollective& collective : rank.collectives) {
      if (collective.instance < 0) continue;
      const NodeId start = rank.start_of(collective.work);
      const std::int64_t start_ns = time_ns[static_cast<std::size_t>(start)];
      const auto next = static_cast<std::int32_t>(graph.arrivals.size());
      const auto [at, added] = arrival_of.try_emplace(collective.instance, next);
      if (added) {
        graph.arrivals.emplace_back();
        time_ns.push_back(start_ns);
      }
      collective.instance = at->second;
      const NodeId node = graph.first_arrival + at->second;
      graph.arrivals[static_cast<std::size_t>(at->second)].push_back(start);
      std::int64_t& arrival_ns = time_ns[static_cast<std::size_t>(node)];
      arrival_ns = std::max(arrival_ns, start_ns);
      edges.push_back({node, {start, 0, EdgeKind::arrival}});
      edges.push_back({rank.end_of(collective.work), {node, GraphEdge::kRecordedLag, EdgeKind::move}});
    }
  }
}

void add_alone_edges(const RankGraph& rank, std::vector<DraftEdge>& edges) {
  constexpr std::int64_t kWaitedNs = 5'000;
  const Trace& trace = *rank.trace;
  for (const GraphCollective& collective : rank.collectives) {
    if (collective.instance >= 0 || collective.before < 0) continue;
    const std::int64_t length_ns = trace.duration_ns(rank.works[collective.work].slice);
    if (length_ns - collective.shortest_ns <= kWaitedNs) continue;
    const std::uint32_t before = rank.collectives[static_cast<std::size_t>(collective.before)].work;
    edges.push_back({rank.end_of(collective.work),
                     {rank.end_of(before), GraphEdge::kRecordedLag, EdgeKind::arrival, GraphEdge::kInert}});
  }
}

}  // namespace kino
