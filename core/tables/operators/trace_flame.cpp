#include "core/tables/operators/trace_flame.hpp"

#include <algorithm>
#include <unordered_map>

#include "core/base/huge_memory.hpp"
#include "core/base/parallel.hpp"
#include "core/base/saturating.hpp"
#include "core/base/step_words.hpp"
#include "core/tables/track_slices.hpp"
#include "core/trace/links/call_nesting.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/sampled_tracks.hpp"

namespace kino {
namespace {

/// Whether a frame such as "net.py(12): forward" belongs to a library. Built-ins start with "<" and count as
/// library frames, except cells of IPython. Frames of modules have no file, so they do not count.
bool is_library(std::string_view frame, const LibraryList& libraries) {
  if (frame.starts_with('<')) return !frame.starts_with("<ipython-input");
  const std::size_t end = frame.rfind("): ");
  const std::size_t line = end == std::string_view::npos ? end : frame.rfind('(', end);
  return line != std::string_view::npos && is_library_file(frame.substr(0, line), libraries);
}

/// Returns "forward" for "net.py(12): forward"; empty if it is not a Python frame.
std::string_view function_of(std::string_view frame) {
  const std::size_t colon = frame.rfind("): ");
  return colon == std::string_view::npos ? std::string_view() : frame.substr(colon + 3);
}

class FlameMaker {
 public:
  FlameMaker(const Trace& trace, const TraceFlameParams& question, const LibraryList& libraries,
             const std::stop_token& stop)
      : trace_(trace),
        question_(question),
        libraries_(libraries),
        stop_(stop),
        frame_of_name_(2 * trace.names.size(), kNoFrame),
        stack_of_(trace.slice_count()) {
    stacks_.push_back({});  // the empty stack
  }

  FlameGraph run(const std::string& no_launch) {
    if (question_.time == FlameTime::device) {
      add_gpu_work(no_launch);
    } else {
      add_threads();
    }
    FlameGraph graph;
    graph.tree = tree();
    graph.frames = std::move(frames_);
    return graph;
  }

 private:
  static constexpr std::uint32_t kNoFrame = 0xffffffffU;

  struct Stack {
    std::uint32_t parent = 0;
    std::uint32_t frame = kNoFrame;
    std::int64_t self_ns = 0;
  };

  std::uint32_t frame_of(SliceId slice) {
    const std::uint32_t name = index_of(trace_.name(slice));
    const SliceKind kind = trace_.kind(slice);
    std::uint32_t& known = frame_of_name_[2 * name + (kind == SliceKind::python ? 1 : 0)];
    if (known != kNoFrame) return known;
    const std::string_view text = trace_.names[name];
    if (is_step_name(text)) {
      if (step_frame_ == kNoFrame) step_frame_ = add_frame({all_steps_title(), "", group_of(kind), false});
      return known = step_frame_;
    }
    FlameFrame frame{std::string(text), "", group_of(kind),
                     kind == SliceKind::runtime || is_autograd_engine(text)};
    if (kind == SliceKind::python) {
      const std::string_view function = function_of(text);
      frame.dim = is_library(text, libraries_);
      if (!function.empty()) {
        frame.name = function;
        frame.detail = text;
      }
    }
    return known = add_frame(std::move(frame));
  }

  static std::uint32_t group_of(SliceKind kind) { return 1 + static_cast<std::uint32_t>(kind); }

  std::uint32_t add_frame(FlameFrame frame) {
    frames_.push_back(std::move(frame));
    return static_cast<std::uint32_t>(frames_.size() - 1);
  }

  std::uint32_t stack_below(std::uint32_t parent, std::uint32_t frame) {
    const auto [found, added] = by_frame_.try_emplace(std::uint64_t{parent} << 32 | frame,
                                                      static_cast<std::uint32_t>(stacks_.size()));
    if (added) stacks_.push_back({parent, frame, 0});
    return found->second;
  }

  /// Returns the index of the stack from the root to this slice. Cached for the slice and its enclosing
  /// slices.
  std::uint32_t stack_of(SliceId slice) {
    path_.clear();
    for (; slice != kNoSlice && stack_of_[index_of(slice)] == 0; slice = trace_.parent(slice))
      path_.push_back(slice);
    std::uint32_t stack = slice == kNoSlice ? 0 : stack_of_[index_of(slice)];
    for (std::size_t i = path_.size(); i-- > 0;) {
      stack = stack_below(stack, frame_of(path_[i]));
      stack_of_[index_of(path_[i])] = stack;
    }
    return stack;
  }

