#include "core/critical/gpu_dependences.hpp"

#include <algorithm>
#include <optional>

#include "core/critical/event_waits.hpp"
#include "core/tables/track_slices.hpp"

namespace kino {
namespace {

class WorkEdges {
 public:
  WorkEdges(const EdgeInputs& inputs, std::vector<DraftEdge>& edges)
      : rank_(inputs.rank),
        works_(inputs.works),
        calls_(inputs.calls),
        waits_(inputs.waits),
        tolerance_ns_(inputs.has_whole_us ? 2'000 : 0),
        edges_(edges) {}

  void add(std::uint32_t work) {
    add_launch(work);
    add_stream_order(work);
    const std::int32_t collective = rank_.works[work].collective;
    const bool joined =
        collective >= 0 && rank_.collectives[static_cast<std::size_t>(collective)].instance >= 0;
    if (!joined) put(rank_.end_of(work), rank_.start_of(work), EdgeKind::work);
  }

 private:
  void put(NodeId target, NodeId source, EdgeKind kind, std::uint8_t flags = 0) {
    edges_.push_back({target, {source, GraphEdge::kRecordedLag, kind, flags}});
  }

  void add_launch(std::uint32_t work) {
    if (!works_.launched(work)) return;
    const auto found = calls_.find(index_of(works_.launch[work]));
    if (found == calls_.end()) return;
    const CallNodes& call = found->second;
    const bool from_begin = call.begin >= 0 && (works_.call_works[work] > 1 || waits_for_itself(work) ||
                                                works_.start_ns[work] < works_.call_end_ns[work] - 20'000);
    const std::uint32_t before = works_.last_ended[work];
    const bool idle = before == RankWork::kNone || works_.end_ns[before] < works_.call_begin_ns[work];
    std::uint8_t flags = idle ? GraphEdge::kIdle : std::uint8_t{0};
    if (from_begin) flags |= GraphEdge::kCallBegin;
    put(rank_.start_of(work), rank_.first_line + (from_begin ? call.begin : call.end), EdgeKind::launch,
        flags);
  }

  bool waits_for_itself(std::uint32_t work) const {
    return std::ranges::binary_search(waits_, works_.launch[work]);
  }

  void add_stream_order(std::uint32_t work) {
    const std::uint32_t previous = works_.previous[work];
    if (previous == RankWork::kNone) return;
    const std::uint32_t last = works_.last_ended[work];
    bool ordered = follows(work, previous);
    if (ordered) put(rank_.start_of(work), rank_.end_of(previous), EdgeKind::stream_order);
    if (last != previous && follows(work, last)) {
      put(rank_.start_of(work), rank_.end_of(last), EdgeKind::stream_order);
      ordered = true;
    }
    if (!ordered) put(rank_.start_of(work), rank_.start_of(previous), EdgeKind::start_order);
  }

  /// Whether the work starts after the end of `before`, or at least after half of the duration of `before`.
  bool follows(std::uint32_t work, std::uint32_t before) const {
    const std::int64_t start_ns = works_.start_ns[work];
    if (start_ns >= works_.end_ns[before] - tolerance_ns_) return true;
    return start_ns - works_.start_ns[before] >= works_.end_ns[before] - start_ns;
  }

  RankGraph& rank_;
  const RankWork& works_;
  const CallNodeMap& calls_;
  std::span<const SliceId> waits_;
  std::int64_t tolerance_ns_;
  std::vector<DraftEdge>& edges_;
};

}  // namespace

void add_work_edges(const EdgeInputs& inputs, std::vector<DraftEdge>& edges, const std::stop_token& stop) {
  WorkEdges builder(inputs, edges);
  for (std::uint32_t i = 0; i < inputs.works.size(); ++i) {
    if (i % kCancelStride == 0 && stop.stop_requested()) return;
    builder.add(i);
  }
  add_event_waits(inputs, edges, stop);
}

void add_edges_from_times(const RankGraph& rank, const RankWork& works,
                          std::span<const std::int64_t> latest_ns, std::vector<DraftEdge>& edges) {
  constexpr std::int64_t kLeastUnexplainedNs = 8'000;
  constexpr std::int64_t kMostNs = 12'000;
  constexpr std::size_t kMostTried = 256;  // in a hostile file, all work ends at the same time
  for (std::uint32_t i = 0; i < works.size(); ++i) {
    const std::int64_t start_ns = works.start_ns[i];
    if (latest_ns[i] != INT64_MIN && start_ns - latest_ns[i] <= kLeastUnexplainedNs) continue;
    const auto after = std::ranges::upper_bound(works.by_end, start_ns, {},
                                                [&](std::uint32_t work) { return works.end_ns[work]; });
    std::size_t tried = 0;
    for (auto at = after; at != works.by_end.begin() && tried < kMostTried; ++tried) {
      const std::uint32_t other = *--at;
      if (works.end_ns[other] < start_ns - kMostNs) break;
      if (rank.works[other].stream == rank.works[i].stream || other >= i) continue;
      edges.push_back(
          {rank.start_of(i),
           {rank.end_of(other), GraphEdge::kRecordedLag, EdgeKind::wait_times, GraphEdge::kInferred}});
      break;
    }
  }
}

}  // namespace kino
