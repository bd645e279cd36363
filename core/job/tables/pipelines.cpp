#include "core/job/tables/pipelines.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "core/base/ascii.hpp"
#include "core/trace/links/busy_time.hpp"

namespace kino {
namespace {

double share_of(std::int64_t bubble_ns, std::int64_t busy_ns) {
  if (bubble_ns + busy_ns <= 0) return -1;
  return static_cast<double>(bubble_ns) / static_cast<double>(bubble_ns + busy_ns);
}

/// Ranks that exchange messages in a group, by index of the digests.
struct MessageGraph {
  std::string description;
  std::map<std::uint32_t, std::set<std::uint32_t>> neighbors;
};

std::map<std::string, MessageGraph> graphs_of(const JobAnalysis& job) {
  std::map<std::int64_t, std::uint32_t> index_of_rank;
  for (std::uint32_t i = 0; i < job.ranks.size(); ++i) index_of_rank.try_emplace(job.ranks[i]->rank, i);
  std::map<std::string, MessageGraph> graphs;
  for (const MatchedGroup& group : job.matched.groups) {
    if (group.kind != MatchedGroupKind::messages || group.source == group.target) continue;
    const auto source = index_of_rank.find(group.source);
    const auto target = index_of_rank.find(group.target);
    if (source == index_of_rank.end() || target == index_of_rank.end()) continue;
    MessageGraph& graph = graphs[group.name];
    graph.description = group.description;
    graph.neighbors[source->second].insert(target->second);
    graph.neighbors[target->second].insert(source->second);
  }
  return graphs;
}

bool names_pipeline(const std::string& text) {
  const std::string lower = lowered(text);
  return lower.find("pipe") != std::string::npos || lower == "pp" || lower.starts_with("pp_") ||
         lower.ends_with("_pp") || lower.ends_with(":pp");
}

/// Returns `from` and the ranks that messages connect with it, directly or through other ranks. Adds them to
/// `seen`.
std::vector<std::uint32_t> component_of(const MessageGraph& graph, std::uint32_t from,
                                        std::set<std::uint32_t>& seen) {
  std::vector<std::uint32_t> found{from};
  seen.insert(from);
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (const std::uint32_t other : graph.neighbors.at(found[i])) {
      if (seen.insert(other).second) found.push_back(other);
    }
  }
  return found;
}

class StageOrder {
 public:
  StageOrder(const JobAnalysis& job, const MessageGraph& graph, std::string_view name)
      : job_(job), graph_(graph), name_(name) {}

  /// Returns the ranks of a component from the first stage to the last; empty if they are not a pipeline.
  /// Sets `ring` to whether the last stage also sends to the first.
  std::vector<std::uint32_t> of(const std::vector<std::uint32_t>& ranks, bool& ring) const {
    std::vector<std::uint32_t> ends;
    for (const std::uint32_t rank : ranks) {
      const std::size_t count = graph_.neighbors.at(rank).size();
      if (count > 2) return {};
      if (count == 1) ends.push_back(rank);
    }
    ring = ends.empty();
    if (ring && !names_pipeline(graph_.description) && !names_pipeline(std::string(name_))) return {};
    const std::vector<std::uint32_t>& candidates = ring ? ranks : ends;
    const std::uint32_t first = *std::ranges::max_element(candidates, {}, [this](std::uint32_t rank) {
      return std::pair(steps_that_begin_with_a_send(rank), -job_.ranks[rank]->rank);
    });
    std::vector<std::uint32_t> order{first};
    std::optional<std::uint32_t> next = ring ? first_target(first) : *graph_.neighbors.at(first).begin();
    while (next && std::ranges::find(order, *next) == order.end()) {
      order.push_back(*next);
      const std::set<std::uint32_t>& around = graph_.neighbors.at(*next);
      const auto beyond = std::ranges::find_if(
          around, [&](std::uint32_t index) { return std::ranges::find(order, index) == order.end(); });
      next = beyond == around.end() ? std::nullopt : std::optional(*beyond);
    }
    return order.size() == ranks.size() ? order : std::vector<std::uint32_t>();
  }

 private:
  bool is_own(const RankDigest& rank, const CommunicationKernel& kernel) const {
    return kernel.is_message() && kernel.group != CommunicationKernel::kNoGroup &&
           rank.groups[kernel.group].name == name_;
  }

