#include "core/tables/capture/capture_join.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/base/ascii.hpp"
#include "core/base/string_table.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/links/graph_replays.hpp"

namespace kino {
namespace {

/// Bound of the comparisons of a hostile file: a few seconds. Real traces need less than a hundredth.
constexpr std::size_t kMostCompared = std::size_t{1} << 28U;

using Items = std::vector<SequenceItem>;

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash ^= value + 0x9e3779b97f4a7c15ULL + (hash << 6U) + (hash >> 2U);
  return hash * 0xff51afd7ed558ccdULL;
}

struct ItemsHash {
  std::size_t operator()(const Items& items) const {
    std::uint64_t hash = items.size();
    for (const SequenceItem& item : items) {
      hash = mixed(hash, static_cast<std::uint64_t>(item.kind) << 32U | item.name);
      hash = mixed(hash, item.call);
      for (const std::int64_t size : item.grid) hash = mixed(hash, static_cast<std::uint64_t>(size));
    }
    return static_cast<std::size_t>(hash);
  }
};

/// Distinct sequences, with an index for each.
class Sequences {
 public:
  /// Returns the index of the sequence.
  std::size_t add(Items sequence) {
    const auto [at, added] = indices_.try_emplace(std::move(sequence), items_.size());
    if (added) items_.push_back(&at->first);
    return at->second;
  }

  std::size_t size() const { return items_.size(); }
  const Items& operator[](std::size_t index) const { return *items_[index]; }

 private:
  std::unordered_map<Items, std::size_t, ItemsHash> indices_;
  std::vector<const Items*> items_;  // keys of `indices_`, whose addresses do not change
};

/// A capture whose comparison with a sequence had a result.
struct Candidate {
  std::uint32_t capture = 0;
  std::size_t shape = 0;  // index of the distinct capture sequence
  JoinLevel level = JoinLevel::none;
};

NodeKind work_kind(const Trace& trace, SliceId work) {
  if (trace.kind(work) != SliceKind::copy) return NodeKind::kernel;
  const bool memset = contains(trace.category_text(trace.category(work)), "emset") ||
                      trace.name_of(work).starts_with("Memset");
  return memset ? NodeKind::memset : NodeKind::copy;
}

class Joiner {
 public:
  Joiner(const Trace& trace, const GraphCaptures& captures, std::span<const BatchWindow> batches,
         const std::stop_token& stop)
      : trace_(trace), captures_(captures), batches_(batches), stop_(stop), facts_(decode_facts(trace)) {}

  CaptureJoin run() {
    std::vector<GraphReplay> replays = graph_replays(trace_, whole_range(trace_), stop_);
    std::ranges::stable_sort(replays, {},
                             [&](const GraphReplay& replay) { return trace_.start_ns(replay.launch); });
    if (!replays.empty()) add_captures();
    for (GraphReplay& replay : replays) {
      if (stop_.stop_requested()) return {};
      add(replay);
    }
    return std::move(join_);
  }

 private:
  void add_captures() {
    const std::vector<GraphCapture>& captures = captures_.captures();
    capture_shapes_.reserve(captures.size());
    for (const GraphCapture& capture : captures) {
      if (stop_.stop_requested()) return;
      capture_shapes_.push_back(captured_.add(capture_items(capture)));
    }
    for (std::uint32_t i = 0; i < captures.size(); ++i) of_shape_[capture_shapes_[i]].push_back(i);
    for (std::size_t i = 0; i < captured_.size(); ++i) by_length_.emplace(captured_[i].size(), i);
  }

  Items capture_items(const GraphCapture& capture) {
    Items items;
    items.reserve(capture.nodes.size());
    std::map<SliceId, std::uint32_t> launches;  // by operator: number of launches so far
    for (const CapturedLaunch& node : capture.nodes) {
      SequenceItem item{.kind = node.kind};
      if (node.kind == NodeKind::kernel) {
        const std::string name = captures_.kernel_name(node);
        if (!name.empty()) item.name = names_.intern(name);
        item.grid = captures_.facts_of(node.launch).grid;
      }
      item.call =
          call_index(captures_.operator_name(node), captures_.shapes_of_inputs(node), launches[node.op]++);
      items.push_back(item);
    }
    return items;
  }

  /// Returns the index of an operator, its shapes and the number of the launch in its call.
  std::uint32_t call_index(std::string_view op, std::string_view shapes, std::uint32_t number) {
    const auto key = std::tuple(calls_.intern(op), calls_.intern(shapes), number);
    return call_indices_.try_emplace(key, static_cast<std::uint32_t>(call_indices_.size())).first->second;
  }

