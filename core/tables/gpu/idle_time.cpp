#include "core/tables/gpu/idle_time.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/tables/gpu/gpu_gaps.hpp"

namespace kino {
namespace {

std::vector<TimeRange> in_both(const std::vector<TimeRange>& a, const std::vector<TimeRange>& b) {
  std::vector<TimeRange> both;
  for (std::size_t i = 0, k = 0; i < a.size() && k < b.size();) {
    const TimeRange part = clipped(a[i], b[k].begin_ns, b[k].end_ns);
    if (part.length_ns() > 0) both.push_back(part);
    ++(a[i].end_ns < b[k].end_ns ? i : k);
  }
  return both;
}

}  // namespace

IdleTime::IdleTime(std::optional<std::uint32_t> process, std::vector<TimeRange> gaps)
    : process_(process), gaps_(std::move(gaps)) {
  sums_.reserve(gaps_.size());
  std::int64_t sum = 0;
  for (const TimeRange& gap : gaps_) {
    sums_.push_back(sum);
    sum += gap.length_ns();
  }
}

std::int64_t IdleTime::before(std::int64_t time_ns) const {
  const auto after =
      std::upper_bound(gaps_.begin(), gaps_.end(), time_ns,
                       [](std::int64_t time, const TimeRange& gap) { return time < gap.begin_ns; });
  if (after == gaps_.begin()) return 0;
  const TimeRange& last = *std::prev(after);
  return sums_[static_cast<std::size_t>(after - gaps_.begin()) - 1] + std::min(time_ns, last.end_ns) -
         last.begin_ns;
}

std::vector<IdleTime> idle_times(const Trace& trace, const std::stop_token& stop) {
  const GpuWork work = gpu_work_in(trace, whole_range(trace), stop);
  if (work.streams.empty()) return {};
  const TimeRange window = gap_window(trace, work, find_steps(trace, stop), whole_range(trace));
  std::vector<std::pair<std::uint32_t, std::vector<TimeRange>>> gpus;
  for (const StreamWork& stream : work.streams) {
    const std::uint32_t process = trace.track(stream.track).process;
    const bool known =
        std::any_of(gpus.begin(), gpus.end(), [&](const auto& it) { return it.first == process; });
    if (!known) gpus.push_back({process, {}});
  }
  for (const GpuGap& gap : gpu_gaps(trace, work, window, stop)) {
    for (auto& [process, gaps] : gpus) {
      if (process == gap.process) gaps.push_back(gap.range);
    }
  }
  if (stop.stop_requested()) return {};
  std::vector<IdleTime> times;
  std::vector<TimeRange> all = gpus.front().second;
  for (auto& [process, gaps] : gpus) {
    if (!times.empty()) all = in_both(all, gaps);
    times.emplace_back(process, std::move(gaps));
  }
  times.emplace_back(std::nullopt, std::move(all));
  return times;
}

}  // namespace kino
