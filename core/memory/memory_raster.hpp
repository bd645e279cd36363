// Raster of the plot of active memory over time: the allocation at each pixel, exact for the event of each
// column.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "core/memory/band_layout.hpp"
#include "core/memory/snapshot.hpp"

namespace kino {

/// Returns the key for highlighting and color: the stack, or a hash of the size if there is no stack. The key
/// has 30 bits; bit 29 marks a size.
std::uint32_t band_group(const Allocations& allocations, AllocationId id);
/// Returns the key of a row in tables by stack: band_group(), but separate for stacks of frees.
std::uint64_t stack_row(const Allocations& allocations, AllocationId id);
inline constexpr std::uint32_t kNoBandGroup = 0x3fffffffU;

/// One pixel.
struct MemoryCell {
  std::uint32_t allocation = 0;                           ///< AllocationId + 1; 0: none
  std::uint32_t key = 0;                                  ///< band_group() and the two flags
  static constexpr std::uint32_t kOlder = 0x80000000U;    ///< flag: older than the recording
  static constexpr std::uint32_t kPending = 0x40000000U;  ///< flag: the free is requested and not completed
  /// Largest key of a pixel without an allocation. The key is 0, except for free memory of a segment in a
  /// layout by addresses: there it is 1 to kSegments, and distinguishes adjacent segments.
  static constexpr std::uint32_t kSegments = 0x1fffffffU;
  bool operator==(const MemoryCell&) const = default;
};

/// Marks a column outside of the recording. Each other column shows the state after its event.
inline constexpr EventIndex kNoMoment = INT32_MIN;

struct MemoryRaster {
  std::vector<EventIndex> moments;  ///< one per column, ascending except for kNoMoment
  double low_bytes = 0;             ///< bytes at the bottom edge
  double bytes_per_row = 1;
  std::uint32_t rows = 0;
  std::vector<MemoryCell> cells;  ///< column by column, each from the bottom up

  std::size_t columns() const { return moments.size(); }
  const MemoryCell& at(std::size_t column, std::uint32_t row) const { return cells[column * rows + row]; }
};

/// Returns the first event in [first, last] with the highest active memory that `layout` shows. A pixel
/// column that covers several events shows the state after this event, so that peaks are visible at any zoom.
/// O(log n * CurvePyramid::kBlock).
EventIndex highest_event(const SnapshotDevice& device, EventIndex first, EventIndex last,
                         const BandLayout* layout = nullptr);

/// Draws the active allocations at each moment: as piles, sampled at the middle of each row, or at the
/// positions of `layout`. If several bands share a row, the row shows one of them. Piles are in the order of
/// AllocationIds. Rows above a pile are empty, but a single pile of less than half a row still fills the
/// lowest row. `layout` must belong to the device; null: stacked. O(allocations between the first and the
/// last moment + changes and cells * log of shown allocations).
MemoryRaster memory_raster(const SnapshotDevice& device, std::vector<EventIndex> moments, double low_bytes,
                           double bytes_per_row, std::uint32_t rows, const std::stop_token& stop = {},
                           const BandLayout* layout = nullptr);

}  // namespace kino
