// Classifies allocations from before the recording by their frees, or by their sizes if they are not freed.
#pragma once

#include <stop_token>

#include "core/memory/categories/allocation_classifier.hpp"

namespace kino {

/// Classifies allocations from before the recording that classify_recorded() left undecided. Also finds
/// copies of parameters among all allocations. Sets `meaning.reference` and `older_notes`.
void classify_older(const Snapshot& snapshot, std::size_t device, AllocationClassifier& meaning,
                    const std::stop_token& stop);

}  // namespace kino
