// Visits the events of a trace's text in order, over all arrays and documents.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "core/trace/trace.hpp"
#include "loaders/bytes/byte_window.hpp"
#include "loaders/bytes/text_source.hpp"
#include "loaders/formats/chrome_trace/document_rest.hpp"
#include "loaders/formats/chrome_trace/event_array.hpp"
#include "loaders/formats/chrome_trace/event_fields.hpp"
#include "loaders/formats/chrome_trace/strict_parser.hpp"

namespace kino {

/// A visited event; valid until the next one is visited.
struct VisitedEvent {
  std::string_view text;  ///< as JSON, repaired if needed; empty if unreadable
  const EventFields& fields;
  std::uint64_t offset = 0;
  std::int64_t shift_ns = 0;  ///< to add to its time, since its document can have another base
};

/// Visits the events of a text. Reads 1 MiB at a time, so memory is bounded by the largest event or member.
/// After the first event that is not valid JSON, uses 8 more bytes per slice and instant of the model.
class EventWalk {
 public:
  /// All arguments must outlive this object. Increases `bytes_read`.
  EventWalk(const Trace& trace, const TextSource& text, std::atomic<std::uint64_t>& bytes_read,
            const std::stop_token& stop)
      : trace_(trace), text_(text), bytes_read_(bytes_read), stop_(stop) {}

  /// Finds the event array, or returns an error. If there are further documents, reads the whole text, since
  /// their time bases follow their events.
  std::optional<Error> find();

  ArrayForm form() const { return array_.form; }
  /// Returns the members before the first array; after visit() also those that follow.
  const std::vector<DocumentMember>& members() const { return array_.members; }
  std::size_t members_before() const { return first_members_; }

  /// Calls `take` for each event, until `take` returns an error or a stop is requested (`cancelled`).
  /// O(length of the text).
  using Take = std::function<std::optional<Error>(const VisitedEvent& event)>;
  std::optional<Error> visit(const Take& take);

 private:
  std::optional<Error> visit_array(ByteWindow& window, bool in_object, const Take& take);
  std::size_t size_of_value(ByteWindow& window) const;
  /// Returns whether the event is valid JSON. Fills fields_.
  bool is_event(std::string_view event);
  /// Returns the event as valid JSON and fills fields_; empty if it is unreadable.
  std::string_view repaired(std::string_view event);
  /// Skips an event that is not valid JSON. `size` is its length; kIncomplete if its end is unknown. Returns
  /// false if the text ends.
  bool pass_unreadable(ByteWindow& window, std::size_t size);
  /// Returns the offset of the model's first slice or instant after `offset`; `offset` + 1 if there is none.
  std::uint64_t next_known(std::uint64_t offset);
  std::int64_t shift_of(std::size_t document) const;

  const Trace& trace_;
  const TextSource& text_;
  std::atomic<std::uint64_t>& bytes_read_;
  const std::stop_token& stop_;
  EventArray array_;
  std::size_t first_members_ = 0;  // members before the first array
  std::vector<std::optional<std::int64_t>> bases_;
  std::size_t document_ = 0;
  std::uint64_t window_begin_ = 0;  // offset of the window in the text
  StrictParser strict_;
  EventFields fields_;
  std::string repaired_;
  std::vector<std::uint64_t> known_;
};

/// Formats a time in us with three decimals, so that no digit is lost.
std::string us_from_ns(std::int64_t ns);

/// Returns the event with its "ts" replaced by another time in ns.
std::string event_at(std::string_view event, std::int64_t time_ns);

}  // namespace kino
