// Which allocations the columns of a raster show, and in which of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "core/memory/memory_raster.hpp"

namespace kino {

/// An allocation that at least one column shows, in columns [in, out).
struct ShownAllocation {
  std::uint32_t number = 0;
  std::uint32_t in = 0;
  std::uint32_t out = 0;
};

/// The first of ascending `moments` that is `event` or later. O(log n).
inline std::uint32_t column_from(std::span<const EventIndex> moments, EventIndex event) {
  return static_cast<std::uint32_t>(std::ranges::lower_bound(moments, event) - moments.begin());
}

/// In the order of their numbers, of the columns of `moments`, which ascend. False when stopped.
/// O(allocations between the first and the last moment + shown * log n).
/// `layout` may be null: of all allocations.
bool collect_shown(const AllocationHistory& history, const BandLayout* layout,
                   std::span<const EventIndex> moments, std::vector<ShownAllocation>& shown,
                   const std::stop_token& stop);

/// What a pixel of an allocation says at a moment.
MemoryCell cell_of(const Allocations& of, std::uint32_t number, EventIndex moment);

/// The raster of a layout that gives each allocation a place. Where several are thinner than a row, the one
/// that was allocated first is seen. False when stopped. O(shown + cells).
bool draw_places(const SnapshotDevice& device, const BandLayout& layout, MemoryRaster& raster,
                 const std::stop_token& stop);

}  // namespace kino
