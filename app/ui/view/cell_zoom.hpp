// Zooms into a pixel so that the slices in it become distinguishable.
#pragma once

#include "core/trace/timeline/stream_packing.hpp"
#include "render/time_view.hpp"

namespace kino {

inline constexpr std::uint32_t kMaxSeparated = 64;
/// Returns the extent of the row's slices that overlap the pixel around `px`. If there are more than
/// kMaxSeparated, only the slices nearest to the pixel's middle are included. Empty if there are none. O(log
/// slices).
TimeRange separating_range(const ShownRows& rows, RowId row, const TimeView& view, double px);

}  // namespace kino
