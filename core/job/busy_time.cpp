#include "core/job/busy_time.hpp"

#include <algorithm>
#include <tuple>

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

}  // namespace kino
