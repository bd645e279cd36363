// Answers from the JSON text of a trace what its columns do not hold.
#pragma once

#include <memory>

#include "core/trace/event_details.hpp"
#include "loaders/bytes/text_source.hpp"

namespace kino {

/// Of a trace that was made from `text`, or from its begin. The first search takes what slices_by_offset
/// says, and 4 bytes a slice, which the next ones share.
std::shared_ptr<const EventDetails> json_event_details(std::shared_ptr<const Trace> trace,
                                                       std::shared_ptr<const TextSource> text);

}  // namespace kino
