// Whether a Trace that was not just built holds together, so that nothing that reads it can go astray.
#pragma once

#include <stop_token>

#include "core/trace/trace.hpp"

namespace kino {

/// Whether every number in `trace` that stands for a place or a kind is one of those that exist, and the
/// orders that searches rely on hold: rows follow each other and are disjoint and sorted, parents lie in
/// earlier rows of their track, the index names slices of its own blocks and sums right. What build_trace()
/// makes does; what comes from a file may not. Says nothing of whether the content is right. False once stop
/// is requested. O(everything), on `threads` threads (0: as many as the machine has).
bool holds_together(const Trace& trace, unsigned threads, const std::stop_token& stop);

}  // namespace kino
