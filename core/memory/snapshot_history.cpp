#include "core/memory/snapshot_history.hpp"

#include <algorithm>

#include "core/base/address_map.hpp"
#include "core/memory/curve_pyramid.hpp"
#include "core/memory/segment_spans.hpp"
#include "core/memory/snapshot.hpp"

namespace kino {
namespace {

constexpr std::size_t kStopEvents = 1 << 16;

/// An allocation from before the recording.
struct Older {
  std::uint64_t addr = 0;
  std::uint64_t size = 0;
  EventIndex free_requested = kNever;
  EventIndex end = kNever;
  StackId stack = kNoStack;
  std::uint16_t stream = 0;
  std::uint16_t pool = 0;
};

bool begins(SnapshotAction action) { return action == SnapshotAction::alloc; }
bool requests(SnapshotAction action) { return action == SnapshotAction::free_requested; }
bool completes(SnapshotAction action) {
  return action == SnapshotAction::free_completed || action == SnapshotAction::free;
}

using ActionCounts = std::array<std::size_t, kSnapshotActionCount>;

ActionCounts count_actions(const SnapshotEntries& entries) {
  ActionCounts counts{};
  for (const SnapshotAction action : entries.action) ++counts[static_cast<std::size_t>(action)];
  return counts;
}

/// Pairs allocations with their frees. Because final numbers depend on all allocations, temporary numbers are
/// used: from 0 for recorded allocations, and ~n for allocations of which only the free was recorded.
class ActionPairing {
 public:
  ActionPairing(SnapshotDevice& device, const ActionCounts& counts)
      : device_(device), entries_(device.entries), owner_(entries_.entry_count()) {
    const std::size_t allocs = counts[static_cast<std::size_t>(SnapshotAction::alloc)];
    begin_ = Column<EventIndex>(allocs);
    free_requested_ = Column<EventIndex>(allocs);
    end_ = Column<EventIndex>(allocs);
    const bool any_request = counts[static_cast<std::size_t>(SnapshotAction::free_requested)] > 0;
    const bool any_completed = counts[static_cast<std::size_t>(SnapshotAction::free_completed)] +
                                   counts[static_cast<std::size_t>(SnapshotAction::free)] >
                               0;
    requests_recorded_ = any_request;
    ends_at_request_ = any_request && !any_completed;
  }

  /// Returns false if stopped.
  bool run(const std::stop_token& stop) {
    const std::size_t count = entries_.entry_count();
    for (std::size_t i = 0; i < count; ++i) {
      if (i % kStopEvents == 0 && stop.stop_requested()) return false;
      step(static_cast<EventIndex>(i));
    }
    return true;
  }

  void finish() {
    device_.trust.freed_without_alloc = freed_only_.size();
    device_.trust.ends_at_request = ends_at_request_;
    add_ghosts();
    fill();
  }

 private:
  void step(EventIndex event) {
    const auto i = static_cast<std::size_t>(event);
    const SnapshotAction action = entries_.action[i];
    owner_[i] = kNoRank;
    if (begins(action)) {
      alloc(event);
    } else if (requests(action)) {
      request(event);
    } else if (completes(action)) {
      complete(event);
    } else if (action == SnapshotAction::annotate) {
      if (const std::uint32_t* const live = live_.find(entries_.addr[i])) owner_[i] = *live;
    }
  }

  void alloc(EventIndex event) {
    const auto i = static_cast<std::size_t>(event);
    const std::uint64_t addr = entries_.addr[i];
    if (const std::uint32_t* const live = live_.find(addr)) {
      ++device_.trust.allocated_twice;
      end(*live, event);
      replaced_.push_back(*live);
    }
    begin_[next_] = event;
    free_requested_[next_] = kNever;
    end_[next_] = kNever;
    live_.set(addr, next_);
    owner_[i] = next_++;
  }