  std::int64_t steps_that_begin_with_a_send(std::uint32_t index) const {
    const RankDigest& rank = *job_.ranks[index];
    std::map<std::int64_t, bool> sends;
    for (const CommunicationKernel kernel : rank.kernels) {
      if (is_own(rank, kernel)) sends.try_emplace(kernel.step, kernel.kind == CollectiveKind::send);
    }
    // The first step may have been cut by the start of the recording.
    if (sends.size() > 1) sends.erase(sends.begin());
    std::int64_t count = 0;
    for (const auto& [step, send] : sends) count += send ? 1 : -1;
    return count;
  }

  std::optional<std::uint32_t> first_target(std::uint32_t index) const {
    const RankDigest& rank = *job_.ranks[index];
    for (const CommunicationKernel kernel : rank.kernels) {
      if (!is_own(rank, kernel) || kernel.kind != CollectiveKind::send) continue;
      for (const std::uint32_t index : graph_.neighbors.at(index)) {
        if (job_.ranks[index]->rank == kernel.target) return index;
      }
    }
    return std::nullopt;
  }

  const JobAnalysis& job_;
  const MessageGraph& graph_;
  std::string_view name_;
};

/// One stage of a pipeline. Times are by the rank's own clock.
class Stage {
 public:
  Stage(const JobAnalysis& job, const Pipeline& pipeline, std::size_t number)
      : job_(job), index_(pipeline.ranks[number]), rank_(*job.ranks[index_]) {
    const std::size_t count = pipeline.ranks.size();
    const auto at = [&](std::size_t stage) { return job.ranks[pipeline.ranks[stage % count]]->rank; };
    if (number > 0 || pipeline.ring) before_ = at(number + count - 1);
    if (number + 1 < count || pipeline.ring) after_ = at(number + 1);
    for (std::uint32_t k = 0; k < rank_.kernels.size(); ++k) {
      if (is_of_pipeline(rank_.kernels[k])) messages_.push_back(k);
    }
  }

  const RankDigest& rank() const { return rank_; }

  /// Returns the number of messages that a step sends to the next stage.
  std::int64_t sent_on(std::int64_t step) const {
    return std::ranges::count_if(messages_, [&](std::uint32_t k) {
      const CommunicationKernel kernel = rank_.kernels[k];
      return kernel.step == step && kernel.kind == CollectiveKind::send && kernel.target == after_;
    });
  }

  /// Returns the waiting for each message. `excess_ns`: the own excess of the late rank, by collective.
  /// Waiting up to this excess counts as straggling, and the rest as bubble.
  std::vector<PipelineMessage> messages(const std::map<std::uint32_t, std::int64_t>& excess_ns) const {
    std::vector<PipelineMessage> list;
    list.reserve(messages_.size());
    for (const std::uint32_t k : messages_) {
      const KernelWait wait = job_.waits.kernels[index_][k];
      const auto excess = excess_ns.find(wait.collective);
      const std::int64_t late_ns = excess == excess_ns.end() ? 0 : std::min(wait.waiting_ns, excess->second);
      list.push_back({k, wait.waiting_ns - late_ns, late_ns});
    }
    return list;
  }

  /// Returns times by index of RankDigest::steps.
  std::vector<StageTimes> times(const std::vector<PipelineMessage>& messages) const {
    std::vector<TimeRange> waiting;
    std::vector<TimeRange> busy = rank_.compute.list();
    std::vector<std::pair<std::int64_t, std::int64_t>> straggling;  // start of the message, excess in ns
    std::vector<std::int64_t> waited_ns(rank_.kernels.size(), -1);  // -1: not a message of the pipeline
    for (const PipelineMessage& message : messages) {
      waited_ns[message.kernel] = message.bubble_ns + message.straggling_ns;
      straggling.emplace_back(rank_.kernels.start_ns(message.kernel), message.straggling_ns);
    }
    for (std::uint32_t k = 0; k < rank_.kernels.size(); ++k) {
      const CommunicationKernel kernel = rank_.kernels[k];
      const std::int64_t moves = kernel.start_ns + std::max<std::int64_t>(waited_ns[k], 0);
      busy.push_back({moves, kernel.end_ns()});
      if (waited_ns[k] >= 0) waiting.push_back({kernel.start_ns, moves});
    }
    busy = united(std::move(busy));
    const BusyLine busy_line(busy);
    const BusyLine waits(without_ranges(united(std::move(waiting)), busy));
    std::vector<StageTimes> out;
    for (const RankStep& step : rank_.steps) {
      const TimeRange& range = step.range;
      StageTimes& times = out.emplace_back();
      times.busy_ns = busy_line.covered(range.begin_ns, range.end_ns);
      const std::int64_t waited = waits.covered(range.begin_ns, range.end_ns);
      for (const auto& [at, ns] : straggling) {
        if (at >= range.begin_ns && at < range.end_ns) times.straggling_ns += ns;
      }
      times.straggling_ns = std::min(times.straggling_ns, waited);
      times.bubble_ns = waited - times.straggling_ns;
    }
    return out;
  }

