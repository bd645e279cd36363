#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/base/allocation_ids.hpp"
#include "core/memory/snapshot.hpp"
#include "core/memory/snapshot_history.hpp"

namespace kino {
namespace {

constexpr std::uint64_t kRound = 512;                              // smallest block of the allocator
constexpr std::uint64_t kLeastLargeHole = std::uint64_t{1} << 20;  // smaller remainders are not split off

std::uint64_t rounded(std::uint64_t requested) {
  if (requested > ~std::uint64_t{0} - kRound) return requested;
  return std::max(kRound, (requested + kRound - 1) / kRound * kRound);
}

/// Returns whether a span continues a segment: adjacent runs of an expandable segment with equal properties
/// are one segment.
bool continues(const LayoutSegment& segment, const SegmentSpan& span) {
  return segment.expandable && span.expandable && segment.addr + segment.size == span.addr &&
         segment.stream == span.stream && segment.pool == span.pool && segment.small == span.small;
}

std::vector<LayoutSegment> segments_of(const AllocationHistory& history, EventIndex event) {
  std::vector<std::uint32_t> spans = segments_at(history, event);
  std::ranges::sort(spans, {}, [&](std::uint32_t i) { return history.segments[i].addr; });
  std::vector<LayoutSegment> segments;
  for (const std::uint32_t i : spans) {
    const SegmentSpan& span = history.segments[i];
    if (!segments.empty() && continues(segments.back(), span)) {
      segments.back().size += span.size;
      continue;
    }
    LayoutSegment segment;
    segment.addr = span.addr;
    segment.size = span.size;
    segment.span = i;
    segment.stream = span.stream;
    segment.pool = span.pool;
    segment.small = span.small;
    segment.expandable = span.expandable;
    segments.push_back(segment);
  }
  return segments;
}

/// Fills segments with their live blocks. fill() begins at index `next` of the blocks sorted by address, and
/// returns the index of the first block beyond the segment.
class SegmentFiller {
 public:
  SegmentFiller(const SnapshotDevice& device, EventIndex event, AllocatorLayout& layout)
      : device_(device), allocations_(device.history.allocations), event_(event), layout_(layout) {}

  std::size_t fill(LayoutSegment& segment, const std::vector<AllocationId>& by_addr, std::size_t next) {
    const std::uint64_t stop = segment.addr + segment.size;
    std::uint64_t at = segment.addr;
    segment.first_block = static_cast<std::uint32_t>(layout_.blocks.size());
    for (; next < by_addr.size() && addr_of(by_addr[next]) < stop; ++next) {
      const AllocationId id = by_addr[next];
      const std::uint64_t addr = addr_of(id);
      if (addr < at) {  // overlaps the previous block; only in damaged files
        layout_.outside.push_back(id);
        continue;
      }
      add_free(at, addr);
      const std::uint64_t limit =
          next + 1 < by_addr.size() ? std::min(stop, addr_of(by_addr[next + 1])) : stop;
      at = addr + block_size(segment, id, limit - addr);
      add_block(id, at - addr);
    }
    add_free(at, stop);
    segment.block_count = static_cast<std::uint32_t>(layout_.blocks.size()) - segment.first_block;
    return next;
  }

 private:
  std::uint64_t addr_of(AllocationId id) const { return allocations_.addr[static_cast<std::size_t>(id)]; }

  /// Returns the size of a block. `room`: bytes from its start to the next block or the end of the segment.
  std::uint64_t block_size(const LayoutSegment& segment, AllocationId id, std::uint64_t room) const {
    const auto i = static_cast<std::size_t>(id);
    if (allocations_.end[i] == kNever) {
      if (const SnapshotBlock* const block = final_block(allocations_.addr[i]))
        return std::min(room, block->size);
    }
    const std::uint64_t size = std::min(room, rounded(allocations_.size[i]));
    const bool no_hole = !segment.small && !segment.expandable && room - size <= kLeastLargeHole;
    return no_hole ? room : size;
  }

  const SnapshotBlock* final_block(std::uint64_t addr) const {
    const auto next = std::ranges::upper_bound(device_.segments, addr, {}, &SnapshotSegment::addr);
    if (next == device_.segments.begin()) return nullptr;
    const std::span<const SnapshotBlock> blocks = device_.blocks_of(*std::prev(next));
    const auto block = std::ranges::lower_bound(blocks, addr, {}, &SnapshotBlock::addr);
    return block != blocks.end() && block->addr == addr ? &*block : nullptr;
  }

  void add_block(AllocationId id, std::uint64_t size) {
    const auto i = static_cast<std::size_t>(id);
    const bool pending = allocations_.free_requested[i] <= event_;
    layout_.blocks.push_back({allocations_.addr[i], size, allocations_.size[i], id,
                              pending ? LayoutKind::pending : LayoutKind::allocated});
  }

  void add_free(std::uint64_t from, std::uint64_t to) {
    if (to > from) layout_.blocks.push_back({from, to - from, 0, kNoAllocation, LayoutKind::free});
  }

  const SnapshotDevice& device_;
  const Allocations& allocations_;
  EventIndex event_;
  AllocatorLayout& layout_;
};

}  // namespace

AllocatorLayout layout_at(const SnapshotDevice& device, EventIndex event) {
  AllocatorLayout layout;
  layout.segments = segments_of(device.history, event);
  const Allocations& allocations = device.history.allocations;
  std::vector<AllocationId> live = live_at(device.history, event);
  const auto addr_of = [&](AllocationId id) { return allocations.addr[static_cast<std::size_t>(id)]; };
  std::ranges::sort(live, {}, addr_of);
  SegmentFiller filler(device, event, layout);
  std::size_t next = 0;
  for (LayoutSegment& segment : layout.segments) {
    for (; next < live.size() && addr_of(live[next]) < segment.addr; ++next)
      layout.outside.push_back(live[next]);
    next = filler.fill(segment, live, next);
  }
  layout.outside.insert(layout.outside.end(), live.begin() + static_cast<std::ptrdiff_t>(next), live.end());
  return layout;
}

Fragmentation fragmentation_of(const AllocatorLayout& layout) {
  Fragmentation result;
  double squares = 0;
  for (const LayoutSegment& segment : layout.segments) {
    result.reserved += segment.size;
    bool used = false;
    std::uint64_t free = 0;
    for (const LayoutBlock& block : layout.blocks_of(segment)) {
      if (block.kind == LayoutKind::free) {
        free += block.size;
        result.largest_free = std::max(result.largest_free, block.size);
        ++result.free_blocks;
        squares += std::pow(static_cast<double>(block.size), 2);
        continue;
      }
      used = true;
      (block.kind == LayoutKind::pending ? result.pending : result.allocated) += block.size;
      result.rounding += block.size - std::min(block.size, block.requested);
    }
    result.free += free;
    if (used) {
      result.stuck_free += free;
    } else {
      ++result.free_segments;
    }
  }
  if (result.reserved > 0) result.free_squares = squares / std::pow(static_cast<double>(result.reserved), 2);
  return result;
}

}  // namespace kino