  void request(EventIndex event) {
    const auto i = static_cast<std::size_t>(event);
    const std::uint64_t addr = entries_.addr[i];
    if (const std::uint32_t* const live = live_.find(addr)) {
      owner_[i] = *live;
      note_stack(*live, event);
      if (free_requested_[*live] == kNever) free_requested_[*live] = event;
      if (ends_at_request_) {
        end_[*live] = event;
        live_.erase(addr);
      }
    } else if (ends_at_request_) {
      add_freed_only(event, event);
    } else {
      older_requests_.set(addr, static_cast<std::uint32_t>(event));
    }
  }

  void complete(EventIndex event) {
    const auto i = static_cast<std::size_t>(event);
    const std::uint64_t addr = entries_.addr[i];
    if (const std::uint32_t* const live = live_.find(addr)) {
      owner_[i] = *live;
      note_stack(*live, event);
      end(*live, event);
      live_.erase(addr);
      return;
    }
    EventIndex requested = kBeforeRecording;
    if (const std::uint32_t* const found = older_requests_.find(addr)) {
      requested = static_cast<EventIndex>(*found);
      older_requests_.erase(addr);
    } else if (!requests_recorded_ || entries_.action[i] == SnapshotAction::free) {
      requested = event;
    }
    add_freed_only(event, requested);
  }

  /// Compares the stack of a free with that of the recorded allocation.
  void note_stack(std::uint32_t allocation, EventIndex event) {
    const StackId stack = entries_.stack[static_cast<std::size_t>(event)];
    if (stack == kNoStack || stack == kEmptyStack) return;
    if (stack != entries_.stack[static_cast<std::size_t>(begin_[allocation])])
      device_.trust.frees_have_stacks = true;
  }

  void end(std::uint32_t allocation, EventIndex event) {
    end_[allocation] = event;
    if (free_requested_[allocation] == kNever) free_requested_[allocation] = event;
  }

  void add_freed_only(EventIndex event, EventIndex requested) {
    const auto i = static_cast<std::size_t>(event);
    const std::uint32_t number = ~static_cast<std::uint32_t>(freed_only_.size());
    owner_[i] = number;
    if (requested >= 0) owner_[static_cast<std::size_t>(requested)] = number;
    freed_only_.push_back({entries_.addr[i], entries_.size[i], requested, event, entries_.stack[i],
                           entries_.stream[i], entries_.pool[i]});
  }

  /// Adds the blocks of the final segments that no entry allocated, and SnapshotDevice::older.
  void add_ghosts() {
    std::size_t matched = 0;
    for (const SnapshotSegment& segment : device_.segments) {
      for (const SnapshotBlock& block : device_.blocks_of(segment)) {
        if (block.state == BlockState::inactive) continue;
        if (live_.find(block.addr) != nullptr) {
          ++matched;
          continue;
        }
        Older ghost{block.addr, block.requested, kNever, kNever, block.stack, segment.stream, segment.pool};
        if (block.state == BlockState::pending_free) {
          const std::uint32_t* const request = older_requests_.find(block.addr);
          ghost.free_requested = request != nullptr ? static_cast<EventIndex>(*request) : kBeforeRecording;
          ghost_requests_.emplace_back(ghost.free_requested, ghosts_.size());
        }
        ghosts_.push_back(ghost);
      }
    }
    for (const OlderAllocation& older : device_.older)
      ghosts_.push_back({older.addr, older.size, kNever, kNever, kNoStack, 0, 0});
    device_.trust.unseen_in_segments = ghosts_.size();
    device_.trust.not_in_segments = live_.size() - std::min(matched, live_.size());
  }

  void put(Allocations& to, std::size_t at, const Older& older, AllocationOrigin origin) const {
    to.addr[at] = older.addr;
    to.size[at] = older.size;
    to.begin[at] = kBeforeRecording;
    to.free_requested[at] = older.free_requested;
    to.end[at] = older.end;
    to.stack[at] = older.stack;
    to.stream[at] = older.stream;
    to.pool[at] = older.pool;
    to.origin[at] = origin;
  }

