// What allocations that are older than the recording are for: by when they are freed, else by their sizes.
#pragma once

#include <stop_token>

#include "core/memory/categories/memory_meaning.hpp"

namespace kino {

/// Decides what decide_recorded() has left, and finds copies of parameters. `meaning.reference` and
/// `older_notes` become what it went by.
void decide_older(const Snapshot& snapshot, std::size_t device, MemoryMeaning& meaning,
                  const std::stop_token& stop);

}  // namespace kino
