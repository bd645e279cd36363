#include "core/memory/snapshot_summary.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>

#include "core/base/byte_text.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

template <class Accept>
FrameId first_frame(const Snapshot& snapshot, StackId stack, const Accept& accept) {
  for (const FrameId id : snapshot.stacks.frames(stack)) {
    if (accept(snapshot.text(snapshot.frame(id).file))) return id;
  }
  return kNoFrame;
}

}  // namespace

SegmentSummary summarize_segments(const SnapshotDevice& device) {
  SegmentSummary sum;
  double squares = 0;
  for (const SnapshotSegment& segment : device.segments) {
    ++sum.count;
    sum.reserved += segment.size;
    sum.allocated += segment.allocated;
    sum.active += segment.active;
    ++(segment.small ? sum.small : sum.large);
    if (segment.expandable) ++sum.expandable;
    bool used = false;
    for (const SnapshotBlock& block : device.blocks_of(segment)) {
      ++sum.blocks;
      used = used || block.state != BlockState::inactive;
      if (block.state == BlockState::allocated) sum.requested_allocated += block.requested;
      if (block.state == BlockState::pending_free) sum.pending_free += block.size;
      if (block.state != BlockState::inactive) continue;
      sum.inactive += block.size;
      sum.largest_free_block = std::max(sum.largest_free_block, block.size);
      squares += std::pow(static_cast<double>(block.size), 2);
    }
    if (!used) ++sum.fully_free;
  }
  if (sum.reserved > 0) sum.free_squares = squares / std::pow(static_cast<double>(sum.reserved), 2);
  return sum;
}

bool has_history(const SnapshotDevice& device) {
  return std::ranges::any_of(device.entries.action.span(), [](SnapshotAction action) {
    return action != SnapshotAction::oom && action != SnapshotAction::snapshot &&
           action != SnapshotAction::annotate && action != SnapshotAction::unknown;
  });
}

std::optional<ReservedGap> reserved_gap(const SnapshotDevice& device) {
  const AllocationHistory& history = device.history;
  const CurvePeak& peak = history.curve(MemoryCurve::requested).peak;
  if (history.curve(MemoryCurve::reserved).peak.bytes == 0) return std::nullopt;
  ReservedGap gap{.requested = peak.bytes, .reserved = curve_at(device, MemoryCurve::reserved, peak.event)};
  if (gap.requested <= gap.reserved) return std::nullopt;
  const Allocations& all = history.allocations;
  for (const AllocationId id : live_at(history, peak.event)) {
    const auto i = static_cast<std::size_t>(id);
    const std::uint64_t addr = all.addr[i];
    const auto next = std::ranges::upper_bound(device.segments, addr, {}, &SnapshotSegment::addr);
    ++gap.live;
    if (next != device.segments.begin() && addr - std::prev(next)->addr < std::prev(next)->size) continue;
    ++gap.outside;
    gap.outside_bytes += all.size[i];
  }
  return gap;
}

Message text_of(const ReservedGap& gap, ByteUnits units) {
  const std::string requested = bytes_text(gap.requested, units);
  const std::string reserved = bytes_text(gap.reserved, units);
  if (gap.outside == 0) return {msg::requested_exceeds_reserved, requested, reserved};
  return {
      msg::requested_exceeds_reserved_outside, requested, reserved, grouped(gap.live), grouped(gap.outside),
      bytes_text(gap.outside_bytes, units)};
}

std::vector<AllocationId> largest_at(const SnapshotDevice& device, EventIndex event, std::size_t most) {
  std::vector<AllocationId> live = live_at(device.history, event);
  const Allocations& all = device.history.allocations;
  // Restore the order of the file: allocations of which only the free was recorded are sorted by the free,
  // and ghosts, which are stacked in reverse, are last.
  const auto rank = [&](AllocationId id) {
    const auto i = static_cast<std::size_t>(id);
    const std::int64_t at = all.origin[i] == AllocationOrigin::recorded     ? all.begin[i]
                            : all.origin[i] == AllocationOrigin::freed_only ? all.end[i]
                                                                            : std::int64_t{kNever} - i;
    return std::pair(~all.size[i], at);
  };
  const auto count = static_cast<std::ptrdiff_t>(std::min(most, live.size()));
  std::ranges::partial_sort(live, live.begin() + count, {}, rank);
  live.resize(static_cast<std::size_t>(count));
  return live;
}

FrameId python_frame(const Snapshot& snapshot, StackId stack) {
  return first_frame(snapshot, stack, is_python_file);
}

FrameId user_frame(const Snapshot& snapshot, StackId stack) {
  return first_frame(snapshot, stack,
                     [&](std::string_view file) { return !is_library_frame_of(file, snapshot.libraries); });
}

FrameId top_frame(const Snapshot& snapshot, StackId stack) {
  for (const FrameId id : snapshot.stacks.frames(stack)) {
    const SnapshotFrame& frame = snapshot.frame(id);
    const std::string_view name = snapshot.text(frame.name);
    const bool capture = name.find("unwind") != name.npos || name.find("gather") != name.npos;
    if (!capture || is_python_file(snapshot.text(frame.file))) return id;
  }
  return kNoFrame;
}

StackId stack_of_free(const SnapshotDevice& device, AllocationId id) {
  const Allocations& all = device.history.allocations;
  const auto i = static_cast<std::size_t>(id);
  const bool requested = all.free_requested[i] != kNever && all.free_requested[i] != kBeforeRecording;
  const EventIndex event = requested ? all.free_requested[i] : all.end[i];
  if (event == kNever) return kNoStack;
  const bool own = all.origin[i] == AllocationOrigin::freed_only || device.trust.frees_have_stacks;
  // If an allocation ends because its address is allocated again, it has no free.
  const auto at = static_cast<std::size_t>(event);
  if (!own || device.entries.action[at] == SnapshotAction::alloc) return kNoStack;
  return device.entries.stack[at];
}

bool ring_was_full(const SnapshotDevice& device) {
  const std::size_t count = device.entries.entry_count();
  return count >= 1000 && (count % 1000 == 0 || std::has_single_bit(count)) && device.trust.begins_late();
}

bool lacks_events(const SnapshotDevice& device) {
  const SnapshotQuality& trust = device.trust;
  return (trust.begins_late() || !trust.missing_actions.empty()) && has_history(device);
}

std::string text_of(const Snapshot& snapshot, FrameId id) {
  if (id == kNoFrame) return {};
  const SnapshotFrame& frame = snapshot.frame(id);
  // C++ frames without debug information have no file.
  if (const std::string_view file = snapshot.text(frame.file); file.empty() || file == "??")
    return std::string(snapshot.text(frame.name));
  return std::string(snapshot.text(frame.file)) + ":" + std::to_string(frame.line) + ":" +
         std::string(snapshot.text(frame.name));
}

}  // namespace kino