  void fill() {
    const std::size_t older = ghosts_.size() + freed_only_.size();
    const std::size_t count = older + next_;
    Allocations& to = device_.history.allocations;
    to.addr = Column<std::uint64_t>(count);
    to.size = Column<std::uint64_t>(count);
    to.begin = Column<EventIndex>(count);
    to.free_requested = Column<EventIndex>(count);
    to.end = Column<EventIndex>(count);
    to.stack = Column<StackId>(count);
    to.stream = Column<std::uint16_t>(count);
    to.pool = Column<std::uint16_t>(count);
    to.origin = Column<AllocationOrigin>(count);
    // Ghosts are placed in reverse, so SnapshotDevice::older, which were added last, are the first
    // allocations.
    for (std::size_t i = device_.older.size(); i-- > 0;)
      device_.history.older_notes.push_back(device_.older[i].note);
    std::size_t at = 0;
    for (std::size_t i = ghosts_.size(); i-- > 0;) put(to, at++, ghosts_[i], AllocationOrigin::ghost);
    for (std::size_t i = freed_only_.size(); i-- > 0;)
      put(to, at++, freed_only_[i], AllocationOrigin::freed_only);
    for (std::uint32_t k = 0; k < next_; ++k, ++at) {
      const auto event = static_cast<std::size_t>(begin_[k]);
      to.addr[at] = entries_.addr[event];
      to.size[at] = entries_.size[event];
      to.begin[at] = begin_[k];
      to.free_requested[at] = free_requested_[k];
      to.end[at] = end_[k];
      to.stack[at] = entries_.stack[event];
      to.stream[at] = entries_.stream[event];
      to.pool[at] = entries_.pool[event];
      to.origin[at] = AllocationOrigin::recorded;
    }
    // Replace temporary numbers by final ones.
    device_.history.allocation_of_entry = Column<AllocationId>(owner_.size());
    for (std::size_t i = 0; i < owner_.size(); ++i)
      device_.history.allocation_of_entry[i] = final_number(owner_[i]);
    for (const auto& [event, ghost] : ghost_requests_) {
      if (event < 0) continue;
      device_.history.allocation_of_entry[static_cast<std::size_t>(event)] =
          AllocationId{static_cast<std::uint32_t>(ghosts_.size() - 1 - ghost)};
    }
    for (const std::uint32_t old : replaced_) device_.history.replaced.push_back(final_number(old));
  }

  AllocationId final_number(std::uint32_t number) const {
    if (number == kNoRank) return kNoAllocation;
    const auto older = static_cast<std::uint32_t>(ghosts_.size() + freed_only_.size());
    return AllocationId{number < next_ ? older + number : older - 1 - ~number};
  }

  // No allocation. Separates the numbers of recorded allocations, which ascend from 0, from the other
  // numbers, which descend.
  static constexpr std::uint32_t kNoRank = 0x80000000U;

