// What a device's allocator entries amount to: allocations with their lifetimes, segments over time, curves.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include "core/base/allocation_ids.hpp"
#include "core/base/huge_memory.hpp"
#include "core/memory/snapshot_stacks.hpp"

namespace kino {

struct SnapshotDevice;

/// Bytes as they are subtracted.
constexpr std::int64_t signed_of(std::uint64_t bytes) { return static_cast<std::int64_t>(bytes); }

/// How an allocation is known.
enum class AllocationOrigin : std::uint8_t {
  recorded,    ///< there is an alloc entry
  freed_only,  ///< older than the recording: only its free is in it, and its stack is that of the free
  ghost,       ///< older than the recording and never freed in it: a block of the segments at its end
};

/// Every allocation, in the order in which memory_viz stacks them: those older than the recording first (the
/// longest-lived at the bottom), then by begin; so `begin` ascends. All columns are equally long; 37 bytes
/// each.
struct Allocations {
  Column<std::uint64_t> addr;
  Column<std::uint64_t> size;         ///< bytes as requested
  Column<EventIndex> begin;           ///< its alloc entry, or kBeforeRecording
  Column<EventIndex> free_requested;  ///< kNever; pending until `end`; kBeforeRecording where not recorded
  Column<EventIndex> end;             ///< the entry that ended it, or kNever. Live at e: begin <= e < end
  Column<StackId> stack;
  Column<std::uint16_t> stream;
  Column<std::uint16_t> pool;
  Column<AllocationOrigin> origin;

  std::size_t count() const { return addr.size(); }
  std::size_t size_bytes() const { return count() * 37; }
};

/// A range of addresses that was reserved from one event to another: a rectangle of the address space over
/// time. A run of an expandable segment consists of as many as it was mapped in; an unmap cuts them.
struct SegmentSpan {
  std::uint64_t addr = 0;
  std::uint64_t size = 0;
  EventIndex begin = kBeforeRecording;
  EventIndex end = kNever;
  StackId stack = kNoStack;
  std::uint16_t stream = 0;
  std::uint16_t pool = 0;
  bool small = false;  ///< for requests up to 1 MiB; told by the size where the recording does not say
  bool expandable = false;
};

enum class MemoryCurve : std::uint8_t {
  requested,  ///< requested bytes from alloc to free_completed: requested_bytes of torch.cuda.memory_stats()
  reserved,   ///< bytes of segments: reserved_bytes
};
inline constexpr std::size_t kMemoryCurveCount = 2;

/// The lowest and highest value of a curve between two events, and the last.
struct CurveExtent {
  std::uint64_t lowest = 0;
  std::uint64_t highest = 0;
  std::uint64_t last = 0;
};

struct CurvePeak {
  std::uint64_t bytes = 0;
  EventIndex event = kBeforeRecording;  ///< the first one after which it is reached; -1: at the begin
};

/// One curve in blocks of kBlock events, with a pyramid above them: 0.5 bytes an event.
struct CurvePyramid {
  static constexpr std::size_t kBlock = 64;
  static constexpr std::size_t kFan = 8;
  std::uint64_t start = 0;  ///< before the first event
  CurvePeak peak;
  /// Level 0 has one extent for each kBlock events, the next one for each kFan of them, and so on.
  std::vector<std::vector<CurveExtent>> levels;
};

/// Finds what is live at an event: over the ends of things sorted by begin, the latest of each kFan, of each
/// kFan of those and so on. O(found * log n).
class LiveIndex {
 public:
  static constexpr std::size_t kFan = 16;
  LiveIndex() = default;
  explicit LiveIndex(std::span<const EventIndex> ends);
  /// The latest end of things [i * kFan^level, (i + 1) * kFan^level), from level 1 on.
  const std::vector<std::vector<EventIndex>>& levels() const { return levels_; }
  std::size_t size_bytes() const;

 private:
  std::vector<std::vector<EventIndex>> levels_;
};

struct AllocationHistory {
  Allocations allocations;
  /// For each entry the allocation that it begins, frees or annotates, or kNoAllocation.
  Column<AllocationId> allocation_of_entry;
  /// For the first allocations, as far as any of them has one: its note in Snapshot::notes (0: none), where
  /// no entry tells of it.
  std::vector<std::uint32_t> older_notes;
  /// Allocations that end at the alloc entry of another one at their address, by `end`; hardly ever any.
  std::vector<AllocationId> replaced;
  std::vector<SegmentSpan> segments;  ///< by begin, then by address
  bool expandable = false;            ///< whether any of them is
  std::array<CurvePyramid, kMemoryCurveCount> curves;
  LiveIndex live_allocations;
  LiveIndex live_segments;

