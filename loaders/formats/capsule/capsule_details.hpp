// Reads the details of events that are in a capsule but not in the columns of its trace.
#pragma once

#include <memory>

#include "core/trace/event_details.hpp"
#include "loaders/bytes/text_source.hpp"
#include "loaders/formats/capsule/capsule.hpp"

namespace kino {

/// Returns the details of events. `file` is the capsule. Events are rebuilt as JSON from the columns and
/// their original arguments. The first request for a slice computes slices_by_offset(), 4 bytes per slice. A
/// request decompresses a block of kBlockEvents, unless it is among the recent blocks, which are cached.
/// write_part() fails, since a capsule contains no text to trim.
std::shared_ptr<const EventDetails> capsule_details(std::shared_ptr<const Trace> trace,
                                                    std::shared_ptr<const TextSource> file,
                                                    const CapsuleFacts& facts);

}  // namespace kino
