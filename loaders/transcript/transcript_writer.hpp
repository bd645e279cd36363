// Writes the events of a recording of another kind as Chrome-trace text, one a line.
//
// Whoever reads a database or protobuf so has arguments, search, parts of the trace and the cache as JSON has
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/bytes/spool_writer.hpp"
#include "loaders/chrome_trace/told_events.hpp"

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
class TranscriptWriter {
 public:
  TranscriptWriter(SpoolWriter& out, ToldEvents& events);
  TranscriptWriter(const TranscriptWriter&) = delete;
  TranscriptWriter& operator=(const TranscriptWriter&) = delete;
  ~TranscriptWriter();

  /// The head of the document. `members` are further ones as JSON, each with a comma behind it.
  void begin(std::string_view members);
  /// An end before the start is told as such.
  void slice(std::string_view category, std::string_view name, EventPlace place, std::int64_t start_ns,
             std::int64_t end_ns);
  void instant(std::string_view category, std::string_view name, EventPlace place, std::int64_t time_ns);
  void counter(std::string_view name, std::string_view pid, std::int64_t time_ns, double value);
  /// 's' where an arrow begins, 't' on its way, 'f' where it ends.
  void flow(char phase, std::uint64_t id, EventPlace place, std::int64_t time_ns);
  /// "process_name", "thread_name": what a process or thread is called.
  void name(std::string_view what, EventPlace place, std::string_view text);

  void argument(std::string_view key, std::int64_t value);
  void argument_number(std::string_view key, double value);
  void argument_text(std::string_view key, std::string_view escaped);
  void argument_json(std::string_view key, std::string_view json);

  /// The end of the document.
  void finish();
  /// False when nothing more can or shall be written.
  bool good() const { return good_; }
  std::uint64_t events() const { return events_; }

 private:
  static constexpr std::size_t kPiece = std::size_t{256} << 10;  // what is written still lies in the cache
  static constexpr std::size_t kBuffer = kPiece + (std::size_t{64} << 10);
  static constexpr std::size_t kNumber = 32;  // of the longest number
  static constexpr std::size_t kFixed = 256;  // more than all that an event or argument has beside its texts

  void event(char phase, std::string_view category, std::string_view name, EventPlace place,
             std::int64_t time_ns);
  /// Begins an argument, and has room for its value.
  std::string_view key(std::string_view key, std::size_t value_bytes);
  void tell(std::string_view key, std::string_view json);
  void close_event();
  void flush();
  void reserve(std::size_t size) {
    if (static_cast<std::size_t>(end_ - at_) < size) grow(size);
  }
  void grow(std::size_t size);
  // Into what was reserved; views of what was written, which last until the event is closed.
  std::string_view put(std::string_view text) {
    char* const begin = at_;
    if (!text.empty()) std::memcpy(begin, text.data(), text.size());
    at_ += text.size();
    return {begin, text.size()};
  }
  std::string_view put_time(std::int64_t ns);
  template <class T>
  std::string_view put_number(T value);

  SpoolWriter& out_;
  ToldEvents& told_;
  std::optional<ArgumentIntake> intake_;  // while arguments of the event are needed
  std::unique_ptr<char[]> buffer_;
  char* at_;
  char* end_;
  std::vector<std::unique_ptr<char[]>> outgrown_;  // in the event
  std::uint64_t flushed_ = 0;                      // of the text
  std::uint64_t offset_ = 0;                       // of the event
  std::uint64_t events_ = 0;
  bool in_event_ = false;
  bool in_arguments_ = false;
  bool good_ = true;
  bool closed_ = false;
};

}  // namespace kino
