// Reads the arguments of one event from the text on demand.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.hpp"
#include "core/trace/args.hpp"
#include "loaders/bytes/text_source.hpp"

namespace kino {

/// Returns the event whose `{` is at `offset` as a tree in file order. Reads only the bytes of the event.
/// Returns an error for events above 16 MiB or 64 levels of nesting, and if the file has changed in place.
Result<ArgNode> read_event(const TextSource& text, std::uint64_t offset);

/// Parses an event in memory; nullopt if read_event() above would fail. O(length).
std::optional<ArgNode> read_event(std::string_view event);

/// Returns the event's text from its opening to its closing brace. Fails as read_event() does.
Result<std::string> read_event_text(const TextSource& text, std::uint64_t offset);

}  // namespace kino
