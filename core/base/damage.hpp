// What was wrong with a file, as data: per reason a count, the first byte offset and a sample.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/messages/message.hpp"

namespace kino {

/// Every way an event can be less than it should be. "shown" reasons keep the event; the others drop it.
enum class DamageReason : std::uint8_t {
  unreadable_event,          ///< JSON that could not be understood, dropped
  truncated_event,           ///< the file ends inside it, dropped
  no_phase,                  ///< an object without ph, dropped
  unknown_phase,             ///< a phase letter nobody defines, dropped
  no_timestamp,              ///< missing or unreadable ts, dropped
  time_out_of_range,         ///< ts or dur does not fit 64-bit nanoseconds, dropped
  time_in_ns,                ///< ts too large for us: it and dur are read as ns, shown
  not_an_event,              ///< an element of the event array that is no object, dropped
  no_duration,               ///< X without a readable dur, shown with zero length
  negative_duration,         ///< shown with zero length
  begin_without_end,         ///< B without E, shown up to the end of what encloses it
  end_without_begin,         ///< E without B, dropped
  async_without_begin,       ///< e or n without b: shown as an instant
  async_without_end,         ///< b without e: shown up to the end of the trace
  repaired_event,            ///< invalid JSON that could still be understood, shown
  repaired_document,         ///< the same between and around the events: commas, comments, log lines
  counter_without_value,     ///< C without a number, dropped
  overlap_spilled,           ///< overlaps its track's nesting, shown in a further lane
  correlation_out_of_range,  ///< correlation id above 32 bits: shown, but not linked
  truncated_file,            ///< the text ends before its array or document does
  truncated_gzip,            ///< the compressed stream ends early, what was there is shown
  gzip_checksum,             ///< the stored checksum does not match the data
  trailing_data,             ///< bytes after the end of the compressed stream or the document, ignored
  header_unreadable,         ///< metadata outside the event array that could not be read
  far_outlier,               ///< a time stamp far away from all others, shown, left out of "fit all"
  flow_without_slice,        ///< s, t or f on a track without a slice for it, no arrow is shown
  flow_without_partner,      ///< s without a later t or f of its id, no arrow is shown
  spool_limit,               ///< decompressing was stopped to save disk or memory, what was there is shown
  unknown_action,            ///< entry of an allocator snapshot with an action nobody defines, shown
  number_out_of_range,       ///< of an allocator snapshot; shown as 0
  unreadable_rest,           ///< an allocator snapshot cannot be understood from here on
  further_events,            ///< an event array or document behind the first, shown
  invalid_escape,            ///< a backslash that starts no escape of JSON, as in Windows paths, shown
  event_lines,               ///< an event that a line break, not a comma, separates from the last, shown
  unclosed_array,            ///< the array of a file that is only an array has no end, as Chrome allows
  unclosed_document,         ///< brackets are missing behind a last event or member that is whole
  truncated_rest,            ///< the text ends within what follows its event array
  flow_begun_again,          ///< s of an id that another s begins before any t or f, no arrow is shown
  flow_without_start,        ///< t or f without an earlier s of its id, no arrow is shown
  samples_not_shown,         ///< a member with call-stack samples beside the event array, not shown
  launch_flow_start,         ///< s without a t or f; its id is a call's correlation id, which links launches
  launch_flow_end,           ///< t or f without an s; its id is a call's correlation id
};

inline constexpr int kDamageReasonCount = static_cast<int>(DamageReason::launch_flow_end) + 1;

/// A part of a sentence: "slice with a negative duration, shown with zero length".
msg::Id text_of(DamageReason reason);

/// The part of a sentence behind a count: "slices with a negative duration, shown with zero length" for several.
msg::Id text_of(DamageReason reason, std::uint64_t count);

/// Whether events counted under this reason are missing from the model.
bool drops_event(DamageReason reason);

/// Whether it tells of a slice that is in the model and begins at the offset.
bool keeps_slice(DamageReason reason);

/// Whether it tells that the file stops before its end, so that there is no knowing what is missing.
bool ends_early(DamageReason reason);

/// Whether it is an assumption made to read a file that is sound: a note, and no damage.
bool is_reading_note(DamageReason reason);

/// Whether it says that all events were read although the end of the text is missing.
bool has_all_events(DamageReason reason);

/// One line of the damage report.
struct Damage {
  DamageReason reason{};
  std::uint64_t count = 0;
  std::uint64_t first_offset = ~std::uint64_t{0};  ///< byte in the decompressed text
  std::string sample;                              ///< up to kSampleBytes of the text there

  static constexpr std::size_t kSampleBytes = 120;
};

/// Collects damage by reason, keeping the earliest place. O(1) per call.
class DamageLog {
 public:
  void add(DamageReason reason, std::uint64_t offset, std::string_view sample, std::uint64_t count = 1);
  void merge(const DamageLog& other);
  /// Asks `text_at` for the samples of entries that have a place but no sample; an empty function asks
  /// nothing.
  void fill_samples(const std::function<std::string(std::uint64_t)>& text_at);
  /// If the source itself ended early, a missing bracket is a cut: nothing says that all events were read.
  void settle_missing_brackets();
  /// Returns the log with `count` cases fewer of one reason, for lists beside another that shows them.
  DamageLog without(DamageReason reason, std::uint64_t count) const;
  bool empty() const { return entries_.empty(); }
  std::uint64_t count(DamageReason reason) const;
  /// The damage of all reasons; notes on reading do not count.
  std::uint64_t total() const;
  /// Whether an event is missing from the model.
  bool drops_events() const;
  /// The entry that says how far the file goes: of those for which ends_early() holds, a cut of the
  /// compressed stream, else the one farthest behind in the text. A wrong checksum cuts nothing off and
  /// counts only alone. Null for a whole file.
  const Damage* cut() const;
  /// Ordered by reason.
  const std::vector<Damage>& entries() const { return entries_; }

 private:
  std::vector<Damage> entries_;
};

}  // namespace kino
