#include "core/memory/band_layout.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "core/memory/curve_pyramid.hpp"

namespace kino {
namespace {

constexpr std::array<std::string_view, kPlotLayoutCount> kLayoutNames{"stacked", "stack", "stream",   "pool",
                                                                      "segment", "lanes", "addresses"};
constexpr std::size_t kStopStride = 65536;
// Divisors of the total height: for the minimum height of a visible strip, and for the gap between strips.
constexpr std::uint64_t kLeastShare = 32;
constexpr std::uint64_t kGapShare = 160;

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 62;  // the sum of two such values cannot overflow

// Returns a bounded sum, because the sum of sizes in a damaged file can overflow.
std::uint64_t bounded_sum(std::uint64_t a, std::uint64_t b) {
  return std::min(kMostBytes, std::min(a, kMostBytes) + std::min(b, kMostBytes));
}

/// Addresses [begin, end) that were reserved, or that contain allocations in no segment.
struct AddressRun {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint16_t stream = 0;
  std::uint16_t pool = 0;
  bool expandable = false;
  bool outside = false;
  std::uint64_t place = 0;
};

std::uint64_t end_of(std::uint64_t begin, std::uint64_t size) {
  return size > ~std::uint64_t{0} - begin ? ~std::uint64_t{0} : begin + size;
}

void add_run(std::vector<AddressRun>& runs, const AddressRun& next) {
  if (!runs.empty()) {
    AddressRun& last = runs.back();
    const bool touches = next.begin == last.end && last.expandable && next.expandable &&
                         std::tie(last.stream, last.pool) == std::tie(next.stream, next.pool);
    if (next.begin < last.end || touches) {
      last.end = std::max(last.end, next.end);
      return;
    }
  }
  runs.push_back(next);
}

/// Returns disjoint runs, sorted by address. Overlapping segments, such as one that is reserved again at its
/// address, are one run. Contiguous mappings of one stream and pool in expandable segments are also one run.
std::vector<AddressRun> reserved_runs(const AllocationHistory& history) {
  std::vector<std::uint32_t> order(history.segments.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    const SegmentSpan& left = history.segments[a];
    const SegmentSpan& right = history.segments[b];
    return std::tie(left.addr, right.size, a) < std::tie(right.addr, left.size, b);
  });
  std::vector<AddressRun> runs;
  for (const std::uint32_t i : order) {
    const SegmentSpan& span = history.segments[i];
    add_run(runs, {span.addr, end_of(span.addr, span.size), span.stream, span.pool, span.expandable});
  }
  return runs;
}

/// Returns the run that contains an address, or null.
const AddressRun* run_at(const std::vector<AddressRun>& runs, std::uint64_t addr) {
  const auto next = std::ranges::upper_bound(runs, addr, {}, &AddressRun::begin);
  if (next == runs.begin() || std::prev(next)->end <= addr) return nullptr;
  return &*std::prev(next);
}

/// Returns runs of the allocations that are in none of `reserved`.
std::vector<AddressRun> outside_runs(const Allocations& allocations, const std::vector<AddressRun>& reserved,
                                     const std::stop_token& stop) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < allocations.count(); ++i) {
    if (i % kStopStride == 0 && stop.stop_requested()) return {};
    if (run_at(reserved, allocations.addr[i]) == nullptr) order.push_back(i);
  }
  std::ranges::sort(order, {}, [&](std::uint32_t i) { return std::pair(allocations.addr[i], i); });
  std::vector<AddressRun> runs;
  for (const std::uint32_t i : order) {
    AddressRun run{allocations.addr[i], end_of(allocations.addr[i], allocations.size[i]),
                   allocations.stream[i], allocations.pool[i]};
    run.outside = true;
    add_run(runs, run);
  }
  return runs;
}

/// Group of each allocation, and one strip per group.
struct Grouping {
  std::vector<std::uint32_t> group_of;
  std::vector<BandStrip> groups;
};

/// Groups allocations by key. `key_of(i)` is less than `keys`; `describe(strip, i)` sets the strip's
/// properties from one of its allocations.
template <class KeyOf, class Describe>
Grouping group_by(const Allocations& allocations, std::span<const std::uint8_t> among, std::size_t keys,
                  const KeyOf& key_of, const Describe& describe, const std::stop_token& stop) {
  constexpr std::uint32_t kNew = 0xffffffffU;
  Grouping grouping;
  std::vector<std::uint32_t> dense(keys, kNew);
  grouping.group_of.resize(allocations.count());
  for (std::size_t i = 0; i < allocations.count(); ++i) {
    if (i % kStopStride == 0 && stop.stop_requested()) return grouping;
    if (!among.empty() && among[i] == 0) continue;
    std::uint32_t& group = dense[key_of(i)];
    if (group == kNew) {
      group = static_cast<std::uint32_t>(grouping.groups.size());
      describe(grouping.groups.emplace_back(), i);
    }
    grouping.group_of[i] = group;
  }
  return grouping;
}

