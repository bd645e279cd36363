#include "core/trace/steps.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <tuple>
#include <unordered_map>

#include "core/base/duration_list.hpp"
#include "core/base/parallel.hpp"
#include "core/base/step_words.hpp"

namespace kino {
namespace {

/// Returns the step number of each NameId that is a step's name.
std::unordered_map<std::uint32_t, std::int64_t> step_names(const Trace& trace) {
  std::unordered_map<std::uint32_t, std::int64_t> numbers;
  for (std::uint32_t i = 0; i < trace.names.size(); ++i) {
    if (const auto number = step_number(trace.names[i])) numbers.emplace(i, *number);
  }
  return numbers;
}

struct Mark {
  std::int64_t number;
  SliceId slice;
};

void mark_outliers(Steps& result) {
  std::vector<std::int64_t> values;
  for (const Step& step : result.steps) values.push_back(step.range.length_ns());
  result.median_ns = duration_stats(values).median_ns;
  for (std::int64_t& value : values) value = std::abs(value - result.median_ns);
  result.mad_ns = duration_stats(values).median_ns;
  for (Step& step : result.steps) {
    const auto above_ns = static_cast<double>(step.range.length_ns() - result.median_ns);
    step.outlier = above_ns > (Steps::kOutlierRatio - 1) * static_cast<double>(result.median_ns) &&
                   above_ns > Steps::kOutlierDeviations * static_cast<double>(result.mad_ns);
  }
}

/// Maps a step number to the indices of its steps, in order of start.
using StepsByNumber = std::unordered_map<std::int64_t, std::vector<std::size_t>>;

void add_cpu_step(const Trace& trace, const Mark& mark, std::vector<Step>& steps, StepsByNumber& by_number) {
  const TimeRange range = trace.range_of(mark.slice);
  std::vector<std::size_t>& same = by_number[mark.number];
  if (!same.empty() && range.begin_ns < steps[same.back()].range.end_ns) return;
  same.push_back(steps.size());
  steps.push_back({mark.number, mark.slice, range, std::nullopt, false});
}

void add_gpu_annotation(const Trace& trace, const Mark& mark, std::vector<Step>& steps,
                        const StepsByNumber& by_number) {
  const auto found = by_number.find(mark.number);
  if (found == by_number.end()) return;
  const TimeRange range = trace.range_of(mark.slice);
  const auto after = std::upper_bound(
      found->second.begin(), found->second.end(), range.begin_ns,
      [&](std::int64_t time_ns, std::size_t step) { return time_ns < steps[step].range.begin_ns; });
  Step& step = steps[after == found->second.begin() ? found->second.front() : *std::prev(after)];
  if (!step.gpu_range) step.gpu_range = range;
  step.gpu_range = TimeRange{std::min(step.gpu_range->begin_ns, range.begin_ns),
                             std::max(step.gpu_range->end_ns, range.end_ns)};
}

}  // namespace

std::size_t Steps::at(std::int64_t time_ns) const {
  const std::size_t next = next_after(time_ns);
  for (std::size_t i = next == kNone ? steps.size() : next; i-- > 0;) {
    if (time_ns < steps[i].range.end_ns) return i;
  }
  return kNone;
}

std::size_t Steps::next_after(std::int64_t time_ns) const {
  const auto next =
      std::ranges::upper_bound(steps, time_ns, {}, [](const Step& step) { return step.range.begin_ns; });
  return next == steps.end() ? kNone : static_cast<std::size_t>(next - steps.begin());
}

Steps find_steps(const Trace& trace, const std::stop_token& stop) {
  Steps result;
  const std::unordered_map<std::uint32_t, std::int64_t> numbers = step_names(trace);
  if (numbers.empty()) return result;
  std::vector<bool> wanted(trace.names.size(), false);
  for (const auto& [name, number] : numbers) wanted[name] = true;
  std::vector<Mark> cpu;
  std::vector<Mark> gpu;
  for (std::uint32_t i = 0; i < trace.slice_count(); ++i) {
    if (i % kCancelStride == 0 && stop.stop_requested()) return {};
    const std::uint32_t name = index_of(trace.slices.name[i]);
    if (!wanted[name]) continue;
    const bool on_gpu = trace.slices.kind[i] == SliceKind::gpu_annotation;
    (on_gpu ? gpu : cpu).push_back({numbers.at(name), SliceId{i}});
  }
  // Among equal starts, the longest is first, so that add_cpu_step() ignores the slices that it encloses.
  std::ranges::sort(cpu, {}, [&](const Mark& mark) {
    return std::tuple(trace.start_ns(mark.slice), -trace.duration_ns(mark.slice), mark.slice);
  });
  StepsByNumber by_number;
  for (const Mark& mark : cpu) add_cpu_step(trace, mark, result.steps, by_number);
  for (const Mark& mark : gpu) add_gpu_annotation(trace, mark, result.steps, by_number);
  mark_outliers(result);
  return result;
}

}  // namespace kino
