// Classifies allocations from before the recording, by when they are freed, else by their sizes.
#pragma once

#include <stop_token>

#include "core/memory/categories/allocation_classifier.hpp"

namespace kino {

/// Classifies allocations that classify_recorded() left open, and finds copies of parameters. Sets
/// `meaning.reference` and `older_notes`.
void classify_older(const Snapshot& snapshot, std::size_t device, AllocationClassifier& meaning,
                    const std::stop_token& stop);

}  // namespace kino
