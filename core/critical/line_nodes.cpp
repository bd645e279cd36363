#include "core/critical/line_nodes.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/base/step_words.hpp"
#include "core/tables/track_slices.hpp"

namespace kino {
namespace {

/// Work that starts this long before its launch call ends is launched from the start of the call.
constexpr std::int64_t kEarlyStartNs = 20'000;

struct NodeDraft {
  LineNode node;
  std::int64_t slice_start_ns = 0;
  std::size_t line = 0;
};

class NodeDrafts {
 public:
  NodeDrafts(const RankGraph& rank, std::size_t lines)
      : trace_(*rank.trace), line_of_(trace_.tracks.size(), lines) {
    for (std::size_t i = 0; i < lines; ++i) {
      for (const TrackId track : rank.lines[i].tracks) line_of_[index_of(track)] = i;
    }
    lines_ = lines;
  }

  /// Adds a node if the slice is on a line.
  void add(SliceId slice, std::int64_t time_ns, LineNode::Kind kind) {
    const std::size_t line = line_of_[index_of(trace_.track_of(slice))];
    if (line < lines_) add(line, {time_ns, slice, kind}, trace_.start_ns(slice));
  }
  void add(std::size_t line, LineNode node, std::int64_t slice_start_ns) {
    drafts_.push_back({node, slice_start_ns, line});
  }
  void add_both(SliceId slice, LineNode::Kind begin, LineNode::Kind end) {
    add(slice, trace_.start_ns(slice), begin);
    add(slice, trace_.end_ns(slice), end);
  }

  /// Returns the nodes in order of time. At equal times, slices end before others begin, and inner slices
  /// first: the end of a wait is before that of its step.
  std::vector<NodeDraft> sorted() {
    std::ranges::stable_sort(drafts_, {}, [](const NodeDraft& draft) {
      const bool ends = ends_slice(draft.node.kind) && draft.slice_start_ns < draft.node.time_ns;
      return std::tuple(draft.line, draft.node.time_ns, !ends,
                        ends ? ~draft.slice_start_ns : draft.slice_start_ns, draft.node.kind);
    });
    return std::move(drafts_);
  }

 private:
  static bool ends_slice(LineNode::Kind kind) {
    using Kind = LineNode::Kind;
    return kind == Kind::call_end || kind == Kind::wait_end || kind == Kind::loader_end ||
           kind == Kind::step_end || kind == Kind::implicit_end;
  }

  const Trace& trace_;
  std::vector<std::size_t> line_of_;
  std::size_t lines_ = 0;
  std::vector<NodeDraft> drafts_;
};

void add_launches(const RankWork& works, const Trace& trace, std::span<const SliceId> waits,
                  std::span<const FullQueue> full, NodeDrafts& drafts) {
  for (std::size_t first = 0; first < works.by_launch.size();) {
    const SliceId call = works.launch[works.by_launch[first]];
    bool from_begin = false;
    std::size_t last = first;
    for (; last < works.by_launch.size() && works.launch[works.by_launch[last]] == call; ++last) {
      const std::uint32_t work = works.by_launch[last];
      from_begin = from_begin || works.start_ns[work] < works.call_end_ns[work] - kEarlyStartNs;
    }
    from_begin =
        from_begin || last - first > 1 || std::ranges::binary_search(full, call, {}, &FullQueue::call);
    first = last;
    if (std::ranges::binary_search(waits, call)) continue;
    if (from_begin) drafts.add(call, trace.start_ns(call), LineNode::Kind::call_begin);
    drafts.add(call, trace.end_ns(call), LineNode::Kind::call_end);
  }
}

void add_loader_calls(const RankGraph& rank, NodeDrafts& drafts, const std::stop_token& stop) {
  const Trace& trace = *rank.trace;
  std::vector<std::uint8_t> loader(trace.names.size());
  bool any = false;
  for (std::uint32_t i = 0; i < trace.names.size(); ++i) {
    loader[i] = is_data_loading(trace.names[i]) ? 1 : 0;
    any = any || loader[i] != 0;
  }
  if (!any) return;
  std::vector<SliceId> calls;
  for (const ThreadLine& line : rank.lines) {
    for (const TrackId track : line.tracks) {
      calls.clear();
      for_each_slice_of(trace, trace.track(track), stop, [&](SliceId slice) {
        if (loader[index_of(trace.name(slice))] != 0) calls.push_back(slice);
      });
      // Callers precede their callees.
      std::ranges::stable_sort(calls, {}, [&](SliceId slice) {
        return std::pair(trace.start_ns(slice), -trace.duration_ns(slice));
      });
      std::int64_t until_ns = INT64_MIN;
      for (const SliceId slice : calls) {
        const bool inner = trace.end_ns(slice) <= until_ns;
        until_ns = std::max(until_ns, trace.end_ns(slice));
        const SliceKind kind = trace.kind(slice);
        if (inner || (kind != SliceKind::cpu_op && kind != SliceKind::annotation)) continue;
        drafts.add_both(slice, LineNode::Kind::loader_begin, LineNode::Kind::loader_end);
      }
    }
  }
}

/// The end of all work that was launched before a time.
class LaunchedEnds {
 public:
  explicit LaunchedEnds(const RankWork& works) : works_(works) {
    latest_.reserve(works.by_launch.size());
    for (const std::uint32_t work : works.by_launch)
      latest_.push_back(std::max(works.end_ns[work], latest_.empty() ? INT64_MIN : latest_.back()));
  }
  /// Returns the latest end; INT64_MIN without such work.
  std::int64_t until(std::int64_t time_ns) const {
    const auto after = std::ranges::lower_bound(
        works_.by_launch, time_ns, {}, [&](std::uint32_t work) { return works_.call_begin_ns[work]; });
    return after == works_.by_launch.begin()
               ? INT64_MIN
               : latest_[static_cast<std::size_t>(after - works_.by_launch.begin()) - 1];
  }

