// The fast path: a unit of valid JSON events through simdjson On-Demand.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "loaders/formats/chrome_trace/event_interpreter.hpp"

namespace kino {

/// How far a parser came.
struct ParseOutcome {
  enum class State {
    complete,  ///< all of the text was events
    closed,    ///< the event array ended at `offset` (of its `]`)
    broken,    ///< events up to `offset` are accepted; what starts there could not be read
  };
  State state = State::complete;
  std::uint64_t offset = 0;
  bool comma_due = false;  ///< an event ends before `offset`, and no comma follows it
};

/// Holds simdjson's tables; one per thread.
class StrictParser {
 public:
  /// Writable bytes that must precede and follow a text: brackets are put around it while it is parsed.
  static constexpr std::size_t kRoomBefore = 1;
  static constexpr std::size_t kRoomAfter = 64;

  StrictParser();
  ~StrictParser();
  StrictParser(StrictParser&&) noexcept;
  StrictParser& operator=(StrictParser&&) noexcept;

  /// `text` starts at an element of the event array and ends behind one (a trailing comma is allowed), or
  /// holds the end of the array and whatever follows it. It is as it was when this returns; of the room
  /// around it the byte before and the first behind it are as well. `base_offset` is where the text stands in
  /// the file. Fastest in units that fit the second-level cache with simdjson's tables.
  ParseOutcome parse(std::span<char> text, std::uint64_t base_offset, EventInterpreter& out);

  /// One event by itself, as parse() would take it: false when parse() would stop at it. `fields` are views
  /// into a copy that lives until the next call.
  bool parse_event(std::string_view event, EventFields& fields);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kino
