// Finds the slices whose events have certain arguments: reads through the whole text, since arguments are
// kept nowhere else.
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

/// All slices in the order in which their events stand in the text; empty when stopped. O(n) for files in
/// order of time, O(n log n) at worst.
std::vector<std::uint32_t> slices_by_offset(const Trace& trace, const std::stop_token& stop = {});

/// Whether an event's JSON (from its `{`) has what the terms ask, all in its "args"; their values are not
/// empty. Keys are compared by letters and digits alone, so "External id" is externalid. A number is found as
/// a whole: 12 neither in 112 nor in 12.5. Spaces in arrays do not count. Strings are compared unescaped.
/// O(length).
bool event_has_arguments(std::string_view event, std::span<const ArgumentTerm> terms);

/// The slices for which `wanted` holds and whose events have all of the (one or more) terms. Complete unless
/// it fails: `cancelled`, a file that cannot be read any more, or `unknown_format` for a term with neither
/// letter nor digit. The text is searched for the longest term that no spelling of JSON changes, and only
/// events that hold it are looked into. `order` is slices_by_offset; `wanted` is called from several threads;
/// `advanced` from time to time from any of them. O(text), parallel.
Result<SliceSet> find_arguments(const Trace& trace, const TextSource& text,
                                std::span<const std::uint32_t> order, std::span<const ArgumentTerm> terms,
                                const std::function<bool(SliceId)>& wanted, ArgumentProgress& progress,
                                const std::function<void()>& advanced, const std::stop_token& stop = {},
                                unsigned threads = 0);

}  // namespace kino
