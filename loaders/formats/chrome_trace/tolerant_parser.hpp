// The slow path: events out of text that is not valid JSON, one by one, keeping what can be understood.
#pragma once

#include <cstdint>
#include <string_view>

#include "loaders/formats/chrome_trace/event_interpreter.hpp"
#include "loaders/formats/chrome_trace/strict_parser.hpp"

namespace kino {

struct TolerantOptions {
  /// What stands between two events ("\n  },\n  {"), or empty. Must hold a raw line break: then it cannot be
  /// inside a valid string, and an event whose brackets or quotes do not match ends there.
  std::string_view separator;
  /// Whether an event precedes the text without a comma behind it: ParseOutcome::comma_due of what was read
  /// before.
  bool after_event = false;
  /// Whether the text goes on behind this piece: an event that does not end in it is left alone then.
  bool more_follows = false;
  /// The event that begins the text has no end in sight: it ends where its line does if another event begins
  /// the next one, else it is unreadable.
  bool endless = false;
  /// Whether the file separates its events by line breaks, without commas: then a comma is never due.
  bool lines = false;
};

/// One per thread; what it has spent on one text counts for the next.
class TolerantParser {
 public:
  /// Reads events from `text` on. Understands what writers really do wrong: unescaped quotes and backslashes,
  /// raw control bytes, missing and trailing commas, missing quotes before a key, missing closing brackets,
  /// lines between events, one event a line without an array. Each event that StrictParser cannot read alone
  /// is a repair, noted with its offset. After an unreadable stretch it goes on at the next event. `complete`
  /// with an offset below the end means: what starts there needs more text. Linear in the text.
  ParseOutcome parse(std::string_view text, std::uint64_t base_offset, const TolerantOptions& options,
                     EventInterpreter& out);

  /// What was looked through for ends of events that have none; at most kMostWasted and kMostWastedShare
  /// times the accepted events, and the last look.
  std::uint64_t wasted_bytes() const { return wasted_bytes_; }
  static constexpr std::uint64_t kMostWasted = std::uint64_t{256} << 20;
  static constexpr std::uint64_t kMostWastedShare = 32;

 private:
  class Run;

  /// How far the end of an event is looked for. Text full of brackets that never close would cost the square
  /// of its length: what is read in vain may be a multiple of what is read with success.
  std::size_t reach() const;

  StrictParser strict_;
  std::uint64_t wasted_bytes_ = 0;
  std::uint64_t read_bytes_ = 0;  // of accepted events
};

}  // namespace kino
