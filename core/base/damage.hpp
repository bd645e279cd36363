// Defects of a file: for each reason a count, the first byte offset and a sample.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/messages/message.hpp"

namespace kino {

/// All kinds of defects. An event with a reason marked "shown" is in the model; with one marked "dropped", it
/// is not. Single letters are values of `ph` in the Chrome trace format.
enum class DamageReason : std::uint8_t {
  unreadable_event,          ///< JSON that cannot be parsed, dropped
  truncated_event,           ///< the file ends inside the event, dropped
  no_phase,                  ///< an object without ph, dropped
  unknown_phase,             ///< an undefined phase letter, dropped
  no_timestamp,              ///< missing or unreadable ts, dropped
  time_out_of_range,         ///< ts beyond ±4e18 ns or dur above 1e18 ns, dropped
  time_in_ns,                ///< ts is too large for microseconds: ts and dur are read as ns, shown
  not_an_event,              ///< an element of the event array that is not an object, dropped
  no_duration,               ///< X without a readable dur, shown with zero length
  negative_duration,         ///< shown with zero length
  begin_without_end,         ///< B without E, shown up to the end of the enclosing slice or of the trace
  end_without_begin,         ///< E without B, dropped
  async_without_begin,       ///< e without b: shown as an instant
  async_without_end,         ///< b without e: shown up to the end of the trace
  repaired_event,            ///< invalid JSON that could still be parsed, shown
  repaired_document,         ///< invalid JSON between and around the events: commas, comments, log lines
  counter_without_value,     ///< C without a number, dropped
  overlap_spilled,           ///< slice that crosses the end of another on its track, shown in an extra lane
  correlation_out_of_range,  ///< correlation id above 32 bits: shown, but not linked
  truncated_file,            ///< the text ends before its array or document does
  truncated_gzip,            ///< the compressed stream ends early or is damaged; its events are shown
  gzip_checksum,             ///< the stored checksum does not match the data
  trailing_data,             ///< bytes after the end of the compressed stream or the document, ignored
  header_unreadable,         ///< metadata outside the event array that could not be read
  far_outlier,               ///< a timestamp far from all others, shown, left out of "fit all"
  flow_without_slice,        ///< flow event (s, t or f) without a slice on its track; not shown as an arrow
  flow_without_partner,      ///< flow event s without a later t or f with the same id; not shown as an arrow
  spool_limit,               ///< decompression stopped to save disk or memory; the events read are shown
  unknown_action,            ///< allocator event with an undefined action, shown
  number_out_of_range,       ///< number in an allocator snapshot that does not fit, shown as 0
  unreadable_rest,           ///< an allocator snapshot cannot be parsed from here on
  further_events,            ///< an event array or document after the first, shown
  invalid_escape,            ///< a backslash that is not an escape of JSON, as in Windows paths, shown
  event_lines,               ///< no comma, only a line break, before an event, shown
  unclosed_array,            ///< a file that consists only of an array does not close it, as Chrome allows
  unclosed_document,         ///< closing brackets are missing after a complete last event or member
  truncated_rest,            ///< the text is truncated after its event array
  flow_begun_again,          ///< s followed by another s with the same id before any t or f; not an arrow
  flow_without_start,        ///< t or f without an earlier s with the same id, not shown as an arrow
  samples_not_shown,         ///< a member with call-stack samples beside the event array, not shown
  launch_flow_start,         ///< s without t or f; its id is a call's correlation id, which links the launch
  launch_flow_end,           ///< t or f without s; its id is a call's correlation id, which links the launch
};

inline constexpr int kDamageReasonCount = static_cast<int>(DamageReason::launch_flow_end) + 1;

/// Returns the reason as part of a sentence: "slice with a negative duration, shown with zero length".
msg::Id text_of(DamageReason reason);

/// Returns the part of a sentence that follows a count: plural unless the count is 1.
msg::Id text_of(DamageReason reason, std::uint64_t count);

/// Whether events counted under this reason are missing from the model.
bool drops_event(DamageReason reason);

/// Whether the damaged event can be in the model as a slice. The text of this slice begins at the offset.
bool keeps_slice(DamageReason reason);

/// Whether the text ends early, cannot be read to its end, or has a wrong checksum. The amount of missing
/// data is unknown in these cases.
bool ends_early(DamageReason reason);

/// Whether the reason is a note on how a valid file was read, not damage.
bool is_reading_note(DamageReason reason);

/// Whether all events were read although the end of the text is missing.
bool has_all_events(DamageReason reason);

/// One line of the damage report.
struct Damage {
  DamageReason reason{};
  std::uint64_t count = 0;
  std::uint64_t first_offset = ~std::uint64_t{0};  ///< byte in the decompressed text
  std::string sample;                              ///< text at that offset, up to kSampleBytes

  static constexpr std::size_t kSampleBytes = 120;
};

/// Collects damage by reason, with the earliest offset of each reason and the sample there. O(1) per call.
class DamageLog {
 public:
  void add(DamageReason reason, std::uint64_t offset, std::string_view sample, std::uint64_t count = 1);
  void merge(const DamageLog& other);
  /// Adds missing samples from `text_at` to entries that have an offset. Does nothing if `text_at` is empty.
  void fill_samples(const std::function<std::string(std::uint64_t)>& text_at);
  /// If another entry shows that the file ended early, counts reasons with has_all_events() as truncation,
  /// because events may be missing.
  void settle_missing_brackets();
  /// Returns a copy with `count` fewer cases of `reason`, but not below 0. Used if another list already shows
  /// those cases.
  DamageLog without(DamageReason reason, std::uint64_t count) const;
  bool empty() const { return entries_.empty(); }
  std::uint64_t count(DamageReason reason) const;
  /// Returns the number of cases of all reasons except reading notes (is_reading_note()).
  std::uint64_t total() const;
  /// Whether the log has a reason that drops events.
  bool drops_events() const;
  /// Returns the entry that describes the truncation; null if no entry ends early. A truncated compressed
  /// stream has priority, then the largest offset. A wrong checksum cuts nothing off and has the lowest rank.
  const Damage* cut() const;
  /// Ordered by reason.
  const std::vector<Damage>& entries() const { return entries_; }

 private:
  std::vector<Damage> entries_;
};

}  // namespace kino