  /// Sorts work by graph node, if each piece has one, else by start.
  void sort_work(std::vector<SliceId>& work) const {
    const auto node = [&](SliceId slice) { return facts_[facts_index(trace_, slice)].graph_node; };
    const bool numbered = std::ranges::all_of(work, [&](SliceId slice) { return node(slice) >= 0; });
    std::ranges::stable_sort(work, {}, [&](SliceId slice) {
      return std::tuple(numbered ? node(slice) : 0, trace_.start_ns(slice), slice);
    });
  }

  Items work_items(const std::vector<SliceId>& work) {
    Items items;
    items.reserve(work.size());
    for (const SliceId slice : work) {
      SequenceItem item{.kind = work_kind(trace_, slice)};
      if (item.kind == NodeKind::kernel) {
        item.name = name_of(trace_.name(slice));
        item.grid = facts_[facts_index(trace_, slice)].grid;
      }
      items.push_back(item);
    }
    return items;
  }

  std::uint32_t name_of(NameId name) {
    const auto [at, added] = work_names_.try_emplace(index_of(name), 0);
    if (added) at->second = names_.intern(trace_.name_text(name));
    return at->second;
  }

  void add(GraphReplay& replay) {
    sort_work(replay.work);
    ReplayJoin row{
        .launch = replay.launch, .first_work = join_.work.size(), .work_count = replay.work.size()};
    join_.work.insert(join_.work.end(), replay.work.begin(), replay.work.end());
    join_.nodes.resize(join_.work.size(), CaptureJoin::kNoNode);
    if (!replay.work.empty()) {
      const std::size_t sequence = replayed_.add(work_items(replay.work));
      if (sequence == candidates_.size()) candidates_.push_back(candidates_of(replayed_[sequence]));
      choose(sequence, row);
    }
    join_.replays.push_back(row);
  }

  /// Compares a sequence with every distinct capture of similar length.
  std::vector<Candidate> candidates_of(const Items& work) {
    std::vector<Candidate> candidates;
    // Captures of other lengths differ by more than an alignment may.
    const std::size_t shortest = work.size() - work.size() / 50;
    const std::size_t longest = work.size() + work.size() / 49 + 1;
    const auto end = by_length_.upper_bound(longest);
    for (auto at = by_length_.lower_bound(shortest); at != end; ++at) {
      const Items& captured = captured_[at->second];
      if (compared_ > kMostCompared || stop_.stop_requested()) break;
      SequenceJoin join = join_sequences(captured, work, stop_);
      compared_ += join.steps;
      if (join.level == JoinLevel::none) continue;
      compared_ += of_shape_[at->second].size();
      for (const std::uint32_t capture : of_shape_[at->second])
        candidates.push_back({capture, at->second, join.level});
      joins_.try_emplace({at->second, candidates_.size()}, std::move(join));
    }
    const std::vector<GraphCapture>& captures = captures_.captures();
    std::ranges::sort(candidates, {}, [&](const Candidate& candidate) {
      const GraphCapture& capture = captures[candidate.capture];
      return std::tuple(candidate.level, -static_cast<std::int64_t>(capture.nodes.size()), capture.batch,
                        candidate.capture);
    });
    return candidates;
  }

  /// Returns the candidates that a replay may take: the best level and the most nodes, by batch.
  std::vector<Candidate> best_candidates(std::size_t sequence, SliceId launch) {
    const std::vector<GraphCapture>& captures = captures_.captures();
    const bool same_trace = &captures_.trace() == &trace_;
    const std::uint32_t process = trace_.track(trace_.track_of(launch)).process;
    std::vector<Candidate> best;
    for (const Candidate& candidate : candidates_[sequence]) {
      if (++compared_ > kMostCompared) break;
      const GraphCapture& capture = captures[candidate.capture];
      const bool earlier = capture.range.end_ns <= trace_.start_ns(launch) && capture.process == process;
      if (same_trace && !earlier) continue;
      const bool worse =
          !best.empty() && (candidate.level != best.front().level ||
                            capture.nodes.size() != captures[best.front().capture].nodes.size());
      if (worse) break;
      best.push_back(candidate);
    }
    return best;
  }

  void choose(std::size_t sequence, ReplayJoin& row) {
    std::vector<Candidate> best = best_candidates(sequence, row.launch);
    if (best.empty()) return;
    const std::vector<GraphCapture>& captures = captures_.captures();
    const auto batch = [&](const Candidate& candidate) { return captures[candidate.capture].batch; };
    const std::int64_t tokens = tokens_at(trace_.start_ns(row.launch));
    std::int64_t size = batch(best.front());
    row.shapes = size == batch(best.back());
    if (!row.shapes && tokens >= 0) {
      const auto holds = std::ranges::lower_bound(best, tokens, {}, batch);
      row.shapes = holds != best.end();
      size = batch(row.shapes ? *holds : best.back());
    }
    const auto alike = std::ranges::lower_bound(best, size, {}, batch);
    const auto count = static_cast<std::size_t>(std::ranges::upper_bound(best, size, {}, batch) - alike);
    row.alternatives = static_cast<std::uint32_t>(count);
    const std::size_t number = replay_number(sequence, row.launch) % count;
    const Candidate& chosen = alike[static_cast<std::ptrdiff_t>(number)];
    const SequenceJoin& join = joins_.at({chosen.shape, sequence});
    row.level = chosen.level;
    row.capture = chosen.capture;
    row.joined = join.joined;
    std::ranges::copy(join.nodes, join_.nodes.begin() + static_cast<std::ptrdiff_t>(row.first_work));
  }

