// Reads event details that the columns lack from the JSON text of a trace.
#pragma once

#include <memory>

#include "core/trace/event_details.hpp"
#include "loaders/bytes/text_source.hpp"

namespace kino {

/// `trace` was made from `text` or its beginning. The first search also computes slices_by_offset(), 4 bytes
/// per slice, which later searches share.
std::shared_ptr<const EventDetails> json_event_details(std::shared_ptr<const Trace> trace,
                                                       std::shared_ptr<const TextSource> text);

}  // namespace kino
