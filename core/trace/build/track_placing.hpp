// Creates the trace's tracks and rows: their order, and the positions of their slices.
#pragma once

#include <cstdint>
#include <vector>

#include "core/trace/build/gathered_points.hpp"
#include "core/trace/build/merged_ids.hpp"
#include "core/trace/build/track_lanes.hpp"
#include "core/trace/build/track_records.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Returns the tracks to show, as indices in ids.tracks(): those with slices, instants or samples.
std::vector<std::uint32_t> used_tracks(const TrackLanes& lanes, const GatheredPoints& points);

/// Creates the trace's processes, tracks and rows, and allocates its LOD index. Returns the trace's track for
/// each index in ids.tracks(); index_of(kNoTrack) for tracks that are not `used`. O(n log n) in the number of
/// tracks.
std::vector<std::uint32_t> place_tracks(std::vector<std::uint32_t> used, const MergedIds& ids,
                                        const TrackRecords& records, const TrackLanes& lanes,
                                        const GatheredPoints& points, const JobInfo& job, Trace& trace);

}  // namespace kino
