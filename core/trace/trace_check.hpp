// Validates a Trace that was read from a file, so that its readers need no checks of their own.
#pragma once

#include <stop_token>

#include "core/trace/trace.hpp"

namespace kino {

/// Whether all indices and kinds of `trace` are valid, and it has the order that searches rely on. That is:
/// rows follow each other and are disjoint and sorted, and parents are in earlier rows of their track. Each
/// entry of the LOD index must refer to a slice of its own block, and its sums must be correct. Results of
/// build_trace() are always consistent. Does not check whether the content makes sense, such as whether a
/// parent encloses its children. Returns false if stopped. O(size of the trace), on `threads` threads (0: all
/// of the hardware).
bool is_consistent(const Trace& trace, unsigned threads, const std::stop_token& stop);

}  // namespace kino
