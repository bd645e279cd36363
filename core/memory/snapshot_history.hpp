// History of a device from its allocator entries: allocations with lifetimes, segments over time, curves.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include "core/base/allocation_ids.hpp"
#include "core/base/huge_memory.hpp"
#include "core/memory/snapshot_stacks.hpp"

namespace kino {

struct SnapshotDevice;

/// Converts bytes to a signed number, for subtraction.
constexpr std::int64_t signed_of(std::uint64_t bytes) { return static_cast<std::int64_t>(bytes); }

/// Evidence for an allocation.
enum class AllocationOrigin : std::uint8_t {
  recorded,    ///< there is an alloc entry
  freed_only,  ///< only the free was recorded, and the stack is that of the free
  ghost,       ///< live at the end, but neither allocated nor freed in the recording
};

/// All allocations in the stacking order of memory_viz: those from before the recording (longest-lived at the
/// bottom), then the others, so that `begin` is ascending. All columns have equal lengths; 37 bytes per
/// allocation.
struct Allocations {
  Column<std::uint64_t> addr;
  Column<std::uint64_t> size;         ///< requested bytes
  Column<EventIndex> begin;           ///< alloc entry, or kBeforeRecording
  Column<EventIndex> free_requested;  ///< kNever: not requested; kBeforeRecording: not recorded
  Column<EventIndex> end;             ///< entry that ended it, or kNever. Live at e if begin <= e < end
  Column<StackId> stack;
  Column<std::uint16_t> stream;
  Column<std::uint16_t> pool;
  Column<AllocationOrigin> origin;

  std::size_t count() const { return addr.size(); }
  std::size_t size_bytes() const { return count() * 37; }
};

/// An address range from the event that reserved it to the event that released it. A run of an expandable
/// segment has one span per mapping; unmapping splits spans.
struct SegmentSpan {
  std::uint64_t addr = 0;
  std::uint64_t size = 0;
  EventIndex begin = kBeforeRecording;
  EventIndex end = kNever;
  StackId stack = kNoStack;
  std::uint16_t stream = 0;
  std::uint16_t pool = 0;
  bool small = false;  ///< for requests up to 1 MiB; inferred from the size if not recorded
  bool expandable = false;
};

enum class MemoryCurve : std::uint8_t {
  requested,  ///< requested bytes from alloc to free_completed: requested_bytes of torch.cuda.memory_stats()
  reserved,   ///< bytes of segments: reserved_bytes
};
inline constexpr std::size_t kMemoryCurveCount = 2;

/// Lowest, highest and last value of a curve between two events.
struct CurveExtent {
  std::uint64_t lowest = 0;
  std::uint64_t highest = 0;
  std::uint64_t last = 0;
};

struct CurvePeak {
  std::uint64_t bytes = 0;
  EventIndex event = kBeforeRecording;  ///< first event with these bytes; -1: the start of the recording
};

/// A curve in blocks of kBlock events, with a pyramid above the blocks. About 0.5 bytes per event.
struct CurvePyramid {
  static constexpr std::size_t kBlock = 64;
  static constexpr std::size_t kFan = 8;
  std::uint64_t start = 0;  ///< value before the first event
  CurvePeak peak;
  /// Level 0 has one extent per kBlock events; each further level has one per kFan extents.
  std::vector<std::vector<CurveExtent>> levels;
};

/// Finds the items that are live at an event. Items are sorted by begin. The index is a pyramid: each entry
/// is the latest end of kFan items or entries. O(found * log n).
class LiveIndex {
 public:
  static constexpr std::size_t kFan = 16;
  LiveIndex() = default;
  explicit LiveIndex(std::span<const EventIndex> ends);
  /// levels()[n - 1][i] is the latest end of items [i * kFan^n, (i + 1) * kFan^n).
  const std::vector<std::vector<EventIndex>>& levels() const { return levels_; }
  std::size_t size_bytes() const;

 private:
  std::vector<std::vector<EventIndex>> levels_;
};

struct AllocationHistory {
  Allocations allocations;
  /// Allocation that an entry begins, frees or annotates, or kNoAllocation; by entry.
  Column<AllocationId> allocation_of_entry;
  /// Index into Snapshot::notes (0: none) of the first allocations, for notes that no entry has.
  std::vector<std::uint32_t> older_notes;
  /// Allocations that end because another one is allocated at their address, sorted by `end`; usually empty.
  std::vector<AllocationId> replaced;
  std::vector<SegmentSpan> segments;  ///< sorted by begin, then by address
  bool expandable = false;            ///< whether any of `segments` is expandable
  std::array<CurvePyramid, kMemoryCurveCount> curves;
  LiveIndex live_allocations;
  LiveIndex live_segments;

