// Reads one event's arguments from the text when somebody looks at it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.hpp"
#include "core/trace/args.hpp"
#include "loaders/bytes/text_source.hpp"

namespace kino {

/// The whole event whose `{` stands at `offset`, as a tree in file order. Events above 16 MiB and nesting
/// above 64 levels are refused with an Error that says so. A file that was changed in place is an Error, too.
/// Reads the event's bytes only.
Result<ArgNode> read_event(const TextSource& text, std::uint64_t offset);

/// The tree of an event whose text is at hand; nothing where read_event() above fails. O(length).
std::optional<ArgNode> read_event(std::string_view event);

/// The event's text as the file has it, from its brace to the closing one. Fails as read_event does.
Result<std::string> read_event_text(const TextSource& text, std::uint64_t offset);

}  // namespace kino
