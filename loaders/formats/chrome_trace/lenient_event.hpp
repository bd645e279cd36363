// Reads the members of one event whose JSON is invalid, as well as they can be understood.
#pragma once

#include <cstddef>
#include <string_view>

#include "loaders/formats/chrome_trace/event_fields.hpp"

namespace kino {

struct LenientEvent {
  bool readable = false;  ///< an object whose beginning at least is understood
  std::size_t end = 0;    ///< behind the closing brace, or where the text ended
};

/// `text` begins at the event's `{` and may end before its `}`. Unescaped quotes and backslashes, raw control
/// bytes, missing and trailing commas and missing quotes before a key are understood; of valid JSON it takes
/// what StrictParser takes. Fills `fields` with views into `text`. Linear in the text.
LenientEvent read_lenient_event(std::string_view text, EventFields& fields);

}  // namespace kino
