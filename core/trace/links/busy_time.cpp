#include "core/trace/links/busy_time.hpp"

#include <algorithm>

#include "core/base/run_merge_sort.hpp"

namespace kino {

std::vector<TimeRange> united(std::vector<TimeRange> ranges) {
  std::erase_if(ranges, [](const TimeRange& range) { return range.end_ns <= range.begin_ns; });
  run_merge_sort(ranges.data(), ranges.size(),
                 [](const TimeRange& a, const TimeRange& b) { return a.begin_ns < b.begin_ns; });
  std::size_t count = 0;
  for (const TimeRange& range : ranges) {
    if (count > 0 && range.begin_ns <= ranges[count - 1].end_ns) {
      ranges[count - 1].end_ns = std::max(ranges[count - 1].end_ns, range.end_ns);
    } else {
      ranges[count++] = range;
    }
  }
  ranges.resize(count);
  ranges.shrink_to_fit();
  return ranges;
}

void append_range(std::vector<TimeRange>& ranges, TimeRange range) {
  if (!ranges.empty() && range.begin_ns >= ranges.back().begin_ns && range.begin_ns <= ranges.back().end_ns) {
    ranges.back().end_ns = std::max(ranges.back().end_ns, range.end_ns);
  } else {
    ranges.push_back(range);
  }
}

std::vector<TimeRange> without_ranges(std::span<const TimeRange> ranges, std::span<const TimeRange> without) {
  std::vector<TimeRange> left;
  std::size_t next = 0;
  for (const TimeRange& range : ranges) {
    while (next < without.size() && without[next].end_ns <= range.begin_ns) ++next;
    std::int64_t begin = range.begin_ns;
    for (std::size_t i = next; i < without.size() && without[i].begin_ns < range.end_ns; ++i) {
      if (without[i].begin_ns > begin) left.push_back({begin, without[i].begin_ns});
      begin = without[i].end_ns;
    }
    if (begin < range.end_ns) left.push_back({begin, range.end_ns});
  }
  return left;
}

std::int64_t length_of(std::span<const TimeRange> ranges) {
  std::int64_t sum = 0;
  for (const TimeRange& range : ranges) sum += range.length_ns();
  return sum;
}

BusyLine::BusyLine(std::span<const TimeRange> ranges) {
  std::vector<std::int64_t> values;
  values.reserve(2 * ranges.size());
  for (const TimeRange& range : ranges) {
    values.push_back(range.begin_ns);
    values.push_back(length_ns_);
    length_ns_ += range.length_ns();
  }
  table_ = PackedTable(2, values);
}

TimeRange BusyLine::operator[](std::size_t i) const {
  const auto [begin_ns, before_ns] = table_.row<2>(i);
  return {begin_ns, begin_ns + (sum_before(i + 1) - before_ns)};
}

std::size_t BusyLine::first_after(std::int64_t time_ns, std::size_t near) const {
  const std::size_t next = table_.first_above(0, time_ns, near);
  return next > 0 && (*this)[next - 1].end_ns > time_ns ? next - 1 : next;
}

std::int64_t BusyLine::before(std::int64_t time_ns, std::size_t& near) const {
  near = table_.first_above(0, time_ns, near);
  if (near == 0) return 0;
  const auto [begin_ns, before_ns] = table_.row<2>(near - 1);
  const std::int64_t end_ns = begin_ns + (sum_before(near) - before_ns);
  return before_ns + std::min(time_ns, end_ns) - begin_ns;
}

std::int64_t BusyLine::covered(std::int64_t begin_ns, std::int64_t end_ns, std::size_t near) const {
  const std::int64_t first = before(begin_ns, near);
  return before(end_ns, near) - first;
}

void BusyLine::shares(double begin_ns, double length_ns, std::span<float> parts) const {
  constexpr double kFarNs = 9e18;
  const auto edge = [&](std::size_t i) {
    return static_cast<std::int64_t>(
        std::clamp(begin_ns + length_ns * static_cast<double>(i), -kFarNs, kFarNs));
  };
  std::size_t near = 0;
  std::int64_t covered = before(edge(0), near);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::int64_t after = before(edge(i + 1), near);
    parts[i] = static_cast<float>(static_cast<double>(after - covered) / length_ns);
    covered = after;
  }
}

}  // namespace kino
