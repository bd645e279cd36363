#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "core/base/saturating.hpp"
#include "core/critical/ended_work.hpp"
#include "core/critical/gpu_dependences.hpp"
#include "core/critical/waiting_calls.hpp"
#include "core/trace/flow_links.hpp"
#include "core/trace/links/gpu_work.hpp"

namespace kino {
namespace {

class LineEdges {
 public:
  LineEdges(const EdgeInputs& inputs, std::vector<DraftEdge>& edges)
      : inputs_(inputs),
        rank_(inputs.rank),
        trace_(*inputs.rank.trace),
        works_(inputs.works),
        tolerance_ns_(inputs.has_whole_us ? 2'000 : 0),
        edges_(edges) {
    for (const std::uint32_t work : works_.by_launch) {
      by_stream_[rank_.works[work].stream].push_back(work);
      by_track_[works_.track[work]].push_back(work);
    }
    for (std::uint32_t stream = 0; stream < rank_.streams.size(); ++stream)
      numbered_.try_emplace(stream_number(trace_.track(rank_.streams[stream])), stream);
  }

  void add_chains() {
    for (std::size_t line = 0; line + 1 < rank_.line_first.size(); ++line) {
      for (NodeId node = rank_.line_first[line] + 1; node < rank_.line_first[line + 1]; ++node) {
        using Kind = LineNode::Kind;
        const Kind kind = node_at(node).kind;
        const bool own = kind == Kind::wait_end || kind == Kind::implicit_end || is_full_queue(node);
        if (kind == Kind::burst_begin) continue;
        put(node, node - 1, EdgeKind::chain, own ? GraphEdge::kOwnCost : std::uint8_t{0});
      }
    }
  }

  void add_waits(const std::stop_token& stop) {
    find_ended();
    for (std::size_t i = 0; i < inputs_.waits.size(); ++i) {
      if (stop.stop_requested()) return;
      const SliceId call = inputs_.waits[i];
      const auto nodes = inputs_.calls.find(index_of(call));
      if (nodes != inputs_.calls.end() && nodes->second.end >= 0) add_wait(i, nodes->second);
    }
  }

  void add_implicit() {
    for (const ImplicitWait& wait : inputs_.implicit) {
      const auto first = rank_.line_nodes.begin() + (rank_.line_first[wait.line] - rank_.first_line);
      const auto last = rank_.line_nodes.begin() + (rank_.line_first[wait.line + 1] - rank_.first_line);
      const std::int64_t end_ns = wait.range.end_ns;
      auto end = std::ranges::lower_bound(first, last, end_ns, {}, &LineNode::time_ns);
      while (end != last && end->time_ns == end_ns && end->kind != LineNode::Kind::implicit_end) ++end;
      if (end == last || end->time_ns != end_ns) continue;
      put(rank_.first_line + static_cast<NodeId>(end - rank_.line_nodes.begin()), rank_.end_of(wait.work),
          EdgeKind::sync_return, GraphEdge::kInferred | GraphEdge::kWaited);
    }
  }

  void add_loader_calls() {
    constexpr std::int64_t kLeastNs = 500'000;
    NodeId before = kNoNode;
    std::int64_t begin_ns = 0;
    for (std::size_t i = 0; i < rank_.line_nodes.size(); ++i) {
      const LineNode& node = rank_.line_nodes[i];
      if (node.kind == LineNode::Kind::loader_begin) begin_ns = node.time_ns;
      if (node.kind != LineNode::Kind::loader_end) continue;
      if (trace_.name_of(node.slice).find("MultiProcessing") == std::string_view::npos) continue;
      const NodeId id = rank_.first_line + static_cast<NodeId>(i);
      if (before != kNoNode && node.time_ns - begin_ns > kLeastNs)
        put(id, before, EdgeKind::loader, GraphEdge::kInert);
      before = id;
    }
  }

  void add_bursts() {
    for (NodeId node = rank_.line_first.size() > 1 ? rank_.line_first[1] : 0; node < rank_.line_first.back();
         ++node) {
      if (node_at(node).kind != LineNode::Kind::burst_begin) continue;
      const NodeId source = hand_off_at(node_at(node).time_ns);
      if (source != kNoNode) put(node, source, EdgeKind::hand_off, 0);
    }
  }

  void add_full_queues() {
    for (const FullQueue& full : inputs_.full_queues) {
      const auto nodes = inputs_.calls.find(index_of(full.call));
      if (nodes == inputs_.calls.end() || nodes->second.end < 0) continue;
      put(rank_.first_line + nodes->second.end, rank_.start_of(full.started), EdgeKind::sync_return,
          GraphEdge::kFullQueue | GraphEdge::kWaited);
    }
  }

 private:
  const LineNode& node_at(NodeId node) const {
    return rank_.line_nodes[static_cast<std::size_t>(node - rank_.first_line)];
  }
  void put(NodeId target, NodeId source, EdgeKind kind, std::uint8_t flags = 0) {
    edges_.push_back({target, {source, GraphEdge::kRecordedLag, kind, flags}});
  }
  /// Whether the node ends a launch call that waits for a full queue.
  bool is_full_queue(NodeId node) const {
    const LineNode& end = node_at(node);
    return end.kind == LineNode::Kind::call_end &&
           std::ranges::binary_search(inputs_.full_queues, end.slice, {}, &FullQueue::call);
  }
  /// Returns the main line's node at the start of a burst of another line.
  NodeId hand_off_at(std::int64_t time_ns) const {
    const auto first = rank_.line_nodes.begin();
    const auto last = first + (rank_.line_first[1] - rank_.first_line);
    auto at = std::ranges::lower_bound(first, last, time_ns, {}, &LineNode::time_ns);
    while (at != last && at->time_ns == time_ns && at->kind != LineNode::Kind::hand_off) ++at;
    if (at == last || at->time_ns != time_ns) return kNoNode;
    return rank_.first_line + static_cast<NodeId>(at - first);
  }

  /// Returns the last work of the stream whose launch begins before the call.
  std::optional<std::uint32_t> last_launched(std::uint32_t stream, std::int64_t begin_ns) const {
    const auto found = by_stream_.find(stream);
    if (found == by_stream_.end()) return std::nullopt;
    const auto after = std::ranges::lower_bound(
        found->second, begin_ns, {}, [&](std::uint32_t work) { return works_.call_begin_ns[work]; });
    if (after == found->second.begin()) return std::nullopt;
    return *(after - 1);
  }

  /// Finds, for each wait, the work that ended last by its end, among the work launched before its begin.
  void find_ended() {
    std::vector<EndedQuery> queries;
    queries.reserve(inputs_.waits.size());
    for (const SliceId call : inputs_.waits) {
      queries.push_back(
          {rank_.time.common_ns(trace_.start_ns(call)), rank_.time.common_ns(trace_.end_ns(call))});
    }
    ended_ = last_ended(works_, queries);
  }
  /// Returns the work that ended last within the call, among the work launched before the call.
  std::optional<std::uint32_t> last_ended_within(std::size_t wait, std::int64_t begin_ns) const {
    const std::uint32_t work = ended_[wait];
    if (work == RankWork::kNone || works_.end_ns[work] < begin_ns) return std::nullopt;
    return work;
  }

  std::vector<std::uint32_t> works_of_all_streams(std::int64_t begin_ns, std::int64_t end_ns) const {
    std::vector<std::uint32_t> works;
    for (std::uint32_t stream = 0; stream < rank_.streams.size(); ++stream) {
      const auto work = last_launched(stream, begin_ns);
      if (work && works_.end_ns[*work] <= saturating_add(end_ns, tolerance_ns_)) works.push_back(*work);
    }
    constexpr std::size_t kMost = 64;  // more streams occur only in hostile files
    if (works.size() > kMost) {
      std::ranges::nth_element(works, works.begin() + kMost, std::greater<>(),
                               [&](std::uint32_t work) { return works_.end_ns[work]; });
      works.resize(kMost);
    }
    return works;
  }

  /// Returns the stream that a synchronization names, or that of the thread's last launch.
  std::optional<std::uint32_t> stream_of_call(SliceId call, std::int64_t begin_ns) const {
    for (const SliceId sync : launched_by(trace_, call)) {
      if (trace_.kind(sync) != SliceKind::gpu_sync) continue;
      const auto stream = numbered_.find(stream_number(trace_.track(trace_.track_of(sync))));
      if (stream != numbered_.end()) return stream->second;
    }
    const auto launches = by_track_.find(index_of(trace_.track_of(call)));
    if (launches == by_track_.end()) return std::nullopt;
    const auto after = std::ranges::lower_bound(
        launches->second, begin_ns, {}, [&](std::uint32_t work) { return works_.call_begin_ns[work]; });
    if (after == launches->second.begin()) return std::nullopt;
    return rank_.works[*(after - 1)].stream;
  }

  std::vector<std::uint32_t> targets_of(std::size_t wait, std::int64_t begin_ns, std::int64_t end_ns) const {
    const SliceId call = inputs_.waits[wait];
    switch (wait_target(trace_.name_of(call))) {
      case WaitTarget::copy: {
        const auto after = std::ranges::upper_bound(
            works_.by_launch, std::pair(begin_ns, call), {},
            [&](std::uint32_t work) { return std::pair(works_.call_begin_ns[work], works_.launch[work]); });
        if (after == works_.by_launch.begin() || works_.launch[*(after - 1)] != call) return {};
        return {*(after - 1)};
      }
      case WaitTarget::stream: {
        const auto stream = stream_of_call(call, begin_ns);
        const auto work = stream ? last_launched(*stream, begin_ns) : std::nullopt;
        const bool ended = work && works_.end_ns[*work] <= saturating_add(end_ns, tolerance_ns_);
        if (ended && works_.end_ns[*work] >= begin_ns) return {*work};
        if (const auto other = last_ended_within(wait, begin_ns)) return {*other};
        if (ended) return {*work};
        return {};
      }
      case WaitTarget::event: {
        const auto work = last_ended_within(wait, begin_ns);
        if (work) return {*work};
        return {};
      }
      case WaitTarget::memory:
        if (runs_at(end_ns)) return {};
        return works_of_all_streams(begin_ns, end_ns);
      default:
        return works_of_all_streams(begin_ns, end_ns);
    }
  }

  bool runs_at(std::int64_t time_ns) const {
    for (const auto& stream : works_.by_stream) {
      const auto after = std::ranges::lower_bound(stream, time_ns, {},
                                                  [&](std::uint32_t work) { return works_.start_ns[work]; });
      if (after != stream.begin() && works_.end_ns[*(after - 1)] > time_ns) return true;
    }
    return false;
  }

  void add_wait(std::size_t wait, const CallNodes& nodes) {
    const SliceId call = inputs_.waits[wait];
    const std::int64_t begin_ns = rank_.time.common_ns(trace_.start_ns(call));
    const std::int64_t end_ns = rank_.time.common_ns(trace_.end_ns(call));
    const std::vector<std::uint32_t> targets = targets_of(wait, begin_ns, end_ns);
    for (const std::uint32_t work : targets) {
      const bool waited = works_.end_ns[work] >= begin_ns;
      put(rank_.first_line + nodes.end, rank_.end_of(work), EdgeKind::sync_return,
          waited ? GraphEdge::kWaited : std::uint8_t{0});
    }
  }

  const EdgeInputs& inputs_;
  RankGraph& rank_;
  const Trace& trace_;
  const RankWork& works_;
  std::int64_t tolerance_ns_;
  std::vector<DraftEdge>& edges_;
  // Launched work in order of launch, by stream and by the track of the launch.
  std::map<std::uint32_t, std::vector<std::uint32_t>> by_stream_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> by_track_;
  std::map<std::string, std::uint32_t> numbered_;  // first stream with each number
  std::vector<std::uint32_t> ended_;               // by wait, see last_ended()
};

}  // namespace

void add_line_edges(const EdgeInputs& inputs, std::vector<DraftEdge>& edges, const std::stop_token& stop) {
  LineEdges builder(inputs, edges);
  builder.add_chains();
  if (stop.stop_requested()) return;
  builder.add_waits(stop);
  builder.add_implicit();
  builder.add_loader_calls();
  builder.add_bursts();
  builder.add_full_queues();
}

}  // namespace kino
