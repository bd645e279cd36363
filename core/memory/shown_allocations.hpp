// Allocations that the columns of a raster show, each with its range of columns.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "core/memory/memory_raster.hpp"

namespace kino {

/// An allocation that is shown in columns [in, out).
struct ShownAllocation {
  std::uint32_t number = 0;
  std::uint32_t in = 0;
  std::uint32_t out = 0;
};

/// Columns of a raster that show a moment of the recording.
struct ShownColumns {
  std::vector<std::uint32_t> columns;
  std::vector<EventIndex> moments;  ///< by index of `columns`
};
ShownColumns shown_columns(const MemoryRaster& raster);

/// Returns the index of the first moment at or after `event`. `moments` must ascend. O(log n).
inline std::uint32_t column_from(std::span<const EventIndex> moments, EventIndex event) {
  return static_cast<std::uint32_t>(std::ranges::lower_bound(moments, event) - moments.begin());
}

/// Appends the shown allocations, sorted by id. `moments` must ascend and must not be empty. If `layout` is
/// null, all allocations are shown. Returns false if stopped. O(allocations between the first and the last
/// moment + shown * log n).
bool collect_shown(const AllocationHistory& history, const BandLayout* layout,
                   std::span<const EventIndex> moments, std::vector<ShownAllocation>& shown,
                   const std::stop_token& stop);

/// Returns the cell of an allocation at a moment.
MemoryCell cell_of(const Allocations& allocations, std::uint32_t number, EventIndex moment);

/// Rasterizes a layout that assigns a position to each allocation. An allocation that covers the middle of a
/// row is visible there. If there is none, and several thinner allocations share the row, the one with the
/// lowest id is visible. Returns false if stopped. O(shown + cells).
bool draw_places(const SnapshotDevice& device, const BandLayout& layout, MemoryRaster& raster,
                 const std::stop_token& stop);

}  // namespace kino
