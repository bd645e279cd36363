#include "core/tables/compare/step_outline.hpp"

#include <algorithm>

#include "core/base/library_frames.hpp"
#include "core/base/parallel.hpp"
#include "core/base/step_words.hpp"
#include "core/trace/event_facts.hpp"
#include "core/trace/links/slice_relations.hpp"

namespace kino {
namespace {

/// Prefix of "Optimizer.step#SGD.step" and "Optimizer.zero_grad#SGD.zero_grad".
constexpr std::string_view kOptimizerPrefix = "Optimizer.";
constexpr std::string_view kOptimizerStep = "Optimizer.step#";
constexpr std::string_view kBackward = "Backward";
constexpr double kMinPhase = 0.03;  // minimum length of a phase between two parts of another phase, as a
                                    // share of the step

/// Meaning of a name for the events below it.
enum class Mark : std::uint8_t { none, step, loader, optimizer, zero_grad, backward };

/// Whether the name belongs to an autograd node ("MmBackward0"; "CudnnConvolutionBackward" in older versions)
/// or to the autograd engine.
bool is_backward(std::string_view name) {
  if (is_autograd_engine(name) || name.starts_with("torch::autograd::")) return true;
  while (!name.empty() && name.back() >= '0' && name.back() <= '9') name.remove_suffix(1);
  return name.size() > kBackward.size() && name.ends_with(kBackward);
}

Mark mark_of(std::string_view name) {
  if (is_step_name(name)) return Mark::step;
  if (is_data_loading(name)) return Mark::loader;
  if (name.starts_with(kOptimizerStep)) return Mark::optimizer;
  if (name.starts_with(kOptimizerPrefix)) return Mark::zero_grad;
  return is_backward(name) ? Mark::backward : Mark::none;
}

/// Phase and operator of work.
struct Origin {
  StepPhase phase = StepPhase::forward;
  SliceId op = kNoSlice;
};

class OutlineMaker {
 public:
  OutlineMaker(const Trace& trace, const TimeAttribution& ledger) : trace_(trace), ledger_(ledger) {
    marks_.reserve(trace.names.size());
    for (const std::string_view name : trace.names) marks_.push_back(mark_of(name));
    find_backward_threads();
  }

  StepOutline run(TimeRange window, const std::stop_token& stop) {
    std::int64_t begin_ns = 0;
    std::uint32_t turns = 0;
    ledger_.for_each(window, [&](std::int64_t, std::int64_t to_ns, TimeCategory cause, SliceId slice) {
      const bool loads = cause == TimeCategory::idle_loader;
      if (!loads && (is_idle(cause) || slice == kNoSlice)) return;
      if (++turns % kCancelStride == 0 && stop.stop_requested()) return;
      const std::int64_t end_ns = to_ns - window.begin_ns;
      add(loads ? kNoSlice : slice, begin_ns, end_ns);
      begin_ns = end_ns;
    });
    if (stop.stop_requested()) return {};
    join_phases(window.length_ns());
    if (begin_ns < window.length_ns() && !out_.nodes[0].empty()) {
      const std::array<std::uint32_t, 2> next{size_of(StepDepth::op), size_of(StepDepth::work)};
      for (std::size_t depth = 0; depth < kStepDepthCount; ++depth) {
        StepNode& node = out_.nodes[depth].emplace_back();
        node.begin_ns = begin_ns;
        node.end_ns = window.length_ns();
        node.phase = StepPhase::tail;
        if (depth < next.size()) node.first_child = next[depth];
        if (depth < next.size()) node.end_child = next[depth] + 1;
      }
    }
    return std::move(out_);
  }

 private:
  /// Merges two parts of a phase if another phase interrupts them only briefly, as when work is launched
  /// early or on another stream.
  void join_phases(std::int64_t step_ns) {
    std::vector<StepNode> joined;
    std::vector<StepNode>& phases = out_.nodes[static_cast<std::size_t>(StepDepth::phase)];
    const auto least = static_cast<std::int64_t>(kMinPhase * static_cast<double>(step_ns));
    for (std::size_t i = 0; i < phases.size(); ++i) {
      const bool between = !joined.empty() && i + 1 < phases.size() &&
                           phases[i + 1].phase == joined.back().phase && phases[i].length_ns() < least;
      if (between || (!joined.empty() && phases[i].phase == joined.back().phase)) {
        joined.back().end_ns = phases[i].end_ns;
        joined.back().end_child = phases[i].end_child;
      } else {
        joined.push_back(phases[i]);
      }
    }
    phases = std::move(joined);
  }

  std::uint32_t size_of(StepDepth depth) const {
    return static_cast<std::uint32_t>(out_.nodes[static_cast<std::size_t>(depth)].size());
  }

