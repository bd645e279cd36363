// The slow path: reads events from invalid JSON one by one, as far as possible.
#pragma once

#include <cstdint>
#include <string_view>

#include "loaders/formats/chrome_trace/event_interpreter.hpp"
#include "loaders/formats/chrome_trace/strict_parser.hpp"

namespace kino {

struct TolerantOptions {
  /// Text between two events ("\n  },\n  {"), or empty. It contains a raw line break, so it cannot occur in a
  /// valid string: an event with unmatched brackets or quotes ends there.
  std::string_view separator;
  /// ParseOutcome::comma_due of the preceding text.
  bool after_event = false;
  /// Whether text follows this piece. If so, an event that does not end in the piece is left unread.
  bool more_follows = false;
  /// Whether the first event does not end within the maximum length. Without a separator, it ends with the
  /// first line that is followed by another event. If there is no such line, it is unreadable.
  bool endless = false;
  /// Whether line breaks separate the events, and commas do not.
  bool lines = false;
};

/// Reads invalid text; one object per thread. The limit of wasted_bytes() applies to all texts of one parser
/// together.
class TolerantParser {
 public:
  /// Reads events in text with the errors of real writers. Accepts unescaped quotes and backslashes, raw
  /// control bytes, and missing or trailing commas. Also accepts missing quotes before keys, missing closing
  /// brackets, lines between events, and one event per line. Each event that StrictParser cannot read alone
  /// is recorded as repaired. Continues at the next event after unreadable text. If the outcome is `complete`
  /// with an offset below the end, more text is needed. Linear in the text.
  ParseOutcome parse(std::string_view text, std::uint64_t base_offset, const TolerantOptions& options,
                     EventInterpreter& out);

  /// Number of bytes searched in vain for the end of an event. Above kMostWasted plus kMostWastedShare times
  /// the accepted bytes, each search is limited to 4 KiB.
  std::uint64_t wasted_bytes() const { return wasted_bytes_; }
  static constexpr std::uint64_t kMostWasted = std::uint64_t{256} << 20;
  static constexpr std::uint64_t kMostWastedShare = 32;

 private:
  class Run;

  /// Returns the maximum length of a search for the end of an event. If it were unlimited, brackets that
  /// never close would cost quadratic time.
  std::size_t reach() const;

  StrictParser strict_;
  std::uint64_t wasted_bytes_ = 0;
  std::uint64_t read_bytes_ = 0;  // accepted events only
};

}  // namespace kino
