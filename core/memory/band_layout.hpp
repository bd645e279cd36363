// Arrangement of a snapshot's allocations in its plot: grouped, in lanes, or by address.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include "core/memory/snapshot.hpp"

namespace kino {

/// In the order in which the key binding cycles through them.
enum class PlotLayout : std::uint8_t {
  stacked,     ///< one pile, as in memory_viz
  by_stack,    ///< one pile per stack; the next three are similar
  by_stream,   ///< ...
  by_pool,     ///< ...
  by_segment,  ///< ...
  lanes,       ///< each allocation stays at one height for its life, if there is room
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
  std::uint64_t begin = 0;   ///< bytes from the bottom of the plot
  std::uint64_t height = 0;  ///< excludes the gap before the next strip
  std::uint64_t bytes = 0;   ///< peak of active bytes; for addresses: bytes that are ever reserved
  StackId stack = kNoStack;  ///< by_stack
  std::uint16_t stream = 0;  ///< by_stream, by_segment, addresses
  std::uint16_t pool = 0;    ///< by_pool, by_segment, addresses
  std::uint64_t addr = 0;    ///< by_segment
  std::uint32_t groups = 1;  ///< above 1: all smaller groups together
  bool of_free = false;      ///< by_stack: the stack is that of the frees; see AllocationOrigin::freed_only
  bool outside = false;      ///< by_segment, addresses: allocations outside of segments
};

/// A reserved address range and its position in the plot.
struct ReservedBox {
  std::uint64_t place = 0;  ///< bytes from the bottom
  std::uint64_t size = 0;
  EventIndex begin = kBeforeRecording;
  EventIndex end = kNever;
};

/// Immutable once made.
struct BandLayout {
  PlotLayout kind = PlotLayout::stacked;
  std::size_t device = 0;               ///< set by the caller; band_layout() leaves it 0
  std::vector<std::uint16_t> strip_of;  ///< for grouped layouts, by allocation: its strip
  std::vector<std::uint64_t> place_of;  ///< for lanes and addresses, by allocation: bytes from the bottom
  std::vector<BandStrip> strips;        ///< from the bottom up, the largest at the top
  std::vector<ReservedBox> reserved;    ///< for addresses
  std::uint64_t height = 0;             ///< bytes
  std::vector<std::uint8_t> among;      ///< by allocation, 1: shown; empty: all are shown
  std::size_t among_count = 0;          ///< number of shown allocations
  CurvePyramid shown;                   ///< active bytes of the shown allocations, if not all are shown
  std::size_t size_bytes() const;
  bool filtered() const { return !among.empty(); }
};

/// Number of groups with a strip of their own; the others share one.
inline constexpr std::size_t kMostStrips = 16;

/// Groups are ranked by their peak over the whole recording, so that strips stay in place while the view
/// moves. O(allocations + entries), times log for lanes, and for allocations outside of segments.
BandLayout band_layout(const SnapshotDevice& device, PlotLayout kind, const std::stop_token& stop = {});
/// Returns the layout of these allocations only.
BandLayout band_layout(const SnapshotDevice& device, PlotLayout kind, std::span<const AllocationId> only,
                       const std::stop_token& stop = {});

/// Returns active bytes of the allocations that the layout shows, like curve_over().
CurveExtent shown_over(const SnapshotDevice& device, const BandLayout* layout, EventIndex first,
                       EventIndex last);

}  // namespace kino