  Mark mark(SliceId slice) const { return marks_[index_of(trace_.name(slice))]; }
  std::uint32_t track_of(SliceId slice) const { return index_of(trace_.track_of(slice)); }

  /// Finds threads that have autograd events but no step marks. All of their work is backward, although not
  /// all of it is marked.
  void find_backward_threads() {
    enum : std::uint8_t { has_step = 1, has_backward = 2 };
    std::vector<std::uint8_t> has(trace_.tracks.size());
    for (const Row& row : trace_.rows) {
      for (std::uint32_t i = row.first_slice; i < row.first_slice + row.slice_count; ++i) {
        const Mark found = mark(SliceId{i});
        if (found == Mark::step) has[index_of(row.track)] |= has_step;
        if (found == Mark::backward) has[index_of(row.track)] |= has_backward;
      }
    }
    for (const std::uint8_t flags : has) backward_thread_.push_back(flags == has_backward ? 1 : 0);
    // If the trace has no steps, the main thread cannot be recognized, and it may run the backward pass
    // itself.
    const bool steps = std::ranges::any_of(has, [](std::uint8_t flags) { return (flags & has_step) != 0; });
    if (!steps) std::ranges::fill(backward_thread_, 0);
  }

  Origin origin_of(SliceId slice) {
    Origin origin;
    bool backward = false;
    bool known = false;
    SliceId at = ledger_.of_gpu() ? owner_of(trace_, slice) : slice;
    for (; at != kNoSlice; at = trace_.parent(at)) {
      const Mark found = mark(at);
      if (found == Mark::loader) origin.phase = StepPhase::loading;
      if (found == Mark::optimizer) origin.phase = StepPhase::optimizer;
      backward = backward || found == Mark::backward;
      known = known || (found != Mark::none && found != Mark::step) || trace_.kind(at) == SliceKind::cpu_op;
      const bool marks_a_part = found != Mark::none && found != Mark::backward;
      if (!marks_a_part && trace_.kind(at) == SliceKind::cpu_op) origin.op = at;
    }
    if (origin.phase != StepPhase::forward) return origin;
    const SliceId call = cpu_side_of(trace_, slice);
    if (call != kNoSlice && backward_thread_[track_of(call)] != 0) backward = true;
    if (!known && !backward) {
      // Unknown work continues the phase before it.
      if (!out_.nodes[0].empty()) origin.phase = out_.nodes[0].back().phase;
      return origin;
    }
    if (backward || !forward_of(trace_, slice).empty()) origin.phase = StepPhase::backward;
    return origin;
  }

  void add(SliceId slice, std::int64_t begin_ns, std::int64_t end_ns) {
    std::vector<StepNode>& works = out_.nodes[static_cast<std::size_t>(StepDepth::work)];
    std::vector<StepNode>& ops = out_.nodes[static_cast<std::size_t>(StepDepth::op)];
    std::vector<StepNode>& phases = out_.nodes[static_cast<std::size_t>(StepDepth::phase)];
    // The previous piece of work, or wait for the data loader, continues.
    if (!works.empty() && works.back().slice == slice) {
      works.back().end_ns = end_ns;
      ops.back().end_ns = end_ns;
      phases.back().end_ns = end_ns;
      return;
    }
    // A part without a slice is a wait for the data loader.
    const Origin origin = slice == kNoSlice ? Origin{StepPhase::loading, kNoSlice} : origin_of(slice);
    works.push_back({begin_ns, end_ns, slice, origin.phase, 0, 0});
    const SliceId op = origin.op == kNoSlice ? slice : origin.op;
    const bool same_phase = !phases.empty() && phases.back().phase == origin.phase;
    const bool same_op = same_phase && !ops.empty() && ops.back().slice == op;
    if (!same_op) ops.push_back({begin_ns, end_ns, op, origin.phase, size_of(StepDepth::work) - 1, 0});
    ops.back().end_ns = end_ns;
    ops.back().end_child = size_of(StepDepth::work);
    if (!same_phase) {
      phases.push_back({begin_ns, end_ns, kNoSlice, origin.phase, size_of(StepDepth::op) - 1, 0});
    }
    phases.back().end_ns = end_ns;
    phases.back().end_child = size_of(StepDepth::op);
  }

  const Trace& trace_;
  const TimeAttribution& ledger_;
  std::vector<Mark> marks_;                    // by NameId
  std::vector<std::uint8_t> backward_thread_;  // by TrackId
  StepOutline out_;
};

}  // namespace

StepOutline step_outline(const Trace& trace, const TimeAttribution& ledger, TimeRange window,
                         const std::stop_token& stop) {
  return OutlineMaker(trace, ledger).run(window, stop);
}

}  // namespace kino
