#include "core/memory/allocator/allocator_trace.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/memory/allocator_settings.hpp"

namespace kino {
namespace {

constexpr std::uint64_t kRangeReach = std::uint64_t{1} << 41;

bool is_release(SnapshotAction action) {
  return action == SnapshotAction::segment_free || action == SnapshotAction::segment_unmap;
}

class TraceReader {
 public:
  TraceReader(const Snapshot& snapshot, std::size_t device, AllocatorTrace& trace)
      : snapshot_(snapshot),
        device_(snapshot.devices[device]),
        entries_(device_.entries),
        all_(device_.history.allocations),
        trace_(trace),
        request_of_(all_.count(), kNoBlock) {}

  void run(const std::stop_token& stop) {
    add_older();
    add_start_segments();
    add_ops(stop);
    trace_.recorded_peak = device_.history.curve(MemoryCurve::reserved).peak.bytes;
    trace_.request_of = std::move(request_of_);
  }

 private:
  PlaceId place_of(std::uint16_t pool, std::uint16_t stream) {
    const auto [at, fresh] =
        place_numbers_.try_emplace(std::pair(pool, stream), static_cast<PlaceId>(trace_.places.size()));
    if (fresh) {
      const PoolId id = snapshot_.pools[pool];
      // A pool that the user made has its own allocator, whose segments never expand.
      const bool users = id.graph == 0 && id.user != 0;
      trace_.places.push_back({pool, stream, snapshot_.streams[stream], !users, id == PoolId{}});
    }
    return at->second;
  }

  /// Returns the pool of a request from its entry, or from the final segment if the entry has none.
  std::uint16_t pool_at(std::size_t entry) const {
    if (entries_.pool[entry] != 0) return entries_.pool[entry];
    const std::uint64_t addr = entries_.addr[entry];
    const auto next = std::ranges::upper_bound(device_.segments, addr, {}, &SnapshotSegment::addr);
    if (next == device_.segments.begin()) return 0;
    const SnapshotSegment& segment = *(next - 1);
    return addr - segment.addr < segment.size ? segment.pool : std::uint16_t{0};
  }

  /// Pool, stream, and whether blocks are small. Expandable runs with equal keys are in one address range.
  using Range = std::tuple<std::uint16_t, std::uint16_t, bool>;
  /// Returns the range of a span. The nearest final expandable segment of the stream determines whether the
  /// run is small. If no such segment is within kRangeReach, the size of the span determines it.
  Range range_of(const SegmentSpan& span) const {
    const SnapshotSegment* nearest = nullptr;
    std::uint64_t least = kRangeReach;
    for (const SnapshotSegment& segment : device_.segments) {
      if (!segment.expandable || segment.stream != span.stream) continue;
      const std::uint64_t apart =
          segment.addr > span.addr ? segment.addr - span.addr : span.addr - segment.addr;
      if (apart >= least) continue;
      least = apart;
      nearest = &segment;
    }
    return {span.pool, span.stream, nearest != nullptr ? nearest->small : span.small};
  }

  /// Returns the segment at the start that contains an address, or null.
  const SegmentSpan* span_at(std::uint64_t addr) const {
    const auto next =
        std::ranges::upper_bound(start_spans_, addr, {}, [](const SegmentSpan* span) { return span->addr; });
    if (next == start_spans_.begin()) return nullptr;
    const SegmentSpan* const span = *(next - 1);
    return addr - span->addr < span->size ? span : nullptr;
  }

  void add_older() {
    for (const SegmentSpan& span : device_.history.segments) {
      if (span.begin < 0) start_spans_.push_back(&span);
    }
    std::ranges::sort(start_spans_, {}, &SegmentSpan::addr);
    for (std::uint32_t i = 0; i < all_.count() && all_.begin[i] < 0; ++i) older_.push_back(i);
    std::ranges::stable_sort(older_, {}, [&](std::uint32_t i) { return all_.addr[i]; });
    std::uint64_t outside = 0;
    for (const std::uint32_t i : older_) {
      const SegmentSpan* const span = span_at(all_.addr[i]);
      if (span == nullptr) ++outside;
      const PlaceId place =
          span != nullptr ? place_of(span->pool, span->stream) : place_of(all_.pool[i], all_.stream[i]);
      request_of_[i] = static_cast<std::uint32_t>(trace_.requests.size());
      trace_.requests.push_back({all_.size[i], place});
    }
    trace_.older = static_cast<std::uint32_t>(older_.size());
    if (outside > 0)
      trace_.problems.emplace_back(msg::older_blocks_outside_segments, std::to_string(outside));
  }

