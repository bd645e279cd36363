#include "core/memory/snapshot.hpp"

#include <algorithm>

namespace kino {
namespace {

constexpr std::array<std::string_view, kSnapshotActionCount> kActions{
    "alloc",        "free_requested", "free_completed", "segment_alloc",
    "segment_free", "segment_map",    "segment_unmap",  "snapshot",
    "oom",          "annotate",       "free",           "unknown"};

}  // namespace

std::string_view text_of(SnapshotAction action) { return kActions[static_cast<std::size_t>(action)]; }

SnapshotAction snapshot_action_of(std::string_view text) {
  const auto* const found = std::ranges::find(kActions, text);
  return found == kActions.end() ? SnapshotAction::unknown
                                 : static_cast<SnapshotAction>(found - kActions.begin());
}

void SnapshotEntries::reset(std::size_t count) {
  addr = Column<std::uint64_t>(count);
  size = Column<std::uint64_t>(count);
  time_us = Column<std::int64_t>(count);
  stack = Column<StackId>(count);
  note = Column<std::uint32_t>(count);
  stream = Column<std::uint16_t>(count);
  pool = Column<std::uint16_t>(count);
  action = Column<SnapshotAction>(count);
}

std::size_t SnapshotEntries::size_bytes() const {
  return addr.size_bytes() + size.size_bytes() + time_us.size_bytes() + stack.size_bytes() +
         note.size_bytes() + stream.size_bytes() + pool.size_bytes() + action.size_bytes();
}

std::string_view Snapshot::setting(std::string_view name) const {
  const auto found = std::ranges::find(settings, name, &std::pair<std::string, std::string>::first);
  return found == settings.end() ? std::string_view() : std::string_view(found->second);
}

std::size_t Snapshot::size_bytes() const {
  std::size_t bytes = strings.size_bytes() + stacks.size_bytes() + notes.capacity() * sizeof(EntryNote) +
                      annotations.capacity() * sizeof(SnapshotAnnotation);
  for (const SnapshotDevice& device : devices) {
    bytes += device.entries.size_bytes() + device.history.size_bytes() +
             device.segments.capacity() * sizeof(SnapshotSegment) +
             device.blocks.capacity() * sizeof(SnapshotBlock);
  }
  return bytes;
}

}  // namespace kino
