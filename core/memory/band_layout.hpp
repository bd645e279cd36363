// Arrangement of a snapshot's allocations in its plot: grouped, in lanes, or by address.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include "core/memory/snapshot.hpp"

namespace kino {

/// Layouts, in the order in which the key binding cycles through them.
enum class PlotLayout : std::uint8_t {
  stacked,     ///< one pile, as in memory_viz
  by_stack,    ///< one pile per stack
  by_stream,   ///< one pile per stream
  by_pool,     ///< one pile per pool
  by_segment,  ///< one pile per segment
  lanes,       ///< each allocation remains at one height for its lifetime, if there is room
  addresses,   ///< by address, with the segments behind the allocations
};
inline constexpr std::size_t kPlotLayoutCount = static_cast<std::size_t>(PlotLayout::addresses) + 1;
std::string_view text_of(PlotLayout layout);
/// Returns whether the layout has one pile per group.
constexpr bool is_grouped(PlotLayout layout) {
  return layout >= PlotLayout::by_stack && layout <= PlotLayout::by_segment;
}

/// A horizontal strip of the plot for one group.
struct BandStrip {
  std::uint64_t begin = 0;   ///< distance from the bottom of the plot, in bytes
  std::uint64_t height = 0;  ///< excludes the gap before the next strip
  std::uint64_t bytes = 0;   ///< peak of active bytes; for addresses: bytes of all addresses ever reserved
  StackId stack = kNoStack;  ///< stack of the group, for by_stack
  std::uint16_t stream = 0;  ///< stream of the group, for by_stream, by_segment and addresses
  std::uint16_t pool = 0;    ///< pool of the group, for by_pool, by_segment and addresses
  std::uint64_t addr = 0;    ///< address of the segment, for by_segment
  std::uint32_t groups = 1;  ///< number of groups; above 1: all smaller groups share the strip
  bool of_free = false;      ///< by_stack: the stack is that of frees; see AllocationOrigin::freed_only
  bool outside = false;      ///< by_segment, addresses: whether the allocations are in no segment
};

/// A reserved address range and its position in the plot.
struct ReservedBox {
  std::uint64_t place = 0;  ///< bytes from the bottom
  std::uint64_t size = 0;
  EventIndex begin = kBeforeRecording;
  EventIndex end = kNever;
};

/// Layout of one device. Immutable once made.
struct BandLayout {
  PlotLayout kind = PlotLayout::stacked;
  std::size_t device = 0;               ///< set by the caller; band_layout() leaves it 0
  std::vector<std::uint16_t> strip_of;  ///< strip of each allocation, for grouped layouts
  std::vector<std::uint64_t> place_of;  ///< by allocation: bytes from the bottom, for lanes and addresses
  std::vector<BandStrip> strips;        ///< from the bottom up; the largest group is at the top
  std::vector<ReservedBox> reserved;    ///< reserved ranges, for addresses
  std::uint64_t height = 0;             ///< bytes
  std::vector<std::uint8_t> among;      ///< 1 for each shown allocation; empty: all are shown
  std::size_t among_count = 0;          ///< number of shown allocations
  CurvePyramid shown;                   ///< active bytes of the shown allocations; only if not all are shown
  std::size_t size_bytes() const;
  bool filtered() const { return !among.empty(); }
};

/// Number of groups with separate strips. If there are more groups, the others share one strip.
inline constexpr std::size_t kMostStrips = 16;

/// Arranges all allocations. Groups are ranked by their peak over the whole recording, so that strips remain
/// in place while the view moves. O(allocations + entries), times log for lanes, by_segment and addresses.
BandLayout band_layout(const SnapshotDevice& device, PlotLayout kind, const std::stop_token& stop = {});
/// Arranges only the allocations in `only`.
BandLayout band_layout(const SnapshotDevice& device, PlotLayout kind, std::span<const AllocationId> only,
                       const std::stop_token& stop = {});

/// Returns the extent of the active bytes of allocations that the layout shows, like curve_over().
CurveExtent shown_over(const SnapshotDevice& device, const BandLayout* layout, EventIndex first,
                       EventIndex last);

}  // namespace kino
