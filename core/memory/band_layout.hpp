// How the bands of a snapshot's allocations are arranged in its plot: in groups, in lanes of their own, or as
// they lie in memory.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include "core/memory/snapshot.hpp"

namespace kino {

/// In the order of the key that goes through them.
enum class PlotLayout : std::uint8_t {
  stacked,     ///< one pile, as memory_viz has it
  by_stack,    ///< a pile a stack; so of the next three
  by_stream,   ///< ...
  by_pool,     ///< ...
  by_segment,  ///< ...
  lanes,       ///< each stays at one height for its life, where there is room
  addresses,   ///< as they lie in memory, with the segments behind
};
inline constexpr std::size_t kPlotLayoutCount = static_cast<std::size_t>(PlotLayout::addresses) + 1;
std::string_view text_of(PlotLayout layout);
/// Whether it has piles, one a group.
constexpr bool is_grouped(PlotLayout layout) {
  return layout >= PlotLayout::by_stack && layout <= PlotLayout::by_segment;
}

/// A stretch of the plot's height with what belongs together.
struct BandStrip {
  std::uint64_t begin = 0;   ///< bytes from the bottom of the plot
  std::uint64_t height = 0;  ///< the next strip begins behind it and a gap
  std::uint64_t bytes = 0;   ///< the most that is active in it at once; addresses: that are ever reserved
  StackId stack = kNoStack;  ///< by_stack
  std::uint16_t stream = 0;  ///< by_stream, by_segment, addresses
  std::uint16_t pool = 0;    ///< by_pool, by_segment, addresses
  std::uint64_t addr = 0;    ///< by_segment
  std::uint32_t groups = 1;  ///< more: all the smaller groups together
  bool of_free = false;      ///< by_stack: the stack is that of the frees; see AllocationOrigin::freed_only
  bool outside = false;      ///< by_segment, addresses: of allocations that lie in no segment
};

/// A range of addresses that was reserved, where the plot shows it.
struct ReservedBox {
  std::uint64_t place = 0;  ///< bytes from the bottom
  std::uint64_t size = 0;
  EventIndex begin = kBeforeRecording;
  EventIndex end = kNever;
};

/// Immutable once made.
struct BandLayout {
  PlotLayout kind = PlotLayout::stacked;
  std::size_t device = 0;               ///< for who asked; band_layout() leaves it 0
  std::vector<std::uint16_t> strip_of;  ///< by allocation, of grouped ones: its strip
  std::vector<std::uint64_t> place_of;  ///< by allocation, of lanes and addresses: bytes from the bottom
  std::vector<BandStrip> strips;        ///< from the bottom up, the largest at the top
  std::vector<ReservedBox> reserved;    ///< of addresses
  std::uint64_t height = 0;             ///< bytes
  std::vector<std::uint8_t> among;      ///< by allocation, 1: it is shown; empty: all are
  std::size_t among_count = 0;          ///< how many they are
  CurvePyramid shown;                   ///< of what is shown, where that is not all: active bytes
  std::size_t size_bytes() const;
  bool filtered() const { return !among.empty(); }
};

/// How many groups have a strip of their own; the others share one.
inline constexpr std::size_t kMostStrips = 16;

/// Groups are told apart by what they hold at most, over the whole recording, so that strips stay where they
/// are while the view moves. O(allocations + entries), times log for lanes, and for allocations outside of
/// the segments. Incomplete when stopped.
BandLayout band_layout(const SnapshotDevice& device, PlotLayout kind, const std::stop_token& stop = {});
/// The same with these allocations alone, as if there were no others.
BandLayout band_layout(const SnapshotDevice& device, PlotLayout kind, std::span<const AllocationId> only,
                       const std::stop_token& stop = {});

/// Active bytes of what the layout shows; as curve_over().
CurveExtent shown_over(const SnapshotDevice& device, const BandLayout* layout, EventIndex first,
                       EventIndex last);

}  // namespace kino