  /// Returns rounded sizes of the blocks that exist at the end, by address.
  std::unordered_map<std::uint64_t, std::uint64_t> final_sizes() const {
    std::unordered_map<std::uint64_t, std::uint64_t> sizes;
    for (const SnapshotBlock& block : device_.blocks)
      if (block.state != BlockState::inactive) sizes.emplace(block.addr, block.size);
    return sizes;
  }

  /// Returns the estimated size of an older block in a large segment. `gap`: bytes up to the next block. If
  /// at most 1 MiB of the gap remains after the request, the block fills the gap. Otherwise, it ends at the
  /// first allocation that was made during its lifetime in the 1 MiB after its request. If there is none, the
  /// size is ambiguous.
  std::uint64_t reach_of(std::uint32_t allocation, std::uint64_t rounded, std::uint64_t gap) {
    if (gap <= rounded + AllocatorRules::kSmall) return gap;
    const std::uint64_t from = all_.addr[allocation] + rounded;
    EventIndex first = kNever;
    std::uint64_t addr = 0;
    for (auto at = std::ranges::lower_bound(alloc_places_, std::pair(from, EventIndex{0}));
         at != alloc_places_.end() && at->first <= from + AllocatorRules::kSmall; ++at) {
      if (at->second >= all_.end[allocation] || at->second >= first) continue;
      first = at->second;
      addr = at->first;
    }
    if (first == kNever) {
      ++trace_.ambiguous;
      return rounded;
    }
    return addr - all_.addr[allocation];
  }

  /// Appends the blocks in [from, to) of one mapped run. `exact`: the rounded request is the size of a block.
  void add_blocks(StartSegment& segment, std::uint64_t from, std::uint64_t to, bool exact) {
    auto at = std::ranges::lower_bound(older_, from, {}, [&](std::uint32_t i) { return all_.addr[i]; });
    const auto add = [&](std::uint64_t addr, std::uint64_t end, std::uint32_t request) {
      if (end <= addr) return;
      segment.blocks.push_back({static_cast<std::int64_t>(addr), end - addr, true, request != kNoBlock});
      segment.requests.push_back(request);
      if (request != kNoBlock) trace_.start_active += end - addr;
    };
    std::uint64_t next = from;
    for (; at != older_.end() && all_.addr[*at] < to; ++at) {
      const std::uint64_t addr = all_.addr[*at];
      if (addr < next) {
        ++overlaps_;
        continue;
      }
      const auto following = at + 1;
      const std::uint64_t until =
          following != older_.end() && all_.addr[*following] < to ? all_.addr[*following] : to;
      const std::uint64_t rounded = trace_.rules.rounded(all_.size[*at]);
      const auto known = all_.end[*at] == kNever ? sizes_.find(addr) : sizes_.end();
      std::uint64_t size = rounded;
      if (known != sizes_.end()) {
        size = known->second;
      } else if (!exact) {
        size = reach_of(*at, rounded, until - addr);
      }
      size = std::min(size, until - addr);
      add(next, addr, kNoBlock);
      add(addr, addr + size, request_of_[*at]);
      next = addr + size;
    }
    add(next, to, kNoBlock);
  }

  void add_start_segments() {
    sizes_ = final_sizes();
    for (std::uint32_t i = 0; i < all_.count(); ++i)
      if (all_.begin[i] >= 0) alloc_places_.emplace_back(all_.addr[i], all_.begin[i]);
    std::ranges::sort(alloc_places_);
    std::map<Range, std::uint64_t> bases;  // starts of expandable ranges over the whole recording
    for (const SegmentSpan& span : device_.history.segments) {
      if (!span.expandable) continue;
      const auto [at, fresh] = bases.try_emplace(range_of(span), span.addr);
      at->second = std::min(at->second, span.addr);
    }
    struct Run {
      std::uint64_t begin = 0;
      std::uint64_t end = 0;
    };
    std::map<Range, std::vector<Run>> ranges;
    for (const SegmentSpan* const span : start_spans_) {
      trace_.start_reserved += span->size;
      if (!span->expandable) {
        trace_.start.push_back({place_of(span->pool, span->stream), span->small, false, {}, {}});
        add_blocks(trace_.start.back(), span->addr, span->addr + span->size, span->small);
        continue;
      }
      std::vector<Run>& runs = ranges[range_of(*span)];
      // Join adjacent runs, because a block may have spanned both before a later split.
      if (!runs.empty() && runs.back().end == span->addr) {
        runs.back().end += span->size;
      } else {
        runs.push_back({span->addr, span->addr + span->size});
      }
    }
    for (const auto& [key, runs] : ranges) {
      const PlaceId place = place_of(std::get<0>(key), std::get<1>(key));
      trace_.start.push_back({place, std::get<2>(key), true, {}, {}});
      for (const Run& run : runs) {
        add_unmapped(trace_.start.back(), run.begin, bases[key]);
        add_blocks(trace_.start.back(), run.begin, run.end, true);
      }
      add_unmapped(trace_.start.back(), bases[key] + kRangeReach);
    }
    if (overlaps_ > 0) trace_.problems.emplace_back(msg::older_blocks_overlap, std::to_string(overlaps_));
  }