  SnapshotDevice& device_;
  const SnapshotEntries& entries_;
  AddressMap live_;            // recorded allocations by address
  AddressMap older_requests_;  // free_requested events of older allocations, by address
  Column<std::uint32_t> owner_;
  Column<EventIndex> begin_;
  Column<EventIndex> free_requested_;
  Column<EventIndex> end_;
  std::uint32_t next_ = 0;
  std::vector<Older> freed_only_;
  std::vector<Older> ghosts_;
  std::vector<std::pair<EventIndex, std::size_t>> ghost_requests_;
  std::vector<std::uint32_t> replaced_;
  bool requests_recorded_ = false;
  bool ends_at_request_ = false;
};

/// Returns the change of a curve at `event`, modulo 2^64.
std::uint64_t delta_of(const SnapshotDevice& device, MemoryCurve which, EventIndex event) {
  const auto i = static_cast<std::size_t>(event);
  const AllocationHistory& history = device.history;
  const SnapshotAction action = device.entries.action[i];
  if (which == MemoryCurve::reserved) {
    switch (action) {
      case SnapshotAction::segment_alloc:
      case SnapshotAction::segment_map:
        return device.entries.size[i];
      case SnapshotAction::segment_free:
      case SnapshotAction::segment_unmap:
        return -device.entries.size[i];
      default:
        return 0;
    }
  }
  const Allocations& allocations = history.allocations;
  const Column<EventIndex>& ends = allocations.end;
  if (begins(action)) {
    std::uint64_t delta = device.entries.size[i];
    if (!history.replaced.empty()) {
      const auto found = std::ranges::lower_bound(
          history.replaced, event, {}, [&](AllocationId id) { return allocations.end[index_of(id)]; });
      if (found != history.replaced.end() && ends[index_of(*found)] == event)
        delta -= allocations.size[index_of(*found)];
    }
    return delta;
  }
  if (!requests(action) && !completes(action)) return 0;
  const AllocationId id = history.allocation_of_entry[i];
  return id != kNoAllocation && ends[index_of(id)] == event ? -allocations.size[index_of(id)] : 0;
}

/// Returns the reserved bytes before the first event: the final segments minus all changes, but at least the
/// smallest value for which the curve is never negative. (Files may have no segments.)
std::uint64_t reserved_before(const SnapshotDevice& device) {
  std::int64_t at_end = 0;
  for (const SnapshotSegment& segment : device.segments) at_end += static_cast<std::int64_t>(segment.size);
  std::uint64_t sum = 0;
  std::int64_t lowest = 0;
  for (std::size_t i = 0; i < device.entries.entry_count(); ++i) {
    sum += delta_of(device, MemoryCurve::reserved, static_cast<EventIndex>(i));
    lowest = std::min(lowest, static_cast<std::int64_t>(sum));
  }
  const std::uint64_t start = static_cast<std::uint64_t>(at_end) - sum;
  const std::uint64_t least = -static_cast<std::uint64_t>(lowest);
  return static_cast<std::int64_t>(start) < static_cast<std::int64_t>(least) ? least : start;
}

void build_curves(SnapshotDevice& device) {
  const Allocations& allocations = device.history.allocations;
  std::uint64_t requested = 0;
  for (std::size_t i = 0; i < allocations.count() && allocations.begin[i] == kBeforeRecording; ++i)
    requested += allocations.size[i];
  const auto build = [&](MemoryCurve which, std::uint64_t start) {
    device.history.curves[static_cast<std::size_t>(which)] =
        curve_pyramid(device.entries.entry_count(), start,
                      [&](EventIndex event) { return delta_of(device, which, event); });
  };
  build(MemoryCurve::requested, requested);
  build(MemoryCurve::reserved, reserved_before(device));
}

void judge(SnapshotDevice& device, const ActionCounts& counts) {
  SnapshotQuality& trust = device.trust;
  const SnapshotEntries& entries = device.entries;
  const auto count_of = [&](SnapshotAction action) { return counts[static_cast<std::size_t>(action)]; };
  std::int64_t latest = SnapshotEntries::kNoTime;
  for (std::size_t i = 0; i < entries.entry_count(); ++i) {
    const SnapshotAction action = entries.action[i];
    if (entries.stack[i] == kNoStack && action != SnapshotAction::snapshot) ++trust.entries_without_stack;
    if (entries.time_us[i] == SnapshotEntries::kNoTime) continue;
    if (entries.time_us[i] < latest) ++trust.time_backwards;
    latest = std::max(latest, entries.time_us[i]);
  }
  const std::size_t completed = count_of(SnapshotAction::free_completed) + count_of(SnapshotAction::free);
  if (count_of(SnapshotAction::alloc) == 0 && completed > 0)
    trust.missing_actions.push_back(SnapshotAction::alloc);
  if (completed == 0 && count_of(SnapshotAction::free_requested) > 0)
    trust.missing_actions.push_back(SnapshotAction::free_completed);
  if (count_of(SnapshotAction::free_requested) == 0 && count_of(SnapshotAction::free_completed) > 0)
    trust.missing_actions.push_back(SnapshotAction::free_requested);
  for (std::size_t i = entries.entry_count(); i-- > 0;) {
    if (entries.action[i] != SnapshotAction::snapshot) continue;
    std::uint64_t active = 0;
    for (const SnapshotSegment& segment : device.segments) active += segment.active;
    trust.residual_bytes = static_cast<std::int64_t>(entries.size[i] - active);
    break;
  }
}

/// Calls `found` with the index of each item that is live at `event`, in ascending order. The first `begun`
/// items have begun, and end_of(i) returns the end of an item.
template <class EndOf, class Found>
void visit_live(std::size_t begun, const EndOf& end_of, const LiveIndex& index, EventIndex event,
                const Found& found) {
  const auto& levels = index.levels();
  struct Node {
    std::size_t level;
    std::size_t at;
  };
  std::vector<Node> open;
  const auto push = [&](std::size_t level, std::size_t first, std::size_t last) {
    for (std::size_t i = last; i-- > first;) open.push_back({level, i});
  };
  push(levels.size(), 0, levels.empty() ? begun : levels.back().size());
  while (!open.empty()) {
    const Node node = open.back();
    open.pop_back();
    if (node.level == 0) {
      if (end_of(node.at) > event) found(static_cast<std::uint32_t>(node.at));
      continue;
    }
    if (levels[node.level - 1][node.at] <= event) continue;
    const std::size_t size = node.level == 1 ? begun : levels[node.level - 2].size();
    const std::size_t first = std::min(size, node.at * LiveIndex::kFan);
    push(node.level - 1, first, std::min(size, first + LiveIndex::kFan));
  }
}

}  // namespace

LiveIndex::LiveIndex(std::span<const EventIndex> ends) {
  while (ends.size() > kFan) {
    std::vector<EventIndex> above((ends.size() + kFan - 1) / kFan, kBeforeRecording);
    for (std::size_t i = 0; i < ends.size(); ++i) above[i / kFan] = std::max(above[i / kFan], ends[i]);
    levels_.push_back(std::move(above));
    ends = levels_.back();
  }
}

std::size_t LiveIndex::size_bytes() const {
  std::size_t bytes = 0;
  for (const auto& level : levels_) bytes += level.capacity() * sizeof(EventIndex);
  return bytes;
}

std::size_t AllocationHistory::size_bytes() const {
  std::size_t bytes = allocations.size_bytes() + allocation_of_entry.size_bytes() +
                      segments.capacity() * sizeof(SegmentSpan) + live_allocations.size_bytes() +
                      live_segments.size_bytes();
  for (const CurvePyramid& curve : curves) {
    for (const auto& level : curve.levels) bytes += level.capacity() * sizeof(CurveExtent);
  }
  return bytes;
}

void build_history(SnapshotDevice& device, const std::stop_token& stop) {
  device.history = {};
  device.trust = {};
  const ActionCounts counts = count_actions(device.entries);
  {
    ActionPairing pairing(device, counts);
    if (!pairing.run(stop)) return;
    pairing.finish();
  }
  if (stop.stop_requested()) return;
  build_curves(device);
  AllocationHistory& history = device.history;
  history.segments = segment_spans(device);
  history.expandable = std::ranges::any_of(history.segments, &SegmentSpan::expandable);
  history.live_allocations = LiveIndex(history.allocations.end.span());
  std::vector<EventIndex> ends;
  ends.reserve(history.segments.size());
  for (const SegmentSpan& span : history.segments) ends.push_back(span.end);
  history.live_segments = LiveIndex(ends);
  judge(device, counts);
}

std::uint64_t active_change(const SnapshotDevice& device, EventIndex event,
                            std::span<const std::uint8_t> among) {
  const AllocationHistory& history = device.history;
  const AllocationId id = history.allocation_of_entry[static_cast<std::size_t>(event)];
  if (id == kNoAllocation) return 0;
  const Allocations& allocations = history.allocations;
  std::uint64_t change = 0;
  if (among[index_of(id)] != 0 && allocations.begin[index_of(id)] == event)
    change += allocations.size[index_of(id)];
  if (among[index_of(id)] != 0 && allocations.end[index_of(id)] == event)
    change -= allocations.size[index_of(id)];
  if (history.replaced.empty()) return change;
  const auto found = std::ranges::lower_bound(
      history.replaced, event, {}, [&](AllocationId old) { return allocations.end[index_of(old)]; });
  if (found != history.replaced.end() && allocations.end[index_of(*found)] == event &&
      among[index_of(*found)] != 0)
    change -= allocations.size[index_of(*found)];
  return change;
}

std::uint64_t curve_at(const SnapshotDevice& device, MemoryCurve which, EventIndex event) {
  return pyramid_at(device.history.curve(which), device.entries.entry_count(), event,
                    [&](EventIndex e) { return delta_of(device, which, e); });
}

void visit_curve(const SnapshotDevice& device, MemoryCurve which, const std::stop_token& stop,
                 const std::function<void(std::size_t, std::uint64_t)>& visit) {
  std::uint64_t value = device.history.curve(which).start;
  for (std::size_t i = 0; i < device.entries.entry_count(); ++i) {
    if (i % 65536 == 0 && stop.stop_requested()) return;
    value += delta_of(device, which, static_cast<EventIndex>(i));
    visit(i, value);
  }
}

CurveExtent curve_over(const SnapshotDevice& device, MemoryCurve which, EventIndex first, EventIndex last) {
  return pyramid_over(device.history.curve(which), device.entries.entry_count(), first, last,
                      [&](EventIndex e) { return delta_of(device, which, e); });
}

std::vector<AllocationId> live_at(const AllocationHistory& history, EventIndex event) {
  const Allocations& allocations = history.allocations;
  const std::span<const EventIndex> begin = allocations.begin.span();
  const auto begun = static_cast<std::size_t>(std::ranges::upper_bound(begin, event) - begin.begin());
  std::vector<AllocationId> live;
  visit_live(
      begun, [&](std::size_t i) { return allocations.end[i]; }, history.live_allocations, event,
      [&](std::uint32_t i) { live.push_back(AllocationId{i}); });
  return live;
}

std::vector<std::uint32_t> segments_at(const AllocationHistory& history, EventIndex event) {
  const std::vector<SegmentSpan>& spans = history.segments;
  const auto begun = static_cast<std::size_t>(
      std::ranges::upper_bound(spans, event, {}, &SegmentSpan::begin) - spans.begin());
  std::vector<std::uint32_t> live;
  visit_live(
      begun, [&](std::size_t i) { return spans[i].end; }, history.live_segments, event,
      [&](std::uint32_t i) { live.push_back(i); });
  return live;
}

EventIndex event_at_time(const SnapshotDevice& device, std::int64_t time_us) {
  const Column<std::int64_t>& times = device.entries.time_us;
  if (device.trust.time_backwards == 0) {
    const auto next = std::ranges::upper_bound(times.span(), time_us) - times.span().begin();
    return next > 0 && times[static_cast<std::size_t>(next) - 1] == SnapshotEntries::kNoTime
               ? kBeforeRecording
               : static_cast<EventIndex>(next) - 1;
  }
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (times[i] > time_us) return static_cast<EventIndex>(i) - 1;
  }
  return static_cast<EventIndex>(times.size()) - 1;
}

EventIndex next_on_address(const SnapshotDevice& device, EventIndex event, std::uint64_t addr) {
  const SnapshotEntries& entries = device.entries;
  const auto count = static_cast<EventIndex>(entries.entry_count());
  for (EventIndex i = std::max(event, kBeforeRecording) + 1; i < count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (entries.addr[at] == addr && entries.action[at] != SnapshotAction::oom) return i;
  }
  return kNever;
}

EventIndex previous_on_address(const SnapshotDevice& device, EventIndex event, std::uint64_t addr) {
  const SnapshotEntries& entries = device.entries;
  const auto count = static_cast<EventIndex>(entries.entry_count());
  for (EventIndex i = std::min(event, count) - 1; i >= 0; --i) {
    const auto at = static_cast<std::size_t>(i);
    if (entries.addr[at] == addr && entries.action[at] != SnapshotAction::oom) return i;
  }
  return kNever;
}

}  // namespace kino
