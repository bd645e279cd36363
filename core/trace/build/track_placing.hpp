// The trace's tracks and rows: which there are, in which order, and where their slices will lie.
#pragma once

#include <cstdint>
#include <vector>

#include "core/trace/build/gathered_points.hpp"
#include "core/trace/build/merged_ids.hpp"
#include "core/trace/build/track_lanes.hpp"
#include "core/trace/build/track_records.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Which tracks are shown: those with slices, instants or samples.
std::vector<std::uint32_t> used_tracks(const TrackLanes& lanes, const GatheredPoints& points);

/// Makes the trace's processes, tracks and rows, with room for its LOD. By number of ids.tracks() the trace's
/// track; index_of(kNoTrack) for one that is not `used`. O(n log n) of the tracks.
std::vector<std::uint32_t> place_tracks(std::vector<std::uint32_t> used, const MergedIds& ids,
                                        const TrackRecords& records, const TrackLanes& lanes,
                                        const GatheredPoints& points, const JobInfo& job, Trace& trace);

}  // namespace kino
