#include "loaders/query/joined_events.hpp"

#include <algorithm>

#include "core/base/parallel.hpp"
#include "core/base/saturating.hpp"
#include "core/tables/analysis/range_analysis.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/links/slice_relations.hpp"

namespace kino {
namespace {

JoinedEvents find_events(const QueryModel& model, const std::stop_token& stop) {
  const Trace& trace = model.trace();
  JoinedEvents joined;
  joined.facts = decode_facts(trace);
  joined.steps = find_steps(trace, stop);
  joined.vendor = gpu_vendor(trace);
  for (std::uint32_t i = 0; i < trace.slice_count(); ++i) {
    if (i % kCancelStride == 0 && stop.stop_requested()) return joined;
    const SliceId slice{i};
    switch (trace.slices.kind[i]) {
      case SliceKind::communication:
        joined.collectives.push_back(slice);
        joined.kernels.push_back(slice);
        break;
      case SliceKind::compute:
        joined.kernels.push_back(slice);
        break;
      case SliceKind::copy:
        joined.copies.push_back(slice);
        break;
      case SliceKind::gpu_sync:
        joined.waits.push_back(slice);
        break;
      case SliceKind::annotation:
      case SliceKind::gpu_annotation:
        joined.annotations.push_back(slice);
        break;
      case SliceKind::cpu_op:
        joined.operators.push_back(slice);
        break;
      case SliceKind::runtime:
        if (trace.name_of(slice).find("Synchronize") != std::string_view::npos) joined.waits.push_back(slice);
        if (trace.slices.link[i] != kNoSlice) joined.launches.push_back(slice);
        break;
      default:
        break;
    }
  }
  return joined;
}

OperatorGpuTime gpu_times(const QueryModel& model, const JoinedEvents& joined, const std::stop_token& stop) {
  const Trace& trace = model.trace();
  OperatorGpuTime time{Column<std::int64_t>(trace.slice_count()), Column<std::int64_t>(trace.slice_count())};
  std::size_t looked = 0;
  for (const std::vector<SliceId>* const list : {&joined.kernels, &joined.copies}) {
    for (const SliceId work : *list) {
      if (++looked % 4096 == 0 && stop.stop_requested()) return time;
      SliceId owner = owner_of(trace, work);
      while (owner != kNoSlice && trace.kind(owner) != SliceKind::cpu_op) owner = trace.parent(owner);
      if (owner == kNoSlice) continue;
      const std::int64_t ns = trace.duration_ns(work);
      add_saturating(time.self_ns[index_of(owner)], ns);
      for (; owner != kNoSlice; owner = trace.parent(owner))
        add_saturating(time.total_ns[index_of(owner)], ns);
    }
  }
  return time;
}

}  // namespace

const JoinedEvents* joined_events(const QueryModel& model, const std::stop_token& stop) {
  return model.kept<JoinedEvents>(stop, [&] { return find_events(model, stop); });
}

const OperatorGpuTime* operator_gpu_time(const QueryModel& model, const std::stop_token& stop) {
  const JoinedEvents* const joined = joined_events(model, stop);
  if (joined == nullptr) return nullptr;
  return model.kept<OperatorGpuTime>(stop, [&] { return gpu_times(model, *joined, stop); });
}

const ExposedTimes* exposed_times(const QueryModel& model, const std::stop_token& stop) {
  return model.kept<ExposedTimes>(stop, [&] {
    const TimeRange whole = whole_range(model.trace());
    ExposedTimes times{exposed_kernels(model.trace(), gpu_work_in(model.trace(), whole, stop), whole, stop)};
    std::ranges::sort(times.kernels, {}, [](const ExposedKernel& kernel) { return index_of(kernel.kernel); });
    return times;
  });
}

const CountedFlops* counted_flops(const QueryModel& model, const std::stop_token& stop) {
  return model.kept<CountedFlops>(stop, [&] {
    const RangeAnalysis whole(model.trace(), whole_range(model.trace()));
    CountedFlops flops{counted_calls(model.trace(), whole.tree(stop), stop)};
    std::ranges::sort(flops.calls, {}, [](const CallFlop& flop) { return index_of(flop.call); });
    return flops;
  });
}

const QueueLengths* queue_lengths_of(const QueryModel& model, const std::stop_token& stop) {
  return model.kept<QueueLengths>(stop, [&] { return QueueLengths{queue_lengths(model.trace(), stop)}; });
}

bool step_of(const QueryModel& model, const JoinedEvents& joined, SliceId slice, std::int64_t& number) {
  const SliceId call = cpu_side_of(model.trace(), slice);
  if (call == kNoSlice) return false;
  const std::int64_t start = model.trace().start_ns(call);
  const std::vector<Step>& steps = joined.steps.steps;
  const auto next =
      std::upper_bound(steps.begin(), steps.end(), start,
                       [](std::int64_t time, const Step& step) { return time < step.range.begin_ns; });
  if (next == steps.begin() || start >= (next - 1)->range.end_ns) return false;
  number = (next - 1)->number;
  return true;
}

}  // namespace kino
