// An implicit level-of-detail pyramid over the rows: finds the longest slice and the busy time of a range of
// slices.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/huge_memory.hpp"

namespace kino {

/// Offsets of one row's part of the index.
struct LodRow {
  std::uint64_t longest_offset = 0;  ///< into LodIndex::longest
  std::uint64_t busy_offset = 0;     ///< into LodIndex::busy_prefix_ns
};

/// Contains for each row a 16-ary tree of the longest slice per block (4/15 B per slice), and a prefix sum of
/// busy time every 64 slices (1/8 B per slice). Slices of a row are disjoint and in order of start.
struct LodIndex {
  static constexpr std::uint32_t kFanOut = 16;
  static constexpr std::uint32_t kBusyStride = 64;

  Column<std::uint32_t> longest;        ///< index of the slice within its row; finest level first
  Column<std::int64_t> busy_prefix_ns;  ///< element k: busy time of the row's first k * kBusyStride slices

  /// Returns the number of entries of `longest` for a row of `slice_count` slices.
  static std::uint64_t longest_size(std::uint64_t slice_count);
  /// Returns the number of entries of `busy_prefix_ns` for a row of `slice_count` slices.
  static std::uint64_t busy_size(std::uint64_t slice_count);
  /// Fills one row's part of the index. `duration_ns` are the row's durations. O(n). Rows may be built in
  /// parallel.
  void build_row(LodRow row, std::span<const std::int64_t> duration_ns);
  /// Returns the index within the row of the longest slice of [first, last), the first on ties. Requires
  /// first < last. O(log n).
  std::uint32_t longest_in(LodRow row, std::span<const std::int64_t> duration_ns, std::uint32_t first,
                           std::uint32_t last) const;
  /// Returns the summed duration of the slices [first, last). O(kBusyStride).
  std::int64_t busy_in(LodRow row, std::span<const std::int64_t> duration_ns, std::uint32_t first,
                       std::uint32_t last) const;
};

}  // namespace kino
