// Where to zoom so that slices which share a pixel part.
#pragma once

#include "core/trace/timeline/stream_packing.hpp"
#include "render/time_view.hpp"

namespace kino {

/// The extent of the row's slices that touch the pixel around `px`; of more than kMostParted the ones nearest
/// in order to its middle. Empty where there is none. O(log slices).
inline constexpr std::uint32_t kMostParted = 64;
TimeRange parting_range(const ShownRows& rows, RowId row, const TimeView& view, double px);

}  // namespace kino
