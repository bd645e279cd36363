// What allocations with a stack are for: packs of frameworks, then phase and fate.
#pragma once

#include <stop_token>

#include "core/memory/categories/memory_meaning.hpp"

namespace kino {

/// Decides everything that has a stack of its allocation, and the workspaces that are told by their sizes.
/// The rest stays Before the recording or Unknown, of unknown sureness. `meaning` has its phases and modules.
void decide_recorded(const Snapshot& snapshot, std::size_t device, MemoryMeaning& meaning,
                     const std::stop_token& stop);

/// Whether `stack` is that of the allocation: also of one that is older than the recording.
bool has_own_stack(const SnapshotDevice& device, std::size_t allocation);

}  // namespace kino
