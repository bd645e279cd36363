// Goes through the events of a trace's text once more, array after array and document after document.
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

/// What EventWalk comes by; good until the next event.
struct WalkedEvent {
  std::string_view text;  ///< JSON; written anew where the file has none; empty if it cannot be understood
  const EventFields& fields;
  std::uint64_t offset = 0;
  std::int64_t shift_ns = 0;  ///< to be added to its time, which counts from another base than the first ones
};

/// Used by one thread. Reads a MiB at a time: memory does not grow with the text, but by one event.
class EventWalk {
 public:
  /// All outlive this. `bytes_read` counts on.
  EventWalk(const Trace& trace, const TextSource& text, std::atomic<std::uint64_t>& bytes_read,
            const std::stop_token& stop)
      : trace_(trace), text_(text), bytes_read_(bytes_read), stop_(stop) {}

  /// Finds the event array; an error when there is none. With further documents it goes through the text
  /// once, for their bases stand behind their events.
  std::optional<Error> find();

  ArrayForm form() const { return array_.form; }
  /// The members before the first array, and once visit() has come to the end also those behind it.
  const std::vector<DocumentMember>& members() const { return array_.members; }
  std::size_t members_before() const { return first_members_; }

  /// Calls `take` for each event, which returns an error to end. O(length of the text).
  using Take = std::function<std::optional<Error>(const WalkedEvent& event)>;
  std::optional<Error> visit(const Take& take);

 private:
  std::optional<Error> visit_array(ByteWindow& window, bool in_object, const Take& take);
  std::size_t size_of_value(ByteWindow& window) const;
  /// Fills fields_ when it is.
  bool is_event(std::string_view event);
  /// The event as JSON, of which fields_ are then filled; empty when it cannot be understood.
  std::string_view repaired(std::string_view event);
  /// Moves behind what is no JSON, which has `size` bytes or an end that is not known.
  bool pass_unreadable(ByteWindow& window, std::size_t size);
  /// Where the model's next event stands behind a place of which the text says nothing.
  std::uint64_t next_known(std::uint64_t offset);
  std::int64_t shift_of(std::size_t document) const;

  const Trace& trace_;
  const TextSource& text_;
  std::atomic<std::uint64_t>& bytes_read_;
  const std::stop_token& stop_;
  EventArray array_;
  std::size_t first_members_ = 0;  // that stand before the first array
  std::vector<std::optional<std::int64_t>> bases_;
  std::size_t document_ = 0;
  std::uint64_t window_begin_ = 0;  // in the text
  StrictParser strict_;
  EventFields fields_;
  std::string repaired_;
  std::vector<std::uint64_t> known_;
};

/// The event with another time, in ns: its "ts" is written anew.
std::string event_at(std::string_view event, std::int64_t time_ns);

}  // namespace kino
