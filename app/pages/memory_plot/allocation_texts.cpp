#include "app/pages/memory_plot/allocation_texts.hpp"

#include "app/ui/text/texts.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"
#include "core/memory/snapshot_summary.hpp"

namespace kino {

std::string device_name(const Snapshot& snapshot, std::size_t device) {
  const SnapshotDevice& shown = snapshot.devices[device];
  if (shown.host && snapshot.source == SnapshotSource::trace) return tr(Text::snapshot_cpu_memory);
  if (shown.host) return tr(Text::snapshot_host_memory);
  if (!shown.title.empty()) return escaped(shown.title);
  return filled(Text::snapshot_device, {std::to_string(shown.ordinal)});
}

std::string pool_text(const Snapshot& snapshot, std::uint16_t pool) {
  if (snapshot.pools[pool] == PoolId{}) return tr(Text::snapshot_default_pool);
  return pool_id_text(snapshot, pool);
}

std::string place_text(const Snapshot& snapshot, StackId stack) {
  const FrameId frame = place_frame(snapshot, stack);
  return frame == kNoFrame ? tr(Text::snapshot_no_stack) : frame_text(snapshot, frame);
}

std::string place_text(const Snapshot& snapshot, const Allocations& all, AllocationId id) {
  const auto i = static_cast<std::size_t>(id);
  return strip_place_text(snapshot, all.stack[i], all.origin[i] == AllocationOrigin::freed_only);
}

std::string strip_place_text(const Snapshot& snapshot, StackId stack, bool of_free) {
  if (!of_free) return place_text(snapshot, stack);
  const FrameId frame = place_frame(snapshot, stack);
  return frame == kNoFrame ? tr(Text::snapshot_before_recording)
                           : filled(Text::snapshot_older_freed_in, {frame_text(snapshot, frame)});
}

std::vector<StackPart> stack_parts(const Snapshot& snapshot, StackId stack) {
  std::vector<StackPart> parts;
  const auto frames = snapshot.stacks.frames(stack);
  const bool folded = user_frame(snapshot, stack) != kNoFrame;
  for (std::uint32_t i = 0; i < frames.size(); ++i) {
    const bool library =
        is_library_frame_of(snapshot.text(snapshot.frame(frames[i]).file), snapshot.libraries);
    if (folded && library && !parts.empty() && parts.back().library) {
      ++parts.back().count;
    } else {
      parts.push_back({i, 1, library});
    }
  }
  return parts;
}

std::string age_text(const SnapshotDevice& device, AllocationId id, EventIndex event) {
  const EventIndex begin = device.history.allocations.begin[static_cast<std::uint32_t>(id)];
  if (begin == kBeforeRecording) return tr(Text::snapshot_before_recording);
  const auto events = static_cast<std::uint64_t>(event - begin);
  const std::string time = time_between(device, begin, event);
  const std::string count = counted(Text::snapshot_one_event, Text::snapshot_events, events);
  return time.empty() ? count : count + ", " + time;
}

}  // namespace kino
