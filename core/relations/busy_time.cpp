#include "core/relations/busy_time.hpp"

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

void BusyLine::shares(double begin_ns, double length_ns, std::span<float> parts) const {
  constexpr double kFarNs = 9e18;
  const auto edge = [&](std::size_t i) {
    return static_cast<std::int64_t>(
        std::clamp(begin_ns + length_ns * static_cast<double>(i), -kFarNs, kFarNs));
  };
  // `next` is the first that ends after the time, and only ever moves on: in jumps that double.
  std::size_t next = 0;
  const auto before_edge = [&](std::int64_t time_ns) {
    std::size_t jump = 1;
    while (next + jump <= ranges_.size() && ranges_[next + jump - 1].end_ns <= time_ns) {
      next += jump;
      jump *= 2;
    }
    const auto from = ranges_.begin() + static_cast<std::ptrdiff_t>(next);
    const auto to = ranges_.begin() + static_cast<std::ptrdiff_t>(std::min(ranges_.size(), next + jump));
    next = static_cast<std::size_t>(std::ranges::upper_bound(from, to, time_ns, {}, &TimeRange::end_ns) -
                                    ranges_.begin());
    if (next == ranges_.size()) return ranges_.empty() ? 0 : sums_.back() + ranges_.back().length_ns();
    return sums_[next] + std::max<std::int64_t>(0, time_ns - ranges_[next].begin_ns);
  };
  std::int64_t before_it = before_edge(edge(0));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::int64_t after = before_edge(edge(i + 1));
    parts[i] = static_cast<float>(static_cast<double>(after - before_it) / length_ns);
    before_it = after;
  }
}

}  // namespace kino
