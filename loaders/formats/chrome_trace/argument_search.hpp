// Finds the slices whose events have given arguments. Reads the whole text, since arguments are stored
// nowhere else.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "core/base/slice_set.hpp"
#include "core/trace/argument_term.hpp"
#include "core/trace/event_details.hpp"
#include "core/trace/trace.hpp"
#include "loaders/bytes/text_source.hpp"

namespace kino {

/// Returns all slices sorted by the position of their events in the text. O(n) for files in time order, O(n
/// log n) at worst.
std::vector<std::uint32_t> slices_by_offset(const Trace& trace, const std::stop_token& stop = {});

/// Returns whether the JSON event, which starts with `{`, matches all terms (with non-empty values) in its
/// "args". Keys are compared by letters and digits only, so "External id" is externalid. Numbers match only
/// as a whole: 12 does not match 112 or 12.5. Spaces in arrays are ignored. Strings are unescaped. O(length).
bool event_has_arguments(std::string_view event, std::span<const ArgumentTerm> terms);

/// Returns the slices for which `wanted` is true and whose events match all terms (at least one). Fails with
/// `cancelled`, for an unreadable file, or with `unknown_format` if no term contains a letter, a digit, one
/// of "_-.:" or a non-ASCII character. Usually searches the text for the longest part of a term that JSON
/// writers do not escape, and parses only the events found. `order` is slices_by_offset(). `wanted` and
/// `advanced` are called from several threads. O(text), parallel.
Result<SliceSet> find_arguments(const Trace& trace, const TextSource& text,
                                std::span<const std::uint32_t> order, std::span<const ArgumentTerm> terms,
                                const std::function<bool(SliceId)>& wanted, ArgumentProgress& progress,
                                const std::function<void()>& advanced, const std::stop_token& stop = {},
                                unsigned threads = 0);

}  // namespace kino
