#include "core/base/messages/message.hpp"
#include "core/base/time_text.hpp"
#include "core/memory/snapshot_summary.hpp"
#include "core/memory/tables/snapshot_tables.hpp"

namespace kino {

std::vector<Message> recording_notes(const SnapshotDevice& device) {
  const SnapshotTrust& trust = device.trust;
  std::vector<Message> notes;
  const std::size_t count = device.entries.size_entries();
  const bool history = has_history(device);
  if (!history) notes.emplace_back(msg::no_history_was_recorded_only_the);
  if (ring_was_full(device)) {
    notes.push_back("The recording holds exactly " + grouped(count) +
                    " events, so its ring buffer was probably full and older events were overwritten.");
  }
  if (history && trust.begins_late()) {
    notes.push_back(grouped(trust.freed_without_alloc + trust.unseen_in_segments) +
                    " allocations are older than the recording.");
  }
  if (trust.entries_without_stack > 0) {
    notes.push_back(grouped(trust.entries_without_stack) + " events have no stack.");
  }
  for (const SnapshotAction action : trust.missing_actions)
    notes.push_back("There are no events of the kind " + std::string(text_of(action)) + ".");
  if (trust.ends_at_request) notes.emplace_back(msg::allocations_end_where_their_free_was);
  return notes;
}

}  // namespace kino