  std::int64_t length_in_range(SliceId slice) const {
    return clipped(question_.range, trace_.start_ns(slice), trace_.end_ns(slice)).length_ns();
  }

  /// Adds a slice's time to its stack. Subtracts from the enclosing slice the part from `free_from_ns` on, so
  /// that the time of overlapping siblings is subtracted only once.
  void add_call(SliceId slice, std::int64_t free_from_ns) {
    const std::uint32_t stack = stack_of(slice);
    add_saturating(stacks_[stack].self_ns, length_in_range(slice));
    const TimeRange own = clipped(question_.range, free_from_ns, trace_.end_ns(slice));
    subtract_saturating(stacks_[stacks_[stack].parent].self_ns, own.length_ns());
  }

  void add_threads() {
    for (const Track& track : trace_.tracks) {
      const bool wanted = question_.time == FlameTime::sampled ? is_sampled_thread(trace_, track)
                                                               : is_working_thread(trace_, track);
      if (!wanted || trace_.processes[track.process].bookkeeping) continue;
      if (track.spilled_count > 0) {
        for_each_nested_call(
            trace_, track, question_.range, stop_, [](SliceId) { return true; },
            [&](const NestedCall& call) { add_call(call.slice, call.free_from_ns); });
        continue;
      }
      for_each_slice_of(trace_, track, question_.range, stop_,
                        [&](SliceId slice) { add_call(slice, trace_.start_ns(slice)); });
    }
    stacks_.front().self_ns = 0;
  }

  void add_gpu_work(const std::string& no_launch) {
    std::uint32_t unknown = 0;
    for (const StreamWork& stream : gpu_work_in(trace_, question_.range, stop_).streams) {
      for (const SliceId slice : stream.slices) {
        if (++visited_ % kCancelStride == 0 && stop_.stop_requested()) return;
        const SliceId launch = trace_.link(slice);
        if (launch == kNoSlice && unknown == 0) unknown = stack_below(0, add_frame({no_launch, "", 0, true}));
        const std::uint32_t around = launch == kNoSlice ? unknown : stack_of(launch);
        add_saturating(stacks_[stack_below(around, frame_of(slice))].self_ns, length_in_range(slice));
      }
    }
  }

  FlameTree tree() {
    FlameTreeBuilder builder(question_.direction);
    std::vector<std::uint32_t> frames;
    for (std::size_t i = 1; i < stacks_.size(); ++i) {
      if (i % kCancelStride == 0 && stop_.stop_requested()) break;
      if (stacks_[i].self_ns <= 0) continue;
      frames.clear();
      for (auto at = static_cast<std::uint32_t>(i); at != 0; at = stacks_[at].parent)
        frames.push_back(stacks_[at].frame);
      std::ranges::reverse(frames);
      builder.add(frames, stacks_[i].self_ns);
    }
    return builder.finish();
  }

  const Trace& trace_;
  const TraceFlameParams& question_;
  const LibraryList& libraries_;
  const std::stop_token& stop_;
  std::vector<std::uint32_t> frame_of_name_;  // frame index by NameId, separate for Python frames and other
                                              // slices
  std::uint32_t step_frame_ = kNoFrame;
  Column<std::uint32_t> stack_of_;  // by SliceId; 0: not computed
  std::vector<Stack> stacks_;
  std::unordered_map<std::uint64_t, std::uint32_t> by_frame_;  // (parent, frame)
  std::vector<FlameFrame> frames_;
  std::vector<SliceId> path_;
  std::size_t visited_ = 0;
};

}  // namespace

std::vector<FlameTime> flame_times(const Trace& trace) {
  std::vector<FlameTime> times{FlameTime::cpu, FlameTime::device};
  if (std::ranges::any_of(trace.tracks, [&](const Track& track) { return is_sampled_thread(trace, track); }))
    times.push_back(FlameTime::sampled);
  return times;
}

FlameGraph trace_flame(const Trace& trace, const TraceFlameParams& question, const LibraryList& libraries,
                       const std::string& no_launch, const std::stop_token& stop) {
  return FlameMaker(trace, question, libraries, stop).run(no_launch);
}

}  // namespace kino
