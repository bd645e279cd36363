// Answers from a capsule what the columns of its trace do not hold.
#pragma once

#include <memory>

#include "core/trace/event_details.hpp"
#include "loaders/bytes/text_source.hpp"
#include "loaders/formats/capsule/capsule.hpp"

namespace kino {

/// `file` is the capsule. An event is given as JSON made of the columns and its arguments; arguments are as
/// the source had them. The first question takes what slices_by_offset() says and 4 bytes a slice, each
/// question decompresses a block of kBlockEvents; the last ones are kept. The trace cannot be cut:
/// write_part() says so.
std::shared_ptr<const EventDetails> capsule_details(std::shared_ptr<const Trace> trace,
                                                    std::shared_ptr<const TextSource> file,
                                                    const CapsuleFacts& facts);

}  // namespace kino
