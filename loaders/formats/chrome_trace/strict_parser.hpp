// The fast path: parses a unit of valid JSON events with simdjson On-Demand.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "loaders/formats/chrome_trace/event_interpreter.hpp"

namespace kino {

/// The result of parsing a unit.
struct ParseOutcome {
  enum class State {
    complete,  ///< the whole text was read
    closed,    ///< the event array ended with the `]` at `offset`
    broken,    ///< events before `offset` are accepted; the text there could not be read
  };
  State state = State::complete;
  std::uint64_t offset = 0;
  bool comma_due = false;  ///< no comma follows the last event before `offset`
};

/// Parses units; owns simdjson's tables. One object per thread.
class StrictParser {
 public:
  /// Writable bytes needed before and after the text, for the brackets added during parsing.
  static constexpr std::size_t kRoomBefore = 1;
  static constexpr std::size_t kRoomAfter = 64;

  StrictParser();
  ~StrictParser();
  StrictParser(StrictParser&&) noexcept;
  StrictParser& operator=(StrictParser&&) noexcept;

  /// Parses a unit. `text` starts at an element of the event array. It ends after an element, with an
  /// optional comma, or includes the end of the array and the text that follows. The text, and the bytes
  /// before and after it, are restored on return. `base_offset` is the offset of `text` in the file. Fastest
  /// for units that fit the L2 cache with simdjson's tables.
  ParseOutcome parse(std::span<char> text, std::uint64_t base_offset, EventInterpreter& out);

  /// Parses one event. Returns false if parse() would stop there. `fields` are views of a copy that is valid
  /// until the next call.
  bool parse_event(std::string_view event, EventFields& fields);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kino
