// Validates a Trace that was read from a file, so that its readers need no checks of their own.
#pragma once

#include <stop_token>

#include "core/trace/trace.hpp"

namespace kino {

/// Whether all indices and kinds of `trace` are valid and the orders that searches rely on hold. That is:
/// rows follow each other and are disjoint and sorted, parents are in earlier rows of their track, and the
/// index refers to slices of its own blocks with correct sums. Results of build_trace() are always
/// consistent. Does not check the content. Returns false once stop is requested. O(everything), on `threads`
/// threads (0: all of the hardware).
bool is_consistent(const Trace& trace, unsigned threads, const std::stop_token& stop);

}  // namespace kino