  const CurvePyramid& curve(MemoryCurve which) const { return curves[static_cast<std::size_t>(which)]; }
  std::size_t size_bytes() const;
};

/// State of a block in a segment at an event.
enum class LayoutKind : std::uint8_t { allocated, pending, free };

struct LayoutBlock {
  std::uint64_t addr = 0;
  std::uint64_t size = 0;       ///< including rounding
  std::uint64_t requested = 0;  ///< 0 if free
  AllocationId allocation = kNoAllocation;
  LayoutKind kind = LayoutKind::free;
};

struct LayoutSegment {
  std::uint64_t addr = 0;
  std::uint64_t size = 0;
  std::uint32_t first_block = 0;  ///< index into AllocatorLayout::blocks: sorted by address, without gaps
  std::uint32_t block_count = 0;
  std::uint32_t span = 0;  ///< index of the first span in AllocationHistory::segments
  std::uint16_t stream = 0;
  std::uint16_t pool = 0;
  bool small = false;
  bool expandable = false;
};

/// The allocator's memory at an event, sorted by address. Block sizes are exact at the end of the recording.
/// Before the end, a gap of up to 1 MiB after a block of a large, non-expandable segment counts as rounding.
/// (The allocator does not split off such a remainder.)
struct AllocatorLayout {
  std::vector<LayoutSegment> segments;
  std::vector<LayoutBlock> blocks;
  std::vector<AllocationId> outside;  ///< live allocations that are in no segment

  std::span<const LayoutBlock> blocks_of(const LayoutSegment& segment) const {
    return std::span(blocks).subspan(segment.first_block, segment.block_count);
  }
};

struct Fragmentation {
  std::uint64_t reserved = 0;
  std::uint64_t allocated = 0;  ///< allocated bytes, with rounding
  std::uint64_t pending = 0;    ///< pending bytes, with rounding
  std::uint64_t free = 0;
  std::uint64_t stuck_free = 0;  ///< part of `free` that cannot be released: its segment has a used block
  std::uint64_t largest_free = 0;
  std::uint64_t rounding = 0;  ///< bytes of allocated and pending blocks that were not requested
  std::uint64_t free_blocks = 0;
  std::uint64_t free_segments = 0;  ///< segments that empty_cache would release: without a used block
  /// Sum of (free block / reserved)^2: 1 if all reserved memory is one free block, near 0 if free memory is
  /// fragmented or small.
  double free_squares = 0;
};

/// Replays the entries and segments of `device`, and sets its history and trust. O(entries).
void build_history(SnapshotDevice& device, const std::stop_token& stop = {});

/// Returns the value of a curve after `event`; the start value for kBeforeRecording. O(CurvePyramid::kBlock).
std::uint64_t curve_at(const SnapshotDevice& device, MemoryCurve which, EventIndex event);
/// Returns the extent of the values after the events [first, last], clipped to existing events.
/// kBeforeRecording includes the start value. O(kBlock + log n).
CurveExtent curve_over(const SnapshotDevice& device, MemoryCurve which, EventIndex first, EventIndex last);

/// Calls visit(event, bytes) with the value after each event, oldest event first, until stopped. O(entries).
void visit_curve(const SnapshotDevice& device, MemoryCurve which, const std::stop_token& stop,
                 const std::function<void(std::size_t, std::uint64_t)>& visit);

/// Returns the change of MemoryCurve::requested at `event`, modulo 2^64, counting only allocations with a 1
/// in `among`. O(1), or O(log n) if addresses were allocated twice.
std::uint64_t active_change(const SnapshotDevice& device, EventIndex event,
                            std::span<const std::uint8_t> among);

/// Returns the allocations that are live after `event`, in ascending order, which is the stacking order.
/// O(live * log n).
std::vector<AllocationId> live_at(const AllocationHistory& history, EventIndex event);
/// Returns the indices in history.segments of the spans that are reserved at `event`.
std::vector<std::uint32_t> segments_at(const AllocationHistory& history, EventIndex event);

/// Returns the allocator's memory after `event`. O(live * log live).
AllocatorLayout layout_at(const SnapshotDevice& device, EventIndex event);
/// Returns sums over a layout. O(blocks).
Fragmentation fragmentation_of(const AllocatorLayout& layout);

/// Returns the last event that is not later than `time_us`; kBeforeRecording if all are later or have no
/// time. If the time of an event is earlier than that of an event before it, the latest time before it is
/// used instead. O(log n) if times ascend.
EventIndex event_at_time(const SnapshotDevice& device, std::int64_t time_us);

/// Return the nearest entry after (before) `event` with this address, except oom entries; kNever if there is
/// none. O(distance).
EventIndex next_on_address(const SnapshotDevice& device, EventIndex event, std::uint64_t addr);
EventIndex previous_on_address(const SnapshotDevice& device, EventIndex event, std::uint64_t addr);

}  // namespace kino
