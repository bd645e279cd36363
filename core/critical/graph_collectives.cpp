#include "core/critical/graph_collectives.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "core/job/link_speeds.hpp"

namespace kino {

void find_collectives(RankGraph& rank, const RankWork& works, const RankDigest& digest) {
  using Signature = std::tuple<std::uint32_t, std::int64_t, std::int64_t, std::uint32_t, std::uint32_t>;
  std::unordered_map<std::uint32_t, std::uint32_t> work_of;  // by slice
  for (std::uint32_t i = 0; i < rank.works.size(); ++i) work_of[index_of(rank.works[i].slice)] = i;
  std::map<Signature, std::int64_t> shortest;
  std::vector<Signature> signatures;
  for (const CommunicationKernel& kernel : digest.kernels) {
    const auto found = work_of.find(index_of(kernel.slice));
    if (found == work_of.end()) continue;
    // Sizes in annotations may differ from those of the kernel.
    const bool known = kernel.evidence == GroupEvidence::kernel;
    const Signature signature =
        known ? Signature{kernel.family, kernel.in_elements, kernel.out_elements, kernel.dtype, 0}
              : Signature{kernel.family, -1, -1, 0, kernel.algorithm};
    rank.works[found->second].collective = static_cast<std::int32_t>(rank.collectives.size());
    rank.collectives.push_back({found->second, -1, 0, static_cast<std::int32_t>(rank.collectives.size()) - 1,
                                bus_bytes(digest, kernel)});
    signatures.push_back(signature);
    const std::int64_t length_ns = works.end_ns[found->second] - works.start_ns[found->second];
    const auto [at, added] = shortest.try_emplace(signature, length_ns);
    if (!added) at->second = std::min(at->second, length_ns);
  }
  for (std::size_t i = 0; i < signatures.size(); ++i)
    rank.collectives[i].shortest_ns = shortest[signatures[i]];
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
