// Sums of the memory that is allocated after an event: categories, and the largest allocations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "app/pages/memory_plot/band_paint.hpp"
#include "core/base/messages/message.hpp"
#include "core/memory/snapshot.hpp"
#include "core/memory/snapshot_history.hpp"

namespace kino {

inline constexpr std::size_t kTopAllocations = 6;

struct LiveSums {
  std::uint64_t bytes = 0;
  std::size_t count = 0;  ///< number of live allocations
  struct Category {
    Message name;
    std::uint64_t bytes = 0;
    AllocationId largest = kNoAllocation;
  };
  std::vector<Category> categories;   ///< with memory, most first; empty if a rule is invalid
  std::vector<AllocationId> largest;  ///< at most kTopAllocations, largest first
};

/// Returns the sums after `event`. `categories` may be null. O(live * log n).
LiveSums live_sums(const Snapshot& snapshot, std::size_t device, EventIndex event,
                   const AllocationCategories* categories, const std::stop_token& stop = {});

}  // namespace kino