  std::vector<PipelineChunk> chunks() const {
    std::vector<Mark> marks;
    for (const RankStep& step : rank_.steps) marks.push_back({step.range.begin_ns, {}, {}, -1});
    for (const std::uint32_t k : messages_) {
      const CommunicationKernel kernel = rank_.kernels[k];
      if (kernel.kind == CollectiveKind::send) {
        const ChunkKind kind = kernel.target == after_ ? ChunkKind::forward : ChunkKind::backward;
        marks.push_back({kernel.start_ns, kind, {}, kernel.step});
      } else {
        const ChunkKind kind = kernel.source == before_ ? ChunkKind::forward : ChunkKind::backward;
        marks.push_back({kernel.start_ns, {}, {}, -1});
        marks.push_back({kernel.end_ns(), {}, kind, kernel.step});
      }
    }
    std::ranges::stable_sort(marks, {}, &Mark::time_ns);
    std::vector<PipelineChunk> chunks;
    std::size_t next = 0;  // index into RankDigest::compute
    Mark begin{INT64_MIN, {}, {}, -1};
    for (std::size_t i = 0; i <= marks.size(); ++i) {
      const Mark end = i < marks.size() ? marks[i] : Mark{INT64_MAX, {}, {}, -1};
      if (const std::optional<TimeRange> range = computed(next, begin.time_ns, end.time_ns))
        chunks.push_back(chunk_of(*range, begin, end));
      begin = end;
    }
    count(chunks);
    return chunks;
  }

 private:
  /// A time at which a chunk may end and another chunk start, with the kinds that this implies.
  struct Mark {
    std::int64_t time_ns = 0;
    std::optional<ChunkKind> ends;
    std::optional<ChunkKind> begins;
    std::int64_t step = -1;  // number of the step that launched the message
  };

  bool is_of_pipeline(const CommunicationKernel& kernel) const {
    const std::int64_t other = kernel.kind == CollectiveKind::send ? kernel.target : kernel.source;
    return kernel.is_message() && other >= 0 && (other == before_ || other == after_);
  }

  /// Returns the range from the first to the last compute in [begin_ns, end_ns); nullopt if there is none.
  /// Advances `next` to the last compute range in it.
  std::optional<TimeRange> computed(std::size_t& next, std::int64_t begin_ns, std::int64_t end_ns) const {
    const PackedRanges& compute = rank_.compute;
    while (next < compute.size() && compute[next].end_ns <= begin_ns) ++next;
    std::optional<TimeRange> range;
    for (std::size_t i = next; i < compute.size() && compute[i].begin_ns < end_ns; ++i) {
      if (!range) range = TimeRange{std::max(begin_ns, compute[i].begin_ns), 0};
      range->end_ns = std::min(end_ns, compute[i].end_ns);
      next = i;
    }
    return range;
  }

  PipelineChunk chunk_of(TimeRange own, const Mark& begin, const Mark& end) const {
    PipelineChunk chunk;
    const bool differ = begin.begins && end.ends && *begin.begins != *end.ends;
    chunk.kind = differ ? ChunkKind::both : begin.begins.value_or(end.ends.value_or(ChunkKind::other));
    // The GPU may still execute an earlier step, so the steps of messages have precedence over the CPU's
    // step.
    chunk.step = begin.begins ? begin.step : end.ends ? end.step : -1;
    if (chunk.step < 0) {
      const auto next = std::ranges::upper_bound(rank_.steps, own.begin_ns, {},
                                                 [](const RankStep& step) { return step.range.begin_ns; });
      if (next != rank_.steps.begin()) chunk.step = std::prev(next)->number;
    }
    const std::int64_t start = job_.clocks.common_ns(index_, own.begin_ns);
    chunk.range = {start, start + own.length_ns()};
    return chunk;
  }