Grouping groups_of(const SnapshotDevice& device, const BandLayout& layout, const std::stop_token& stop) {
  const PlotLayout kind = layout.kind;
  const std::span<const std::uint8_t> among = layout.among;
  const Allocations& allocations = device.history.allocations;
  if (kind == PlotLayout::by_stack) {
    std::uint32_t most = 0;
    for (std::size_t i = 0; i < allocations.count(); ++i) {
      if (allocations.stack[i] != kNoStack)
        most = std::max(most, static_cast<std::uint32_t>(allocations.stack[i]));
    }
    const auto of_free = [&](std::size_t i) { return allocations.origin[i] == AllocationOrigin::freed_only; };
    const auto key = [&](std::size_t i) {
      const std::size_t stack =
          allocations.stack[i] == kNoStack ? 0 : static_cast<std::uint32_t>(allocations.stack[i]);
      return 2 * stack + (of_free(i) ? 1 : 0);
    };
    return group_by(
        allocations, among, 2 * (std::size_t{most} + 1), key,
        [&](BandStrip& strip, std::size_t i) {
          strip.stack = allocations.stack[i];
          strip.of_free = of_free(i);
        },
        stop);
  }
  constexpr std::size_t kNumbers = 65536;
  if (kind == PlotLayout::by_stream) {
    return group_by(
        allocations, among, kNumbers, [&](std::size_t i) { return allocations.stream[i]; },
        [&](BandStrip& strip, std::size_t i) { strip.stream = allocations.stream[i]; }, stop);
  }
  if (kind == PlotLayout::by_pool) {
    return group_by(
        allocations, among, kNumbers, [&](std::size_t i) { return allocations.pool[i]; },
        [&](BandStrip& strip, std::size_t i) { strip.pool = allocations.pool[i]; }, stop);
  }
  const std::vector<AddressRun> runs = reserved_runs(device.history);
  const auto key = [&](std::size_t i) {
    const AddressRun* run = run_at(runs, allocations.addr[i]);
    return run == nullptr ? runs.size() : static_cast<std::size_t>(run - runs.data());
  };
  const auto describe = [&](BandStrip& strip, std::size_t i) {
    strip.stream = allocations.stream[i];
    strip.pool = allocations.pool[i];
    const AddressRun* run = run_at(runs, allocations.addr[i]);
    strip.outside = run == nullptr;
    if (run != nullptr) strip.addr = run->begin;
  };
  return group_by(allocations, among, runs.size() + 1, key, describe, stop);
}

/// Calls on_begin(i) and on_end(i) for the allocations, in the order of their entries.
template <class Begins, class Ends>
void replay(const AllocationHistory& history, std::span<const std::uint8_t> among, const Begins& on_begin,
            const Ends& on_end, const std::stop_token& stop) {
  const Allocations& allocations = history.allocations;
  const auto begins = [&](std::size_t i) {
    if (among.empty() || among[i] != 0) on_begin(i);
  };
  const auto ends = [&](std::size_t i) {
    if (among.empty() || among[i] != 0) on_end(i);
  };
  for (std::size_t i = 0; i < allocations.count() && allocations.begin[i] == kBeforeRecording; ++i) begins(i);
  auto replaced = history.replaced.begin();
  for (std::size_t e = 0; e < history.allocation_of_entry.size(); ++e) {
    if (e % kStopStride == 0 && stop.stop_requested()) return;
    const auto event = static_cast<EventIndex>(e);
    for (;
         replaced != history.replaced.end() && allocations.end[static_cast<std::size_t>(*replaced)] <= event;
         ++replaced) {
      ends(static_cast<std::size_t>(*replaced));
    }
    const AllocationId id = history.allocation_of_entry[e];
    if (id == kNoAllocation) continue;
    const auto i = static_cast<std::size_t>(id);
    if (allocations.begin[i] == event) begins(i);
    if (allocations.end[i] == event) ends(i);
  }
}

void find_peaks(const AllocationHistory& history, std::span<const std::uint8_t> among, Grouping& grouping,
                const std::stop_token& stop) {
  std::vector<std::uint64_t> now(grouping.groups.size());
  const auto add = [&](std::size_t i) {
    const std::uint32_t group = grouping.group_of[i];
    now[group] += history.allocations.size[i];
    grouping.groups[group].bytes = std::max(grouping.groups[group].bytes, now[group]);
  };
  const auto remove = [&](std::size_t i) { now[grouping.group_of[i]] -= history.allocations.size[i]; };
  replay(history, among, add, remove, stop);
}

