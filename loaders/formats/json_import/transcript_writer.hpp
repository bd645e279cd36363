// Writes the events of a recording of another kind as Chrome-trace text, one a line.
//
// Whoever reads a database or protobuf so has arguments, search, parts of the trace and the cache as JSON has
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "loaders/bytes/spool_writer.hpp"
#include "loaders/formats/chrome_trace/told_events.hpp"
#include "loaders/formats/json_import/transcript_teller.hpp"

namespace kino {

/// Appends `text` as it stands between the quotes of JSON: quotes, backslashes and control characters
/// escaped. A byte that is no UTF-8 becomes U+FFFD, since JSON has none. O(length).
void append_escaped(std::string& out, std::string_view text);
/// The same with quotes around it.
std::string json_text(std::string_view text);

/// Where an event stands, each as JSON has it: 7, "stream 7".
struct EventPlace {
  std::string_view pid;
  std::string_view tid;
};

/// Used by one thread. Names and texts are escaped already, times in ns. An event is begun, gets arguments,
/// and ends with the next one. Each is told to `events` with its text, so that nobody has to parse that.
///
/// Who has numbers for names gives them as `name_number`: equal numbers, equal names; from 1 on, and dense. A
/// name is then looked up once.
class TranscriptWriter {
 public:
  /// See TranscriptTeller, which writes the text.
  TranscriptWriter(SpoolWriter& out, ToldEvents& events) : teller_(out, events) {}
  TranscriptWriter(const TranscriptWriter&) = delete;
  TranscriptWriter& operator=(const TranscriptWriter&) = delete;
  ~TranscriptWriter() = default;

  /// The head of the document. `members` are further ones as JSON, each with a comma behind it.
  void begin(std::string_view members);
  /// An end before the start is told as such.
  void slice(std::string_view category, std::string_view name, EventPlace place, std::int64_t start_ns,
             std::int64_t end_ns, std::uint32_t name_number = 0);
  void instant(std::string_view category, std::string_view name, EventPlace place, std::int64_t time_ns,
               std::uint32_t name_number = 0);
  void counter(std::string_view name, std::string_view pid, std::int64_t time_ns, double value);
  /// 's' where an arrow begins, 't' on its way, 'f' where it ends.
  void flow(char phase, std::uint64_t id, EventPlace place, std::int64_t time_ns);
  /// "process_name", "thread_name": what a process or thread is called.
  void name(std::string_view what, EventPlace place, std::string_view text);

  void argument(std::string_view key, std::int64_t value);
  void argument_number(std::string_view key, double value);
  void argument_text(std::string_view key, std::string_view escaped);
  void argument_json(std::string_view key, std::string_view json);

  /// The end of the document. When it returns, all is written that can be.
  void finish();
  /// False when nothing more can or shall be written.
  bool good() const { return teller_.good(); }
  std::uint64_t events() const { return events_; }

 private:
  static constexpr std::size_t kNumber = 32;  // of the longest number
  static constexpr std::size_t kFixed = 256;  // more than all that an event or argument has beside its texts

  PieceEvent& event(char phase, std::string_view category, std::string_view name, EventPlace place,
                    std::int64_t time_ns);
  /// Begins an argument, and has room for its value.
  PiecePart key(std::string_view key, std::size_t value_bytes);
  void close_event();
  // Into what was reserved.
  PiecePart put(std::string_view text) { return piece_->put(text); }
  PiecePart put_time(std::int64_t ns);
  template <class T>
  PiecePart put_number(T value);

  TranscriptTeller teller_;
  std::unique_ptr<TranscriptPiece> piece_ = teller_.empty_piece();
  std::uint64_t events_ = 0;
  bool in_event_ = false;
};

}  // namespace kino
