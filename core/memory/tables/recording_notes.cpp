#include "core/base/messages/message.hpp"
#include "core/base/time_text.hpp"
#include "core/memory/snapshot_summary.hpp"
#include "core/memory/tables/snapshot_tables.hpp"

namespace kino {

std::vector<Message> recording_notes(const SnapshotDevice& device) {
  const SnapshotQuality& trust = device.trust;
  std::vector<Message> notes;
  const std::size_t count = device.entries.entry_count();
  const bool history = has_history(device);
  if (!history) notes.emplace_back(msg::no_history_was_recorded_only_the);
  if (ring_was_full(device)) notes.emplace_back(msg::ring_buffer_was_full, grouped(count));
  if (history && trust.begins_late()) {
    notes.emplace_back(msg::allocations_are_older_than_the_recording,
                       grouped(trust.freed_without_alloc + trust.unseen_in_segments));
  }
  if (trust.entries_without_stack > 0)
    notes.emplace_back(msg::events_have_no_stack, grouped(trust.entries_without_stack));
  for (const SnapshotAction action : trust.missing_actions)
    notes.emplace_back(msg::no_events_of_kind, text_of(action));
  if (trust.ends_at_request) notes.emplace_back(msg::allocations_end_at_free_request);
  return notes;
}

}  // namespace kino
