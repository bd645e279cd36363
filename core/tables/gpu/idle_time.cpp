#include "core/tables/gpu/idle_time.hpp"

#include <algorithm>
#include <utility>

#include "core/tables/gpu/gpu_gaps.hpp"

namespace kino {
std::vector<IdleTime> idle_times(const Trace& trace, const std::stop_token& stop) {
  const GpuWork work = gpu_work_in(trace, whole_range(trace), stop);
  if (work.streams.empty()) return {};
  const TimeRange window = gap_window(trace, work, find_steps(trace, stop), whole_range(trace));
  std::vector<std::pair<std::uint32_t, std::vector<TimeRange>>> gpus;
  const auto of_process = [&](std::uint32_t process) {
    return std::ranges::find(gpus, process, [](const auto& gpu) { return gpu.first; });
  };
  for (const StreamWork& stream : work.streams) {
    const std::uint32_t process = trace.track(stream.track).process;
    if (of_process(process) == gpus.end()) gpus.push_back({process, {}});
  }
  for (const GpuGap& gap : gpu_gaps(trace, work, window, stop)) {
    if (const auto gpu = of_process(gap.process); gpu != gpus.end()) gpu->second.push_back(gap.range);
  }
  if (stop.stop_requested()) return {};
  std::vector<IdleTime> times;
  std::vector<TimeRange> all = gpus.front().second;
  for (auto& [process, gaps] : gpus) {
    times.push_back({process, BusyLine(gaps)});
    all = without_ranges(all, without_ranges(all, gaps));  // intersection
  }
  times.push_back({std::nullopt, BusyLine(all)});
  return times;
}

}  // namespace kino