  const CurvePyramid& curve(MemoryCurve which) const { return curves[static_cast<std::size_t>(which)]; }
  std::size_t size_bytes() const;
};

/// What a block of a segment is at an event.
enum class LayoutKind : std::uint8_t { allocated, pending, free };

struct LayoutBlock {
  std::uint64_t addr = 0;
  std::uint64_t size = 0;       ///< with what rounding wastes behind the request
  std::uint64_t requested = 0;  ///< 0 when free
  AllocationId allocation = kNoAllocation;
  LayoutKind kind = LayoutKind::free;
};

struct LayoutSegment {
  std::uint64_t addr = 0;
  std::uint64_t size = 0;
  std::uint32_t first_block = 0;  ///< in AllocatorLayout::blocks, by address; they cover the segment
  std::uint32_t block_count = 0;
  std::uint32_t span = 0;  ///< the first of AllocationHistory::segments that it consists of
  std::uint16_t stream = 0;
  std::uint16_t pool = 0;
  bool small = false;
  bool expandable = false;
};

/// The allocator's memory at an event, by address. Block sizes are exact at the end of the recording; before,
/// a gap of up to 1 MiB behind a block of a large, not expandable segment counts as its rounding, because
/// the allocator leaves no such hole.
struct AllocatorLayout {
  std::vector<LayoutSegment> segments;
  std::vector<LayoutBlock> blocks;
  std::vector<AllocationId> outside;  ///< live, but in none of the segments
};

struct Fragmentation {
  std::uint64_t reserved = 0;
  std::uint64_t allocated = 0;  ///< with rounding
  std::uint64_t pending = 0;    ///< with rounding
  std::uint64_t free = 0;
  std::uint64_t stuck_free =
      0;  ///< of it in segments with a block in use, which cannot go back to the device
  std::uint64_t largest_free = 0;
  std::uint64_t rounding = 0;  ///< of allocated and pending: what was not requested
  std::uint64_t free_blocks = 0;
  std::uint64_t free_segments = 0;  ///< without a block in use: empty_cache would give them back
  /// Sum of (free block / reserved)^2: 1 when all is one hole, towards 0 the more it is cut up or in use.
  double free_squares = 0;
};

/// Replays the entries and the segments of `device` into its history and its trust. O(entries). Returns
/// early, with nothing of use, when stopped.
void build_history(SnapshotDevice& device, const std::stop_token& stop = {});

/// The value after `event`; before the first one for kBeforeRecording. O(CurvePyramid::kBlock).
std::uint64_t curve_at(const SnapshotDevice& device, MemoryCurve which, EventIndex event);
/// Over the values after each of the events [first, last], which are clipped to those there are; at
/// kBeforeRecording it includes the start. O(kBlock + log n): a pixel column at any zoom.
CurveExtent curve_over(const SnapshotDevice& device, MemoryCurve which, EventIndex first, EventIndex last);

/// Returns the bytes that `event` adds to MemoryCurve::requested, modulo 2^64, counting the allocations that
/// have a 1 in `among`. O(1), or O(log n) when addresses were allocated twice.
std::uint64_t active_change(const SnapshotDevice& device, EventIndex event,
                            std::span<const std::uint8_t> among);

/// The allocations that are live after `event`, ascending, so in the order in which they are stacked.
/// O(live * log n).
std::vector<AllocationId> live_at(const AllocationHistory& history, EventIndex event);
/// Indices into history.segments of those that were there then.
std::vector<std::uint32_t> segments_at(const AllocationHistory& history, EventIndex event);

/// O(live * log live).
AllocatorLayout layout_at(const SnapshotDevice& device, EventIndex event);
/// O(blocks).
Fragmentation fragmentation_of(const AllocatorLayout& layout);

/// The last event not later than `time_us`, kBeforeRecording when all are later or have no time; times are
/// taken as the latest up to each event. O(log n) when they ascend.
EventIndex event_at_time(const SnapshotDevice& device, std::int64_t time_us);

/// The nearest entry before or behind `event` for the same allocation or address, or kNever. O(distance).
EventIndex next_on_address(const SnapshotDevice& device, EventIndex event, std::uint64_t addr);
EventIndex previous_on_address(const SnapshotDevice& device, EventIndex event, std::uint64_t addr);

}  // namespace kino