  static std::uint64_t end_of(const StartSegment& segment) {
    const AllocatorModel::Given& last = segment.blocks.back();
    return static_cast<std::uint64_t>(last.addr) + last.size;
  }
  static void add_unmapped(StartSegment& segment, std::uint64_t until, std::uint64_t base = 0) {
    const std::uint64_t from = segment.blocks.empty() ? base : end_of(segment);
    if (until <= from) return;
    segment.blocks.push_back({static_cast<std::int64_t>(from), until - from, false, false});
    segment.requests.push_back(kNoBlock);
  }
  bool empties_cache(StackId stack) const {
    for (const FrameId id : snapshot_.stacks.frames(stack)) {
      const std::string_view name = snapshot_.text(snapshot_.frame(id).name);
      if (name == "empty_cache" || name.find("emptyCache") != name.npos) return true;
    }
    return false;
  }

  /// Returns whether the user released the memory at [i, end), rather than the allocator for the next
  /// request.
  bool is_users(std::size_t i, std::size_t end) const {
    if (empties_cache(entries_.stack[i])) return true;
    if (end >= entries_.entry_count()) return true;
    const SnapshotAction next = entries_.action[end];
    if (next == SnapshotAction::segment_alloc || next == SnapshotAction::segment_map ||
        next == SnapshotAction::oom)
      return false;
    return entries_.stack[end] != entries_.stack[i];
  }

  void add_ops(const std::stop_token& stop) {
    const std::size_t count = entries_.entry_count();
    for (std::size_t i = 0; i < count; ++i) {
      if (i % 65536 == 0 && stop.stop_requested()) {
        trace_.refused = "stopped";
        return;
      }
      const auto event = static_cast<EventIndex>(i);
      const AllocationId id = device_.history.allocation_of_entry[i];
      const auto number = static_cast<std::size_t>(id);
      switch (entries_.action[i]) {
        case SnapshotAction::alloc:
          ++trace_.allocs;
          if (id == kNoAllocation) break;
          request_of_[number] = static_cast<std::uint32_t>(trace_.requests.size());
          trace_.requests.push_back({entries_.size[i], place_of(pool_at(i), all_.stream[number])});
          trace_.ops.push_back({AllocatorOpKind::allocate, request_of_[number], event});
          break;
        case SnapshotAction::free_requested:
          if (id == kNoAllocation || request_of_[number] == kNoBlock) break;
          if (all_.end[number] != event + 1 && all_.end[number] != event)
            trace_.ops.push_back({AllocatorOpKind::request_free, request_of_[number], event});
          if (all_.end[number] == event)
            trace_.ops.push_back({AllocatorOpKind::complete, request_of_[number], event});
          break;
        case SnapshotAction::free_completed:
        case SnapshotAction::free:
          if (id != kNoAllocation && request_of_[number] != kNoBlock)
            trace_.ops.push_back({AllocatorOpKind::complete, request_of_[number], event});
          break;
        case SnapshotAction::segment_free:
        case SnapshotAction::segment_unmap:
          i = add_release(i) - 1;
          break;
        case SnapshotAction::oom:
          add_oom(i);
          break;
        default:
          break;
      }
    }
    const std::size_t twice = device_.history.replaced.size();
    if (twice > 0) trace_.problems.emplace_back(msg::addresses_allocated_twice, std::to_string(twice));
    if (device_.trust.not_in_segments > 0) {
      trace_.problems.emplace_back(msg::live_blocks_are_in_no_segment,
                                   std::to_string(device_.trust.not_in_segments));
    }
  }

  std::size_t add_release(std::size_t i) {
    std::size_t end = i;
    while (end < entries_.entry_count() && is_release(entries_.action[end])) ++end;
    const bool users = is_users(i, end);
    trace_.ops.push_back({users ? AllocatorOpKind::release : AllocatorOpKind::retry,
                          static_cast<std::uint32_t>(trace_.releases.size()), static_cast<EventIndex>(i)});
    trace_.releases.push_back({static_cast<EventIndex>(i), static_cast<std::uint32_t>(end - i), users});
    return end;
  }

