// Reads the details of events that are not in a trace's columns from the trace's JSON text.
#pragma once

#include <memory>

#include "core/trace/event_details.hpp"
#include "loaders/bytes/text_source.hpp"

namespace kino {

/// Returns the details of events. `trace` must be built from `text` or its start. The first search also
/// computes slices_by_offset(), 4 bytes per slice, which later searches share.
std::shared_ptr<const EventDetails> json_event_details(std::shared_ptr<const Trace> trace,
                                                       std::shared_ptr<const TextSource> text);

}  // namespace kino
