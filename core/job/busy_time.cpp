#include "core/job/busy_time.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace kino {

std::vector<TimeRange> united(std::vector<TimeRange> ranges) {
  std::erase_if(ranges, [](const TimeRange& it) { return it.end_ns <= it.begin_ns; });
  std::ranges::sort(ranges, {}, [](const TimeRange& it) { return std::tuple(it.begin_ns, it.end_ns); });
  std::size_t kept = 0;
  for (const TimeRange& it : ranges) {
    if (kept > 0 && it.begin_ns <= ranges[kept - 1].end_ns) {
      ranges[kept - 1].end_ns = std::max(ranges[kept - 1].end_ns, it.end_ns);
    } else {
      ranges[kept++] = it;
    }
  }
  ranges.resize(kept);
  ranges.shrink_to_fit();
  return ranges;
}

std::vector<TimeRange> left_of(std::span<const TimeRange> ranges, std::span<const TimeRange> without) {
  std::vector<TimeRange> left;
  std::size_t next = 0;
  for (const TimeRange& it : ranges) {
    while (next < without.size() && without[next].end_ns <= it.begin_ns) ++next;
    std::int64_t begin = it.begin_ns;
    for (std::size_t i = next; i < without.size() && without[i].begin_ns < it.end_ns; ++i) {
      if (without[i].begin_ns > begin) left.push_back({begin, without[i].begin_ns});
      begin = without[i].end_ns;
    }
    if (begin < it.end_ns) left.push_back({begin, it.end_ns});
  }
  return left;
}

std::int64_t length_of(std::span<const TimeRange> ranges) {
  std::int64_t sum = 0;
  for (const TimeRange& it : ranges) sum += it.length_ns();
  return sum;
}

BusyLine::BusyLine(std::vector<TimeRange> ranges) : ranges_(std::move(ranges)) {
  sums_.reserve(ranges_.size());
  std::int64_t sum = 0;
  for (const TimeRange& it : ranges_) {
    sums_.push_back(sum);
    sum += it.length_ns();
  }
}

std::int64_t BusyLine::before(std::int64_t time_ns) const {
  const auto next = std::ranges::upper_bound(ranges_, time_ns, {}, &TimeRange::begin_ns);
  if (next == ranges_.begin()) return 0;
  const auto index = static_cast<std::size_t>(next - ranges_.begin()) - 1;
  return sums_[index] + std::min(time_ns, ranges_[index].end_ns) - ranges_[index].begin_ns;
}

std::int64_t BusyLine::covered(std::int64_t begin_ns, std::int64_t end_ns) const {
  return before(end_ns) - before(begin_ns);
}

}  // namespace kino
