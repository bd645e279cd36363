// Writes the events of a recording as Chrome-trace text, one per line.
//
// This way, databases and protobuf files support arguments, search, extracts and caching like JSON traces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "loaders/bytes/spool_writer.hpp"
#include "loaders/formats/chrome_trace/event_sink.hpp"
#include "loaders/formats/json_import/json_event_writer.hpp"

namespace kino {

/// Appends `text` as the content of a JSON string: escapes quotes, backslashes and control characters.
/// Invalid UTF-8 bytes become U+FFFD. O(length).
void append_escaped(std::string& out, std::string_view text);
/// Returns `text` as a JSON string with quotes, escaped as in append_escaped().
std::string json_text(std::string_view text);

/// Process and thread of an event as JSON values: 7, "stream 7".
struct EventPlace {
  std::string_view pid;
  std::string_view tid;
};

/// Writes events one after the other: an event is started, receives arguments, and ends when the next one
/// starts. Names and texts must already be escaped; times are in ns. Each event is also passed to `events`,
/// so its text is not parsed.
///
/// Callers that have ids for names pass them as `name_index`, so that each name is looked up only once. These
/// ids are dense and start at 1; equal ids have equal names.
class ImportWriter {
 public:
  ImportWriter(SpoolWriter& out, EventSink& events) : teller_(out, events) {}
  ImportWriter(const ImportWriter&) = delete;
  ImportWriter& operator=(const ImportWriter&) = delete;
  ~ImportWriter() = default;

  /// Writes the start of the document. `members` are additional JSON members, each with a trailing comma.
  void begin(std::string_view members);
  /// Starts a slice. A negative duration is written unchanged.
  void slice(std::string_view category, std::string_view name, EventPlace place, std::int64_t start_ns,
             std::int64_t end_ns, std::uint32_t name_index = 0);
  void instant(std::string_view category, std::string_view name, EventPlace place, std::int64_t time_ns,
               std::uint32_t name_index = 0);
  void counter(std::string_view name, std::string_view pid, std::int64_t time_ns, double value);
  /// Starts a flow event. `phase` is 's' at the start of a flow, 't' within it, 'f' at its end.
  void flow(char phase, std::uint64_t id, EventPlace place, std::int64_t time_ns);
  /// Writes the name of a process or thread; `what` is "process_name", "process_labels" or "thread_name".
  void name(std::string_view what, EventPlace place, std::string_view text);

  void argument(std::string_view key, std::int64_t value);
  void argument_number(std::string_view key, double value);
  void argument_text(std::string_view key, std::string_view escaped);
  void argument_json(std::string_view key, std::string_view json);

  /// Ends the document. Returns once everything is written.
  void finish();
  /// Returns false after an error, or once a limit was reached.
  bool good() const { return teller_.good(); }
  std::uint64_t events() const { return events_; }

 private:
  static constexpr std::size_t kNumber = 32;  // longest number
  static constexpr std::size_t kFixed = 256;  // maximum size of an event or argument without texts

  PieceEvent& event(char phase, std::string_view category, std::string_view name, EventPlace place,
                    std::int64_t time_ns);
  /// Starts an argument and reserves space for its value.
  PiecePart key(std::string_view key, std::size_t value_bytes);
  void close_event();
  // The functions below write into reserved space.
  PiecePart put(std::string_view text) { return piece_->put(text); }
  PiecePart put_time(std::int64_t ns);
  template <class T>
  PiecePart put_number(T value);

  JsonEventWriter teller_;
  std::unique_ptr<TranscriptPiece> piece_ = teller_.empty_piece();
  std::uint64_t events_ = 0;
  bool in_event_ = false;
};

}  // namespace kino