/// Stacks the strips and sets the total height.
void pile_up(BandLayout& layout) {
  std::uint64_t all = 0;
  for (const BandStrip& strip : layout.strips) all = bounded_sum(all, strip.bytes);
  const std::uint64_t gap = layout.strips.size() > 1 ? std::max<std::uint64_t>(1, all / kGapShare) : 0;
  std::uint64_t place = 0;
  for (BandStrip& strip : layout.strips) {
    strip.begin = place;
    strip.height = std::max(strip.bytes, all / kLeastShare);
    place = bounded_sum(place, bounded_sum(strip.height, gap));
  }
  layout.height = place;
}

/// Assigns strips: the largest groups get separate strips, and the others share the lowest strip.
void arrange_groups(const SnapshotDevice& device, BandLayout& layout, const std::stop_token& stop) {
  Grouping grouping = groups_of(device, layout, stop);
  if (stop.stop_requested()) return;
  find_peaks(device.history, layout.among, grouping, stop);
  if (stop.stop_requested()) return;
  std::vector<std::uint32_t> order(grouping.groups.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](std::uint32_t group) { return grouping.groups[group].bytes; });
  if (order.size() > kMostStrips + 1) {
    const std::uint32_t rest = order[kMostStrips];
    std::vector<char> small(grouping.groups.size());
    for (std::size_t i = kMostStrips; i < order.size(); ++i) small[order[i]] = 1;
    for (std::uint32_t& group : grouping.group_of) group = small[group] != 0 ? rest : group;
    grouping.groups[rest] = {};
    grouping.groups[rest].groups = static_cast<std::uint32_t>(order.size() - kMostStrips);
    order.resize(kMostStrips + 1);
    for (const std::uint32_t group : order) grouping.groups[group].bytes = 0;
    find_peaks(device.history, layout.among, grouping, stop);
  }
  std::vector<std::uint16_t> strip_of(grouping.groups.size());
  std::ranges::reverse(order);
  for (const std::uint32_t group : order) {
    strip_of[group] = static_cast<std::uint16_t>(layout.strips.size());
    layout.strips.push_back(grouping.groups[group]);
  }
  layout.strip_of.reserve(grouping.group_of.size());
  for (const std::uint32_t group : grouping.group_of)
    layout.strip_of.push_back(strip_of.empty() ? std::uint16_t{0} : strip_of[group]);
  pile_up(layout);
}

/// Assigns ranges of the plot's height: the smallest gap that fits, and the lowest of equal gaps. If no gap
/// fits, the range is above all others.
class LaneRoom {
 public:
  std::uint64_t take(std::uint64_t size) {
    const auto fit = by_size_.lower_bound({size, 0});
    if (fit == by_size_.end()) {
      const std::uint64_t place = std::exchange(top_, bounded_sum(top_, size));
      highest_ = std::max(highest_, top_);
      return place;
    }
    const auto [room, place] = *fit;
    forget(place, room);
    if (room > size) remember(place + size, room - size);
    return place;
  }
  void give(std::uint64_t place, std::uint64_t size) {
    if (size == 0) return;
    const auto above = by_place_.upper_bound(place);
    if (above != by_place_.end() && above->first == place + size) {
      size += above->second;
      forget(above->first, above->second);
    }
    const auto next = by_place_.lower_bound(place);
    if (next != by_place_.begin()) {
      const auto [below, room] = *std::prev(next);
      if (below + room == place) {
        forget(below, room);
        place = below;
        size += room;
      }
    }
    if (place + size == top_) {
      top_ = place;
    } else {
      remember(place, size);
    }
  }
  std::uint64_t highest() const { return highest_; }

 private:
  void remember(std::uint64_t place, std::uint64_t room) {
    by_place_.emplace(place, room);
    by_size_.emplace(room, place);
  }
  void forget(std::uint64_t place, std::uint64_t room) {
    by_place_.erase(place);
    by_size_.erase({room, place});
  }
  std::map<std::uint64_t, std::uint64_t> by_place_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> by_size_;
  std::uint64_t top_ = 0;  // nothing at or above this is assigned
  std::uint64_t highest_ = 0;
};

void arrange_lanes(const AllocationHistory& history, BandLayout& layout, const std::stop_token& stop) {
  const Allocations& allocations = history.allocations;
  layout.place_of.resize(allocations.count());
  LaneRoom room;
  replay(
      history, layout.among, [&](std::size_t i) { layout.place_of[i] = room.take(allocations.size[i]); },
      [&](std::size_t i) { room.give(layout.place_of[i], allocations.size[i]); }, stop);
  layout.height = room.highest();
}

