// Reads the members of one event whose JSON is invalid, as far as possible.
#pragma once

#include <cstddef>
#include <string_view>

#include "loaders/formats/chrome_trace/event_fields.hpp"

namespace kino {

struct LenientEvent {
  bool readable = false;  ///< whether the text is an object that is closed or has a readable member
  std::size_t end = 0;    ///< index after the closing brace, or the end of the text
};

/// Reads an event. `text` starts at the event's `{`, and may end before its `}`. Accepts unescaped quotes and
/// backslashes, raw control bytes, missing and trailing commas, and missing quotes before keys. For valid
/// JSON the result equals StrictParser's. Fills `fields` with views of `text`. O(length).
LenientEvent read_lenient_event(std::string_view text, EventFields& fields);

}  // namespace kino