  static void count(std::vector<PipelineChunk>& chunks) {
    std::array<std::uint32_t, 4> counts{};
    std::int64_t step = 0;
    for (PipelineChunk& chunk : chunks) {
      if (&chunk == chunks.data() || chunk.step != step) counts = {};
      step = chunk.step;
      const auto next = [&](ChunkKind kind) { return counts[static_cast<std::size_t>(kind)]++; };
      // A chunk of both kinds has the next forward number and the next backward number.
      const bool both = chunk.kind == ChunkKind::both;
      chunk.number = next(both ? ChunkKind::forward : chunk.kind);
      if (both) chunk.backward_number = next(ChunkKind::backward);
    }
  }

  const JobAnalysis& job_;
  std::uint32_t index_;
  const RankDigest& rank_;
  std::int64_t before_ = -1;  // ranks of the job; -1: none
  std::int64_t after_ = -1;
  std::vector<std::uint32_t> messages_;  // kernels, sorted by start
};

void fill(Pipeline& pipeline, const JobAnalysis& job,
          const std::map<std::uint32_t, std::int64_t>& excess_ns) {
  std::map<std::int64_t, PipelineStep> steps;
  for (std::size_t s = 0; s < pipeline.ranks.size(); ++s) {
    const Stage stage(job, pipeline, s);
    pipeline.chunks.push_back(stage.chunks());
    pipeline.messages.push_back(stage.messages(excess_ns));
    const std::vector<StageTimes> times = stage.times(pipeline.messages.back());
    for (std::size_t i = 0; i < times.size(); ++i) {
      const std::int64_t number = stage.rank().steps[i].number;
      PipelineStep& step = steps[number];
      step.number = number;
      if (s == 0) step.micro_batches = stage.sent_on(number);
      if (step.stages.size() == s) step.stages.push_back(times[i]);
    }
  }
  for (auto& [number, step] : steps) {
    if (step.stages.size() == pipeline.ranks.size()) pipeline.steps.push_back(std::move(step));
  }
}

double share_of_all(const std::vector<StageTimes>& stages) {
  StageTimes sum;
  for (const StageTimes& stage : stages) sum += stage;
  return sum.bubble_share();
}

}  // namespace

double StageTimes::bubble_share() const { return share_of(bubble_ns, busy_ns); }

StageTimes& StageTimes::operator+=(const StageTimes& other) {
  bubble_ns += other.bubble_ns;
  straggling_ns += other.straggling_ns;
  busy_ns += other.busy_ns;
  return *this;
}

double PipelineStep::bubble_share() const { return share_of_all(stages); }

double PipelineStep::even_bubble_share() const {
  const auto count = static_cast<double>(stages.size());
  return micro_batches > 0 ? (count - 1) / (static_cast<double>(micro_batches) + count - 1) : -1;
}

double Pipeline::bubble_share() const {
  StageTimes sum;
  for (const PipelineStep& step : steps) {
    for (const StageTimes& stage : step.stages) sum += stage;
  }
  return sum.bubble_share();
}

double Pipeline::even_bubble_share() const {
  double sum = 0;
  double known = 0;
  for (const PipelineStep& step : steps) {
    if (step.micro_batches <= 0) continue;
    sum += step.even_bubble_share();
    ++known;
  }
  return known > 0 ? sum / known : -1;
}

std::vector<Pipeline> pipelines_of(const JobAnalysis& job, const std::stop_token& stop) {
  std::map<std::uint32_t, std::int64_t> excess_ns;
  for (const LateCause& cause : job.causes) {
    if (cause.stop == LateStopReason::own && cause.own_ns > 0) excess_ns[cause.collective] = cause.own_ns;
  }
  std::vector<Pipeline> pipelines;
  for (const auto& [name, graph] : graphs_of(job)) {
    std::set<std::uint32_t> seen;
    for (const auto& [rank, neighbors] : graph.neighbors) {
      if (stop.stop_requested()) return {};
      if (seen.contains(rank)) continue;
      Pipeline pipeline;
      pipeline.name = name;
      pipeline.description = graph.description;
      pipeline.ranks = StageOrder(job, graph, name).of(component_of(graph, rank, seen), pipeline.ring);
      if (pipeline.ranks.size() < 2) continue;
      fill(pipeline, job, excess_ns);
      pipelines.push_back(std::move(pipeline));
    }
  }
  return pipelines;
}

}  // namespace kino
