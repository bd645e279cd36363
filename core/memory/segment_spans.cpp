#include "core/memory/segment_spans.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <tuple>

#include "core/memory/snapshot.hpp"

namespace kino {
namespace {

constexpr std::uint64_t kSmallSegment = std::uint64_t{2} << 20;  // segment size for requests up to 1 MiB

/// Spans that are reserved at the current entry of the backward walk, by address. Ranges beyond 2^64 are
/// truncated, because no real segment wraps around.
class OpenSpans {
 public:
  explicit OpenSpans(std::vector<SegmentSpan>& done) : done_(done) {}

  static std::uint64_t end_of(std::uint64_t addr, std::uint64_t size) {
    return addr + std::min(size, ~std::uint64_t{0} - addr);
  }

  /// Marks [addr, addr + size) as reserved before the current entry. Parts that are already open remain
  /// unchanged.
  void open(SegmentSpan span) {
    const std::uint64_t stop = end_of(span.addr, span.size);
    std::uint64_t at = span.addr;
    for (auto it = first_ending_after(at); at < stop;) {
      const std::uint64_t gap_end = it == spans_.end() ? stop : std::min(stop, it->first);
      if (gap_end > at) {
        span.addr = at;
        span.size = gap_end - at;
        spans_.emplace_hint(it, at, span);
      }
      if (it == spans_.end()) break;
      at = std::max(at, end_of(it->second.addr, it->second.size));
      ++it;
    }
  }

  /// Handles the entry that reserved [addr, addr + size): open spans in this range get `made.begin` as their
  /// start, and are done. Parts without an open span are assumed to remain reserved to the end.
  void close(const SegmentSpan& made) {
    const std::uint64_t stop = end_of(made.addr, made.size);
    cut(made.addr);
    cut(stop);
    std::uint64_t at = made.addr;
    auto entry = spans_.lower_bound(made.addr);
    const auto add_unseen = [&](std::uint64_t to) {
      if (to <= at) return;
      SegmentSpan span = made;
      span.addr = at;
      span.size = to - at;
      done_.push_back(span);
    };
    while (entry != spans_.end() && entry->first < stop) {
      add_unseen(entry->first);
      SegmentSpan span = entry->second;
      at = span.addr + span.size;
      span.begin = made.begin;
      if (made.stack != kNoStack) span.stack = made.stack;
      done_.push_back(span);
      entry = spans_.erase(entry);
    }
    add_unseen(stop);
  }

  void close_rest() {
    for (const auto& [addr, span] : spans_) done_.push_back(span);
  }

 private:
  using Map = std::map<std::uint64_t, SegmentSpan>;

  /// Returns the first span that ends after `addr`.
  Map::iterator first_ending_after(std::uint64_t addr) {
    auto entry = spans_.upper_bound(addr);
    if (entry != spans_.begin()) {
      const auto before = std::prev(entry);
      if (before->second.addr + before->second.size > addr) return before;
    }
    return entry;
  }

  /// Splits the span that contains `addr`.
  void cut(std::uint64_t addr) {
    const auto entry = first_ending_after(addr);
    if (entry == spans_.end() || entry->first >= addr) return;
    SegmentSpan upper = entry->second;
    upper.size = entry->second.addr + entry->second.size - addr;
    upper.addr = addr;
    entry->second.size = addr - entry->second.addr;
    spans_.emplace(addr, upper);
  }

  std::vector<SegmentSpan>& done_;
  Map spans_;
};

SegmentSpan span_of(const SnapshotEntries& entries, std::size_t i) {
  SegmentSpan span;
  span.addr = entries.addr[i];
  span.size = entries.size[i];
  span.stack = entries.stack[i];
  span.stream = entries.stream[i];
  span.pool = entries.pool[i];
  span.small = span.size <= kSmallSegment;
  span.expandable =
      entries.action[i] == SnapshotAction::segment_map || entries.action[i] == SnapshotAction::segment_unmap;
  return span;
}

}  // namespace

std::vector<SegmentSpan> segment_spans(const SnapshotDevice& device) {
  std::vector<SegmentSpan> spans;
  OpenSpans open(spans);
  for (const SnapshotSegment& segment : device.segments) {
    SegmentSpan span;
    span.addr = segment.addr;
    span.size = segment.size;
    span.stack = segment.stack;
    span.stream = segment.stream;
    span.pool = segment.pool;
    span.small = segment.small;
    span.expandable = segment.expandable;
    open.open(span);
  }
  const SnapshotEntries& entries = device.entries;
  for (std::size_t i = entries.entry_count(); i-- > 0;) {
    switch (entries.action[i]) {
      case SnapshotAction::segment_free:
      case SnapshotAction::segment_unmap: {
        SegmentSpan span = span_of(entries, i);
        span.end = static_cast<EventIndex>(i);
        span.stack = kNoStack;  // this is the stack of the free; close() may set that of the reservation
        open.open(span);
        break;
      }
      case SnapshotAction::segment_alloc:
      case SnapshotAction::segment_map: {
        SegmentSpan span = span_of(entries, i);
        span.begin = static_cast<EventIndex>(i);
        open.close(span);
        break;
      }
      default:
        break;
    }
  }
  open.close_rest();
  std::ranges::sort(spans, {}, [](const SegmentSpan& span) { return std::tuple(span.begin, span.addr); });
  return spans;
}

std::vector<std::uint32_t> segments_of_allocations(const AllocationHistory& history) {
  const std::vector<SegmentSpan>& spans = history.segments;
  std::vector<std::uint32_t> by_end(spans.size());
  std::iota(by_end.begin(), by_end.end(), 0U);
  std::ranges::sort(by_end, {}, [&](std::uint32_t i) { return spans[i].end; });
  std::map<std::uint64_t, std::uint32_t> reserved;  // by address, at the current event
  std::uint32_t begun = 0;
  std::size_t ended = 0;
  std::vector<std::uint32_t> found(history.allocations.count(), kNoSegment);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const EventIndex at = history.allocations.begin[i];  // ascending
    // A range is released before it is reserved again, so process ends before the starts that follow them.
    while (begun < spans.size() && spans[begun].begin <= at) {
      for (; ended < by_end.size() && spans[by_end[ended]].end <= spans[begun].begin; ++ended)
        reserved.erase(spans[by_end[ended]].addr);
      reserved.emplace(spans[begun].addr, begun);
      ++begun;
    }
    for (; ended < by_end.size() && spans[by_end[ended]].end <= at; ++ended)
      reserved.erase(spans[by_end[ended]].addr);
    const std::uint64_t addr = history.allocations.addr[i];
    auto next = reserved.upper_bound(addr);
    if (next == reserved.begin()) continue;
    --next;
    if (addr - next->first < spans[next->second].size) found[i] = next->second;
  }
  return found;
}

}  // namespace kino
