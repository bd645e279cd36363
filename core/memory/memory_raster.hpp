// Which allocation lies at which pixel of the plot of active memory over time: exact, with every allocation.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "core/memory/band_layout.hpp"
#include "core/memory/snapshot.hpp"

namespace kino {

/// What allocations have in common that are highlighted together and share a colour: the stack, or without
/// one the size. 30 bits; bit 29 tells a size.
std::uint32_t band_group(const Allocations& allocations, AllocationId id);
/// What makes a row of a table by stack: its band_group(), apart from those whose stack is that of the free.
std::uint64_t stack_row(const Allocations& allocations, AllocationId id);
inline constexpr std::uint32_t kNoBandGroup = 0x3fffffffU;

/// One pixel.
struct MemoryCell {
  std::uint32_t allocation = 0;                           ///< its number + 1; 0: none lies here
  std::uint32_t key = 0;                                  ///< its band_group(), and the two flags
  static constexpr std::uint32_t kOlder = 0x80000000U;    ///< older than the recording
  static constexpr std::uint32_t kPending = 0x40000000U;  ///< its free is requested, not completed
  /// Without an allocation the key is 0, or tells neighbouring segments apart: reserved, but free.
  static constexpr std::uint32_t kSegments = 0x1fffffffU;
  bool operator==(const MemoryCell&) const = default;
};

/// A column shows the state after this event; kNoMoment: nothing, because it lies outside of the recording.
inline constexpr EventIndex kNoMoment = INT32_MIN;

struct MemoryRaster {
  std::vector<EventIndex> moments;  ///< one a column, ascending but for kNoMoment
  double low_bytes = 0;             ///< at the bottom edge
  double bytes_per_row = 1;
  std::uint32_t rows = 0;
  std::vector<MemoryCell> cells;  ///< column by column, each from the bottom up

  std::size_t columns() const { return moments.size(); }
  const MemoryCell& at(std::size_t column, std::uint32_t row) const { return cells[column * rows + row]; }
};

/// The first of the events [first, last] after which most memory is active, of what `layout` shows: what a
/// pixel column shows that covers them all, so that no peak is lost at any zoom. O(log n *
/// CurvePyramid::kBlock).
EventIndex highest_event(const SnapshotDevice& device, EventIndex first, EventIndex last,
                         const BandLayout* layout = nullptr);

/// Arranges at each of `moments` all allocations that are active then, and says which of them lies over the
/// middle of each row; bands thinner than a row light it together. A pile has them in the order of their
/// numbers; rows beyond it are empty, but a single pile lower than half a row still lights the lowest one.
/// `layout` is of the device; null: stacked. Empty when stopped. O(allocations between the first and the last
/// moment + changes and cells * log of what is ever seen).
MemoryRaster memory_raster(const SnapshotDevice& device, std::vector<EventIndex> moments, double low_bytes,
                           double bytes_per_row, std::uint32_t rows, const std::stop_token& stop = {},
                           const BandLayout* layout = nullptr);

}  // namespace kino
