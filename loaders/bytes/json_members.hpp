// Iterates over the members of a JSON object without unescaping.
#pragma once

#include <cstddef>
#include <string_view>

#include "loaders/bytes/json_scan.hpp"

namespace kino {

/// Calls body(key, value) with the raw text of each member of the object at the start of `text`. Stops if
/// `body` returns false or the text is malformed. Passes unquoted non-JSON values unchanged, and skips
/// members that have no value. O(length).
template <class Body>
void for_each_member(std::string_view text, Body&& body) {
  std::size_t at = 1;
  while (true) {
    at = skip_space(text, at);
    while (at < text.size() && text[at] == ',') at = skip_space(text, at + 1);
    if (at >= text.size() || text[at] != '"') return;
    const std::size_t key_end = string_end(text, at);
    if (key_end == kIncomplete) return;
    const std::string_view key = text.substr(at + 1, key_end - at - 2);
    at = skip_space(text, key_end);
    if (at >= text.size() || text[at] != ':') return;
    at = skip_space(text, at + 1);
    const std::size_t end = member_value_end(text, at);
    if (end == kIncomplete) return;
    if (end != at && !body(key, text.substr(at, end - at))) return;
    at = end;
  }
}

/// Returns the raw "args" object of the event at the start of `event`; empty if there is none.
inline std::string_view args_of_event(std::string_view event) {
  std::string_view args;
  if (event.empty() || event.front() != '{') return args;
  for_each_member(event, [&](std::string_view key, std::string_view value) {
    if (key == "args") args = value;
    return args.empty();
  });
  return args.empty() || args.front() != '{' ? std::string_view() : args;
}

}  // namespace kino
