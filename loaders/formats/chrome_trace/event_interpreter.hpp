// Converts the members of events to records: phases, times, tracks, counters, metadata and damage.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace/build/event_batch.hpp"
#include "loaders/formats/chrome_trace/event_fields.hpp"

namespace kino {

/// Fills one EventBatch on one thread. Counts and damage are kept apart from the records, so that a wrongly
/// cut unit can be undone.
class EventInterpreter {
 public:
  explicit EventInterpreter(EventBatch& batch);

  /// Adds an object of the event array. The text samples of damage are read later, so they do not depend on
  /// where the text was cut.
  void accept(const EventFields& fields, std::uint64_t offset);
  /// Adds an element of the event array that is not an object.
  void reject_element(std::uint64_t offset);
  /// Counts an unusable event, or a piece of unreadable text, as one dropped event.
  void drop(DamageReason reason, std::uint64_t offset);
  void note(DamageReason reason, std::uint64_t offset) { damage_.add(reason, offset, ""); }

  const EventCounts& counts() const { return counts_; }
  /// Return the counts and the damage since the last call.
  EventCounts take_counts();
  DamageLog take_damage();

 private:
  void accept_slice(const EventFields& fields, std::uint64_t offset);
  static void read_sequence(const EventFields& fields, SliceRecord& record);
  void accept_span(const EventFields& fields, char phase, std::uint64_t offset);
  void accept_instant(const EventFields& fields, std::uint64_t offset);
  void accept_counter(const EventFields& fields, std::uint64_t offset);
  void accept_flow(const EventFields& fields, char phase, std::uint64_t offset);
  void accept_metadata(const EventFields& fields, std::uint64_t offset);
  bool read_time(const EventFields& fields, std::int64_t& time_ns, std::uint64_t offset);
  void add_memory_samples(const EventFields& fields, const PointRecord& instant);
  std::uint32_t intern_name(const EventFields& fields);
  std::uint16_t intern_category(std::string_view category);
  std::uint32_t intern_track(const EventFields& fields, std::uint16_t category);

  EventBatch& batch_;
  EventCounts counts_;
  DamageLog damage_;
  bool time_in_ns_ = false;  // the current event has times in ns
  std::vector<TrackClass> category_class_;
  std::vector<std::uint32_t> numbered_names_;  // by EventViews::name_index
  std::string scratch_;
};

}  // namespace kino
