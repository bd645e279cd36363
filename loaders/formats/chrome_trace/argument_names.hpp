// Collects the names of arguments, from a sample of events or from all events.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>

#include "core/base/result.hpp"
#include "core/trace/argument_fields.hpp"
#include "core/trace/event_details.hpp"
#include "core/trace/trace.hpp"
#include "loaders/bytes/text_source.hpp"

namespace kino {

/// Returns the argument names in at most 400 slices with distinct pairs of category and name, at most 40 per
/// category. This finds nearly all names. Reads the text, so call it on a worker thread. Ends early if the
/// text cannot be read.
ArgumentFields sample_argument_fields(const Trace& trace, const TextSource& text,
                                      const std::stop_token& stop = {});

/// Returns the argument names in the events of all slices. Parameters, cost and errors as for
/// find_arguments(), but every event is read.
Result<ArgumentFields> all_argument_fields(const Trace& trace, const TextSource& text,
                                           std::span<const std::uint32_t> order, ArgumentProgress& progress,
                                           const std::function<void()>& advanced,
                                           const std::stop_token& stop = {}, unsigned threads = 0);

}  // namespace kino
