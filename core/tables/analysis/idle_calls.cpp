#include "core/tables/analysis/idle_calls.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/ascii.hpp"
#include "core/base/parallel.hpp"
#include "core/base/step_words.hpp"
#include "core/tables/analysis/finding_examples.hpp"
#include "core/tables/gpu/cpu_meanwhile.hpp"
#include "core/tables/gpu/gpu_gaps.hpp"
#include "core/trace/links/busy_time.hpp"
#include "core/trace/links/runtime_calls.hpp"
#include "core/trace/python_frame.hpp"

namespace kino {
namespace {

class IdleCallNamer {
 public:
  IdleCallNamer(const Trace& trace, StepCosts& costs, const std::stop_token& stop)
      : trace_(trace), out_(costs), stop_(stop) {}

  void run(std::span<const SliceId> blocking_calls) {
    std::vector<SliceId> loaders;
    for (std::uint32_t i = 0; i < trace_.slice_count(); ++i) {
      if (i % kCancelStride == 0 && stop_.stop_requested()) return;
      const SliceKind kind = trace_.slices.kind[i];
      if (kind != SliceKind::cpu_op && kind != SliceKind::annotation) continue;
      const std::string_view name = trace_.name_of(SliceId{i});
      if (!is_data_loading(name)) continue;
      loaders.push_back(SliceId{i});
      out_.single_process_loader = out_.single_process_loader || contains(name, "SingleProcess");
      out_.data_pipe = out_.data_pipe || name.starts_with("enumerate(DataPipe)");
    }
    if (out_.of_gpu) fill(out_[FindingKind::data_loading].examples, loaders);
    std::vector<SliceId> memory;
    std::vector<SliceId> waiting;
    for (const SliceId call : blocking_calls)
      (changes_gpu_memory(trace_.name_of(call)) ? memory : waiting).push_back(call);
    std::map<std::string, std::int64_t> sites;  // by packed message
    const auto waits = fill(out_[FindingKind::waiting].examples, waiting);
    std::int64_t requested_ns = 0;
    std::int64_t example_ns = 0;
    for (std::size_t i = 0; i < waits.size(); ++i) {
      const std::int64_t ns = out_[FindingKind::waiting].examples[i].ns;
      example_ns += ns;
      if (waits[i] == kNoSlice) continue;
      sites[site_of(waits[i]).packed()] += ns;
      if (is_requested_wait(waits[i])) requested_ns += ns;
    }
    out_.wait_is_explicit = 2 * requested_ns > example_ns;
    out_.wait_site.packed() = most_of(sites, out_[FindingKind::waiting].ns);
    std::map<std::string, std::int64_t> memory_calls;
    const auto allocations = fill(out_[FindingKind::driver_memory].examples, memory);
    for (std::size_t i = 0; i < allocations.size(); ++i) {
      if (allocations[i] == kNoSlice) continue;
      memory_calls[std::string(trace_.name_of(allocations[i]))] +=
          out_[FindingKind::driver_memory].examples[i].ns;
    }
    out_.memory_call = most_of(memory_calls, out_[FindingKind::driver_memory].ns);
    // The examples are only a part of all gaps. If all calls have the same name, the result does not depend
    // on them.
    const auto other_name = [&](SliceId call) { return trace_.name(call) != trace_.name(memory.front()); };
    if (!memory.empty() && std::ranges::none_of(memory, other_name))
      out_.memory_call = std::string(trace_.name_of(memory.front()));
    if (!out_.of_gpu) return;
    const LaunchingThreads launching(trace_, stop_);
    out_.late_gap = gap_call(out_[FindingKind::launch_bound], launching);
    out_.launched_gap = gap_call(out_[FindingKind::launch_gaps], launching);
    const StepCost& late = out_[FindingKind::launch_bound];
    if (out_.untraced_ns < late.ns / 2) return;
    std::vector<TimeRange> gaps;
    gaps.reserve(late.examples.size());
    for (const FindingExample& example : late.examples) gaps.push_back(example.range);
    out_.silent_work = work_of_other_threads(trace_, std::move(gaps), launching.threads(), stop_);
  }