void place_runs(BandLayout& layout, std::vector<AddressRun>& reserved, std::vector<AddressRun>& outside) {
  using Key = std::tuple<bool, std::uint16_t, std::uint16_t>;
  std::map<Key, std::vector<AddressRun*>> groups;
  for (std::vector<AddressRun>* const runs : {&reserved, &outside}) {
    for (AddressRun& run : *runs) groups[{run.outside, run.pool, run.stream}].push_back(&run);
  }
  std::vector<std::pair<BandStrip, const std::vector<AddressRun*>*>> strips;
  for (const auto& [key, runs] : groups) {
    BandStrip strip;
    std::tie(strip.outside, strip.pool, strip.stream) = key;
    for (const AddressRun* run : runs) strip.bytes = bounded_sum(strip.bytes, run->end - run->begin);
    strips.emplace_back(strip, &runs);
  }
  std::ranges::stable_sort(strips, {}, [](const auto& entry) { return entry.first.bytes; });
  for (const auto& [strip, runs] : strips) layout.strips.push_back(strip);
  pile_up(layout);
  for (std::size_t i = 0; i < strips.size(); ++i) {
    std::uint64_t place = layout.strips[i].begin;
    for (AddressRun* run : *strips[i].second) {
      run->place = place;
      place = bounded_sum(place, run->end - run->begin);
    }
  }
}

void arrange_addresses(const AllocationHistory& history, BandLayout& layout, const std::stop_token& stop) {
  const Allocations& allocations = history.allocations;
  std::vector<AddressRun> reserved = reserved_runs(history);
  std::vector<AddressRun> outside = outside_runs(allocations, reserved, stop);
  place_runs(layout, reserved, outside);
  const auto place_at = [&](std::uint64_t addr) -> std::uint64_t {
    const AddressRun* run = run_at(reserved, addr);
    if (run == nullptr) run = run_at(outside, addr);
    return run == nullptr ? 0 : bounded_sum(run->place, addr - run->begin);
  };
  layout.place_of.resize(allocations.count());
  for (std::size_t i = 0; i < allocations.count(); ++i) {
    if (i % kStopStride == 0 && stop.stop_requested()) return;
    layout.place_of[i] = place_at(allocations.addr[i]);
  }
  layout.reserved.reserve(history.segments.size());
  for (const SegmentSpan& span : history.segments)
    layout.reserved.push_back({place_at(span.addr), span.size, span.begin, span.end});
}

void arrange(const SnapshotDevice& device, BandLayout& layout, const std::stop_token& stop) {
  if (is_grouped(layout.kind)) {
    arrange_groups(device, layout, stop);
  } else if (layout.kind == PlotLayout::lanes) {
    arrange_lanes(device.history, layout, stop);
  } else if (layout.kind == PlotLayout::addresses) {
    arrange_addresses(device.history, layout, stop);
  } else {
    const CurvePyramid& active = device.history.curve(MemoryCurve::requested);
    layout.height = layout.filtered() ? layout.shown.peak.bytes : active.peak.bytes;
  }
}

}  // namespace

std::string_view text_of(PlotLayout layout) { return kLayoutNames[static_cast<std::size_t>(layout)]; }

std::size_t BandLayout::size_bytes() const {
  return strip_of.capacity() * sizeof(std::uint16_t) + place_of.capacity() * sizeof(std::uint64_t) +
         strips.capacity() * sizeof(BandStrip) + reserved.capacity() * sizeof(ReservedBox) + among.capacity();
}

BandLayout band_layout(const SnapshotDevice& device, PlotLayout kind, const std::stop_token& stop) {
  BandLayout layout;
  layout.kind = kind;
  arrange(device, layout, stop);
  return layout;
}

BandLayout band_layout(const SnapshotDevice& device, PlotLayout kind, std::span<const AllocationId> only,
                       const std::stop_token& stop) {
  BandLayout layout;
  layout.kind = kind;
  const Allocations& allocations = device.history.allocations;
  layout.among.resize(allocations.count());
  layout.among_count = only.size();
  std::uint64_t start = 0;
  for (const AllocationId id : only) {
    const auto i = static_cast<std::size_t>(id);
    layout.among[i] = 1;
    if (allocations.begin[i] == kBeforeRecording) start += allocations.size[i];
  }
  layout.shown = curve_pyramid(device.entries.entry_count(), start,
                               [&](EventIndex event) { return active_change(device, event, layout.among); });
  if (!stop.stop_requested()) arrange(device, layout, stop);
  return layout;
}

CurveExtent shown_over(const SnapshotDevice& device, const BandLayout* layout, EventIndex first,
                       EventIndex last) {
  if (layout == nullptr || !layout->filtered())
    return curve_over(device, MemoryCurve::requested, first, last);
  return pyramid_over(layout->shown, device.entries.entry_count(), first, last,
                      [&](EventIndex event) { return active_change(device, event, layout->among); });
}

}  // namespace kino
