// The names of arguments in the events of a text: of some of them, and of all.
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

/// The names in some events of every category, at most 400 events: nearly all there are. Reads them from the
/// text, so for a worker; stops early when asked, or where the text cannot be read.
ArgumentFields sample_argument_fields(const Trace& trace, const TextSource& text,
                                      const std::stop_token& stop = {});

/// All names in all slices' events. Cost, `order`, `progress` and errors as for find_arguments, which see;
/// every event is looked into.
Result<ArgumentFields> all_argument_fields(const Trace& trace, const TextSource& text,
                                           std::span<const std::uint32_t> order, ArgumentProgress& progress,
                                           const std::function<void()>& advanced,
                                           const std::stop_token& stop = {}, unsigned threads = 0);

}  // namespace kino
