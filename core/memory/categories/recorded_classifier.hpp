// Classifies allocations that have a stack: rules for framework frames, then phase and lifetime.
#pragma once

#include <stop_token>

#include "core/memory/categories/allocation_classifier.hpp"

namespace kino {

/// Classifies all allocations for which has_own_stack() is true, and workspaces by their sizes. Other
/// allocations remain "Before the recording" or "Unknown", with unknown confidence. Requires the phases and
/// modules of `meaning`.
void classify_recorded(const Snapshot& snapshot, std::size_t device, AllocationClassifier& meaning,
                       const std::stop_token& stop);

/// Returns whether the allocation's stack is that of the allocation, not of the free. Supports allocations
/// from before the recording.
bool has_own_stack(const SnapshotDevice& device, std::size_t allocation);

}  // namespace kino
