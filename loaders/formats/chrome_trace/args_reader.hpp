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

/// Returns the event whose `{` is at `offset` as a tree in file order. Reads 4 KiB from there, and more only
/// for longer events. Returns an error for malformed events, for events above kLargestEvent bytes, 64 levels
/// of nesting or 200,000 values, and if the file has changed.
Result<ArgNode> read_event(const TextSource& text, std::uint64_t offset);

/// Parses an event in memory; nullopt if read_event() above would fail. O(length).
std::optional<ArgNode> read_event(std::string_view event);

/// Returns the event's text from its opening to its closing brace. A text without a closing brace is returned
/// up to the end of the file, or up to kLargestEvent bytes. Fails if the text cannot be read or the file has
/// changed.
Result<std::string> read_event_text(const TextSource& text, std::uint64_t offset);

}  // namespace kino