  /// Returns the index of the batch whose launches contain the time; the number of batches if there is none.
  std::size_t batch_at(std::int64_t time_ns) const {
    const auto after = std::ranges::upper_bound(
        batches_, time_ns, {}, [](const BatchWindow& window) { return window.launches.begin_ns; });
    if (after == batches_.begin() || time_ns >= std::prev(after)->launches.end_ns) return batches_.size();
    return static_cast<std::size_t>(std::prev(after) - batches_.begin());
  }

  std::int64_t tokens_at(std::int64_t time_ns) const {
    const std::size_t batch = batch_at(time_ns);
    return batch == batches_.size() ? -1 : batches_[batch].tokens;
  }

  /// Returns the number of earlier replays of the sequence in the same batch and process.
  std::size_t replay_number(std::size_t sequence, SliceId launch) {
    const std::size_t batch = batch_at(trace_.start_ns(launch));
    const std::uint32_t process = trace_.track(trace_.track_of(launch)).process;
    return numbers_[{batch, process, sequence}]++;
  }

  const Trace& trace_;
  const GraphCaptures& captures_;
  const std::span<const BatchWindow> batches_;
  const std::stop_token& stop_;
  const std::vector<EventFacts> facts_;
  CaptureJoin join_;
  StringTable names_;                                            // of kernels, of both traces
  std::unordered_map<std::uint32_t, std::uint32_t> work_names_;  // by NameId
  StringTable calls_;                                            // operators and shapes
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> call_indices_;
  Sequences captured_;
  Sequences replayed_;
  std::vector<std::size_t> capture_shapes_;                            // by capture
  std::map<std::size_t, std::vector<std::uint32_t>> of_shape_;         // captures by distinct sequence
  std::multimap<std::size_t, std::size_t> by_length_;                  // distinct captured sequences
  std::vector<std::vector<Candidate>> candidates_;                     // by replayed sequence
  std::map<std::pair<std::size_t, std::size_t>, SequenceJoin> joins_;  // by captured, replayed sequence
  std::map<std::tuple<std::size_t, std::uint32_t, std::size_t>, std::size_t> numbers_;
  std::size_t compared_ = 0;
};

}  // namespace

std::size_t CaptureJoin::joined() const {
  std::size_t count = 0;
  for (const ReplayJoin& replay : replays) count += replay.joined;
  return count;
}

std::array<std::size_t, kJoinLevelCount> CaptureJoin::levels() const {
  std::array<std::size_t, kJoinLevelCount> counts{};
  for (const ReplayJoin& replay : replays) ++counts[static_cast<std::size_t>(replay.level)];
  return counts;
}

CaptureJoin capture_join(const Trace& trace, const GraphCaptures& captures,
                         std::span<const BatchWindow> batches, const std::stop_token& stop) {
  return Joiner(trace, captures, batches, stop).run();
}

JoinedWork::JoinedWork(const CaptureJoin& join, const GraphCaptures& captures)
    : join_(join), captures_(captures) {
  by_slice_.reserve(join.work.size());
  for (std::uint32_t i = 0; i < join.work.size(); ++i) {
    if (join.nodes[i] != CaptureJoin::kNoNode) by_slice_.push_back(i);
  }
  std::ranges::sort(by_slice_, {}, [&](std::uint32_t index) { return join.work[index]; });
}

std::optional<JoinedWork::Node> JoinedWork::find(SliceId work) const {
  const auto slice = [&](std::uint32_t index) { return join_.work[index]; };
  const auto found = std::ranges::lower_bound(by_slice_, work, {}, slice);
  if (found == by_slice_.end() || slice(*found) != work) return std::nullopt;
  const auto after =
      std::ranges::upper_bound(join_.replays, std::size_t{*found}, {}, &ReplayJoin::first_work);
  // Replays without work have the same first index as the next one, so the last of them has the work.
  const ReplayJoin& replay = *std::prev(after);
  return Node{&replay, &captures_.captures()[replay.capture].nodes[join_.nodes[*found]]};
}

}  // namespace kino