 private:
  const RankWork& works_;
  std::vector<std::int64_t> latest_;
};

}  // namespace

CallNodeMap make_line_nodes(RankGraph& rank, const RankWork& works, std::span<const SliceId> waits,
                            std::span<const ImplicitWait> implicit, std::span<const FullQueue> full,
                            const std::stop_token& stop) {
  const Trace& trace = *rank.trace;
  NodeDrafts drafts(rank, rank.lines.size());
  for (std::size_t i = 0; i < rank.lines.size(); ++i) {
    const TimeRange range = rank.lines[i].range;
    drafts.add(i, {range.begin_ns, kNoSlice, LineNode::Kind::line_begin}, INT64_MIN);
    drafts.add(i, {range.end_ns, kNoSlice, LineNode::Kind::line_end}, INT64_MAX);
    if (i == 0) continue;
    for (const TimeRange& burst : rank.lines[i].bursts) {
      drafts.add(i, {burst.begin_ns, kNoSlice, LineNode::Kind::burst_begin}, INT64_MIN);
      drafts.add(0, {burst.begin_ns, kNoSlice, LineNode::Kind::hand_off}, INT64_MAX);
    }
  }
  for (const Step& step : rank.steps.steps)
    drafts.add_both(step.slice, LineNode::Kind::step_begin, LineNode::Kind::step_end);
  add_launches(works, trace, waits, full, drafts);
  for (const SliceId call : waits)
    drafts.add_both(call, LineNode::Kind::wait_begin, LineNode::Kind::wait_end);
  add_loader_calls(rank, drafts, stop);
  for (const ImplicitWait& wait : implicit) {
    drafts.add(wait.line, {wait.range.begin_ns, kNoSlice, LineNode::Kind::implicit_begin},
               wait.range.begin_ns);
    drafts.add(wait.line, {wait.range.end_ns, kNoSlice, LineNode::Kind::implicit_end}, wait.range.begin_ns);
  }
  CallNodeMap calls;
  rank.line_first.assign(1, rank.first_line);
  std::size_t line = 0;
  const std::vector<NodeDraft> sorted = drafts.sorted();
  for (const NodeDraft& draft : sorted) {
    if (draft.line != line)
      rank.line_first.push_back(rank.first_line + static_cast<NodeId>(rank.line_nodes.size()));
    line = draft.line;
    using Kind = LineNode::Kind;
    const bool doubled = draft.node.kind == Kind::line_end && rank.line_nodes.back().kind == Kind::wait_end &&
                         rank.line_nodes.back().time_ns == draft.node.time_ns;
    if (doubled) continue;
    const auto index = static_cast<std::int32_t>(rank.line_nodes.size());
    const Kind kind = draft.node.kind;
    if (kind == Kind::call_begin || kind == Kind::wait_begin) calls[index_of(draft.node.slice)].begin = index;
    if (kind == Kind::call_end || kind == Kind::wait_end) calls[index_of(draft.node.slice)].end = index;
    rank.line_nodes.push_back(draft.node);
  }
  rank.line_first.push_back(rank.first_line + static_cast<NodeId>(rank.line_nodes.size()));
  return calls;
}

std::vector<ImplicitWait> implicit_waits(const RankGraph& rank, const RankWork& works,
                                         const std::stop_token& stop) {
  constexpr std::int64_t kLeastNs = 500'000;
  constexpr std::int64_t kSoonNs = 100'000;
  const LaunchedEnds ended_last(works);
  std::vector<ImplicitWait> waits;
  for (std::size_t line = 0; line < rank.lines.size(); ++line) {
    const std::vector<LinePiece>& pieces = rank.lines[line].pieces;
    for (std::size_t i = 0; i + 1 < pieces.size() && !stop.stop_requested(); ++i) {
      const TimeRange range{pieces[i].begin_ns, pieces[i + 1].begin_ns};
      if (range.length_ns() < kLeastNs) continue;
      const PathCause cause = pieces[i].cause;
      if (cause == PathCause::sync_call || cause == PathCause::launch_call || cause == PathCause::loader)
        continue;
      const std::int64_t begin_ns = rank.time.common_ns(range.begin_ns);
      const std::int64_t end_ns = rank.time.common_ns(range.end_ns);
      // Work that was launched before, and ends last within the range.
      const auto after = std::ranges::upper_bound(works.by_end, end_ns, {},
                                                  [&](std::uint32_t work) { return works.end_ns[work]; });
      for (auto at = after; at != works.by_end.begin();) {
        const std::uint32_t work = *--at;
        if (works.end_ns[work] < end_ns - kSoonNs || works.end_ns[work] < begin_ns) break;
        if (!works.launched(work) || works.call_begin_ns[work] >= begin_ns) continue;
        const std::int64_t ran_ns = end_ns - std::max(works.start_ns[work], begin_ns);
        const bool last_of_all = ended_last.until(begin_ns) <= works.end_ns[work];
        if (!last_of_all && ran_ns < end_ns - begin_ns - ran_ns) continue;
        waits.push_back({line, range, work});
        break;
      }
    }
  }
  return waits;
}

std::vector<FullQueue> full_queues(RankGraph& rank, const RankWork& works) {
  constexpr std::int64_t kLeastLongest = 900;
  constexpr std::int64_t kLeastCallNs = 20'000;
  struct Change {
    std::int64_t time_ns = 0;
    bool launch = false;  // at equal times, starts are first
    std::uint32_t work = 0;
  };
  struct Launched {
    std::uint32_t work = 0;
    std::int64_t queue = 0;
  };
  std::vector<std::vector<Launched>> launched(works.by_stream.size());
  std::int64_t longest = 0;
  std::vector<std::int64_t> longest_of(works.by_stream.size());
  for (std::size_t stream = 0; stream < works.by_stream.size(); ++stream) {
    std::vector<Change> changes;
    changes.reserve(2 * works.by_stream[stream].size());
    for (const std::uint32_t work : works.by_stream[stream]) {
      if (!works.launched(work)) continue;
      changes.push_back({works.call_begin_ns[work], true, work});
      changes.push_back({works.start_ns[work], false, work});
    }
    std::ranges::sort(changes, {}, [](const Change& change) {
      return std::tuple(change.time_ns, change.launch, change.work);
    });
    std::int64_t length = 0;
    for (const Change& change : changes) {
      if (change.launch) launched[stream].push_back({change.work, length});
      length += change.launch ? 1 : -1;
      longest_of[stream] = std::max(longest_of[stream], length);
    }
    longest = std::max(longest, longest_of[stream]);
  }
  rank.latencies.longest_queue = longest;
  std::vector<FullQueue> full;
  for (std::size_t stream = 0; stream < launched.size(); ++stream) {
    if (longest_of[stream] < kLeastLongest) continue;
    for (const Launched& launch : launched[stream]) {
      if (10 * launch.queue < 9 * longest_of[stream] || works.call_works[launch.work] > 1) continue;
      const std::int64_t begin_ns = works.call_begin_ns[launch.work];
      const std::int64_t end_ns = works.call_end_ns[launch.work];
      if (end_ns - begin_ns < kLeastCallNs) continue;
      const std::vector<std::uint32_t>& of_stream = works.by_stream[stream];
      const auto after = std::ranges::upper_bound(of_stream, end_ns, {},
                                                  [&](std::uint32_t work) { return works.start_ns[work]; });
      if (after == of_stream.begin() || works.start_ns[*(after - 1)] < begin_ns) continue;
      full.push_back({works.launch[launch.work], *(after - 1)});
    }
  }
  std::ranges::sort(full, {}, &FullQueue::call);
  return full;
}

}  // namespace kino