 private:
  GapCall gap_call(const StepCost& cost, const LaunchingThreads& launching) const {
    if (cost.examples.empty() || cost.examples.front().slice == kNoSlice) return {};
    const FindingExample& worst = cost.examples.front();
    GpuGap gap;
    gap.range = worst.range;
    gap.ran_dry_ns = worst.range.begin_ns;
    gap.after = worst.slice;
    const CpuMeanwhile cpu = cpu_meanwhile(trace_, gap, launching);
    if (cpu.thread == kNoTrack || cpu.share <= 0) return {worst.range.length_ns(), worst.ns, {}, 0};
    return {worst.range.length_ns(), worst.ns, std::string(trace_.name_text(cpu.name)), cpu.share};
  }

  /// Sets the slice of each example to the call that overlaps it longest, and returns these calls. If no call
  /// overlaps an example, its slice remains, and its result is kNoSlice.
  std::vector<SliceId> fill(std::vector<FindingExample>& examples, std::span<const SliceId> calls) const {
    std::vector<SliceId> found(examples.size(), kNoSlice);
    std::vector<std::int64_t> most(examples.size());
    for (const SliceId call : calls) {
      for (std::size_t i = 0; i < examples.size(); ++i) {
        const TimeRange& range = examples[i].range;
        const std::int64_t part = clipped(range, trace_.start_ns(call), trace_.end_ns(call)).length_ns();
        if (part <= most[i]) continue;
        most[i] = part;
        found[i] = call;
      }
    }
    for (std::size_t i = 0; i < examples.size(); ++i) {
      if (found[i] != kNoSlice) examples[i].slice = found[i];
    }
    return found;
  }

  /// Whether the program or the profiler requested the synchronization, not an operator. Operators never
  /// synchronize the whole device. False for a stream or event if the trace has no operators, because the
  /// caller is then unknown.
  bool is_requested_wait(SliceId call) const {
    const std::string_view name = trace_.name_of(call);
    if (!contains(name, "Synchronize")) return false;
    if (!contains(name, "StreamSynchronize") && !contains(name, "EventSynchronize")) return true;
    for (SliceId at = trace_.parent(call); at != kNoSlice; at = trace_.parent(at)) {
      if (trace_.kind(at) == SliceKind::cpu_op) return false;
    }
    return std::ranges::find(trace_.slices.kind, SliceKind::cpu_op) != trace_.slices.kind.end();
  }

  /// Returns "cudaStreamSynchronize in aten::item, train.py(38): step", without the parts that are not
  /// recorded.
  Message site_of(SliceId call) const {
    Message site(trace_.name_of(call));
    SliceId op = kNoSlice;
    SliceId frame = kNoSlice;
    for (SliceId at = trace_.parent(call); at != kNoSlice && frame == kNoSlice; at = trace_.parent(at)) {
      const SliceKind kind = trace_.kind(at);
      if (kind == SliceKind::cpu_op) op = at;
      if (kind == SliceKind::python && is_own_line(trace_.name_of(at))) frame = at;
    }
    if (op != kNoSlice) site = Message(msg::call_in_operator, site, trace_.name_of(op));
    if (frame != kNoSlice) site = Message(msg::comma_pair, site, trace_.name_of(frame));
    return site;
  }
  /// Whether the frame is part of the program, not of PyTorch or another library.
  static bool is_own_line(std::string_view frame) {
    const PythonFrame parts = python_frame_of(frame);
    return !parts.file.empty() && parts.file.front() != '<' && !parts.file.starts_with("torch/") &&
           parts.file.find("/torch/") == std::string_view::npos &&
           parts.file.find("site-packages") == std::string_view::npos;
  }

  const Trace& trace_;
  StepCosts& out_;
  const std::stop_token& stop_;
};

}  // namespace

void name_idle_calls(const Trace& trace, std::span<const SliceId> blocking_calls, StepCosts& costs,
                     const std::stop_token& stop) {
  IdleCallNamer(trace, costs, stop).run(blocking_calls);
}

}  // namespace kino