  void add_oom(std::size_t i) {
    trace_.ops.push_back({AllocatorOpKind::out_of_memory, static_cast<std::uint32_t>(trace_.ooms.size()),
                          static_cast<EventIndex>(i)});
    trace_.ooms.push_back({static_cast<EventIndex>(i), entries_.size[i], entries_.addr[i],
                           curve_at(device_, MemoryCurve::reserved, static_cast<EventIndex>(i)),
                           place_of(entries_.pool[i], entries_.stream[i])});
  }

  const Snapshot& snapshot_;
  const SnapshotDevice& device_;
  const SnapshotEntries& entries_;
  const Allocations& all_;
  AllocatorTrace& trace_;
  std::vector<std::uint32_t> request_of_;  // by allocation
  std::vector<std::uint32_t> older_;       // allocations, by address
  std::vector<const SegmentSpan*> start_spans_;
  std::unordered_map<std::uint64_t, std::uint64_t> sizes_;
  std::vector<std::pair<std::uint64_t, EventIndex>> alloc_places_;  // by address
  std::map<std::pair<std::uint16_t, std::uint16_t>, PlaceId> place_numbers_;
  std::uint64_t overlaps_ = 0;
};

Message why_refused(const SnapshotDevice& device, const AllocatorTrace& trace) {
  constexpr std::uint64_t kLeastAllocs = 2;
  if (trace.allocs < kLeastAllocs) return msg::no_requests_to_replay;
  if (device.segments.empty()) return msg::no_segments_in_file;
  if (device.trust.ends_at_request) return msg::no_completed_frees;
  for (const SnapshotAction missing : device.trust.missing_actions) {
    if (missing == SnapshotAction::free_completed) return msg::frees_are_missing;
  }
  return {};
}

}  // namespace

AllocatorRules recorded_rules(const Snapshot& snapshot, std::size_t device, bool ascend) {
  AllocatorRules rules;
  const AllocatorSettings settings = allocator_settings(snapshot);
  for (const ConfOption& option : conf_options(settings.conf)) {
    const auto made = rules_with(rules, std::string(option.key) + ":" + std::string(option.value));
    if (made.ok()) rules = made.value();
  }
  const std::string_view split = snapshot.setting("max_split_size");
  std::int64_t bytes = -1;
  std::from_chars(split.data(), split.data() + split.size(), bytes);
  if (bytes > 0) rules.max_split = static_cast<std::uint64_t>(bytes);
  rules.limit = kUnlimitedBytes;
  rules.capacity = kUnlimitedBytes;
  // The device's segments have precedence over the settings, because settings can change during the run.
  const auto& spans = device < snapshot.devices.size() ? snapshot.devices[device].history.segments
                                                       : std::vector<SegmentSpan>{};
  const bool any = std::ranges::any_of(spans, &SegmentSpan::expandable);
  rules.expandable = any || (spans.empty() && settings.stated_expandable == SettingState::on);
  if (ascend) {
    rules.padding = 32;
    rules.alignment = std::uint64_t{16} << 10;
  }
  return rules;
}

std::optional<bool> is_ascend(const Snapshot& snapshot, std::size_t device) {
  if (!snapshot.settings.empty()) return false;
  AllocatorRules plain;
  AllocatorRules padded;
  padded.padding = 32;
  bool any = false;
  bool fits_plain = true;
  bool fits_padded = true;
  for (const SnapshotBlock& block : snapshot.devices[device].blocks) {
    if (block.state == BlockState::inactive || block.size > AllocatorRules::kSmall) continue;
    any = true;
    fits_plain = fits_plain && plain.rounded(block.requested) == block.size;
    fits_padded = fits_padded && padded.rounded(block.requested) == block.size;
  }
  if (!any) return std::nullopt;
  return fits_padded && !fits_plain;
}

AllocatorTrace allocator_trace(const Snapshot& snapshot, std::size_t device, bool ascend,
                               const std::stop_token& stop) {
  AllocatorTrace trace;
  trace.rules = recorded_rules(snapshot, device, ascend);
  trace.downwards = !ascend;
  TraceReader(snapshot, device, trace).run(stop);
  if (trace.refused.empty()) trace.refused = why_refused(snapshot.devices[device], trace);
  return trace;
}

}  // namespace kino
