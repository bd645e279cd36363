#include "core/trace/build/track_placing.hpp"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "core/base/messages/message.hpp"
#include "core/trace/build/track_order.hpp"

namespace kino {
namespace {

/// Whether the trace has HIP calls: "hipLaunchKernel", but not "hippo".
bool has_hip_calls(const StringTable& names) {
  return std::ranges::any_of(names, [](std::string_view name) { return is_function_of(name, "hip"); });
}

}  // namespace

std::vector<std::uint32_t> used_tracks(const TrackLanes& lanes, const GatheredPoints& points) {
  std::vector<std::uint32_t> used;
  const auto tracks = static_cast<std::uint32_t>(points.first_instant.size() - 1);
  used.reserve(tracks);
  for (std::uint32_t track = 0; track < tracks; ++track) {
    if (lanes.count(track) > 0 || points.has(track)) used.push_back(track);
  }
  return used;
}

std::vector<std::uint32_t> place_tracks(std::vector<std::uint32_t> used, const MergedIds& ids,
                                        const TrackRecords& records, const TrackLanes& lanes,
                                        const GatheredPoints& points, const JobInfo& job, Trace& trace) {
  TrackOrder order = order_tracks(ids.tracks(), used, ids.metadata(), job, has_hip_calls(trace.names));
  used = std::vector<std::uint32_t>();
  trace.processes = std::move(order.processes);
  trace.tracks = std::move(order.tracks);
  std::vector<std::uint32_t> final_track(ids.tracks().size(), index_of(kNoTrack));
  trace.rows.reserve(lanes.total());
  std::uint64_t slice = 0;
  LodRow lod;
  for (std::uint32_t i = 0; i < trace.tracks.size(); ++i) {
    const std::uint32_t id = order.sources[i];
    final_track[id] = i;
    const std::uint32_t slices = records.count(id);
    const std::span<const std::uint32_t> lengths = lanes.lengths(id, slices);
    Track& track = trace.tracks[i];
    track.first_row = static_cast<std::uint32_t>(trace.rows.size());
    track.row_count = static_cast<std::uint32_t>(lengths.size());
    track.first_instant = points.first_instant[id];
    track.instant_count = points.first_instant[id + 1] - points.first_instant[id];
    track.first_sample = points.first_sample[id];
    track.sample_count = points.first_sample[id + 1] - points.first_sample[id];
    if (!lanes.contents(id).empty()) track.contents = lanes.contents(id);
    // Among the host's counters, only the counter derived from [memory] events is known to be in bytes.
    const TrackClass track_class = ids.tracks()[id].track_class;
    track.bytes = track_class == TrackClass::gpu_counter ||
                  (track_class == TrackClass::counter && track.name == english(msg::memory_allocated));
    for (std::uint32_t lane = 0; lane < track.row_count; ++lane) {
      const std::uint32_t length = lengths[lane];
      trace.rows.push_back(Row{TrackId{i}, lane, static_cast<std::uint32_t>(slice), length, lod});
      slice += length;
      lod.longest_offset += LodIndex::longest_size(length);
      lod.busy_offset += LodIndex::busy_size(length);
    }
  }
  trace.lod.longest = Column<std::uint32_t>(lod.longest_offset);
  trace.lod.busy_prefix_ns = Column<std::int64_t>(lod.busy_offset);
  return final_track;
}

}  // namespace kino
