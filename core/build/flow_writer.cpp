#include "core/build/flow_writer.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include "core/base/parallel.hpp"
#include "core/build/launch_table.hpp"

namespace kino {
namespace {

/// By number of ids.tracks(): where flow ends of that track find slices. What class an end's (pid, tid) has
/// cannot be told from its own category: one where no CPU slice lies is a stream.
std::vector<TrackId> flow_places(const MergedIds& ids, std::span<const std::uint32_t> final_track,
                                 const Trace& trace) {
  std::vector<TrackId> places;
  places.reserve(final_track.size());
  for (std::uint32_t i = 0; i < final_track.size(); ++i) {
    TrackId place{final_track[i]};
    if (place == kNoTrack || trace.tracks[index_of(place)].row_count == 0) {
      const TrackTable::Key key = ids.tracks()[i];
      const std::uint32_t stream = ids.track_of({TrackClass::gpu, key.pid, key.tid});
      if (stream < final_track.size()) place = TrackId{final_track[stream]};
    }
    places.push_back(place);
  }
  return places;
}

}  // namespace

std::vector<RecordList<FlowPoint>> keep_flows(std::span<EventBatch> batches, const MergedIds& ids,
                                              std::vector<std::vector<std::uint32_t>> launch_ids,
                                              const Trace& trace, unsigned threads,
                                              const std::stop_token& stop) {
  std::size_t launch_count = 0;
  for (const auto& of_group : launch_ids) launch_count += of_group.size();
  LaunchTable launches(launch_count);
  for (const auto& of_group : launch_ids) {
    for (const std::uint32_t id : of_group) launches.add({id, kNoSlice});
  }
  launch_ids = {};
  const std::uint32_t launch_category = trace.categories.find("ac2g");
  std::vector<RecordList<FlowPoint>> kept(batches.size());
  parallel_for(threads, kept.size(), stop, [&](std::size_t b, unsigned) {
    for (auto& block : batches[b].flows.blocks()) {
      if (stop.stop_requested()) return;
      for (const FlowPoint& record : block.span()) {
        if (!ids.counts(b, record.source_offset)) continue;
        const FlowPoint flow = ids.translated(b, record);
        const bool repeats = index_of(flow.category) == launch_category && flow.id <= UINT32_MAX &&
                             launches.contains(static_cast<std::uint32_t>(flow.id));
        if (!repeats) kept[b].push_back(flow);
      }
      block.records = {};
    }
    batches[b].flows.clear();
  });
  return kept;
}

void write_flows(std::vector<RecordList<FlowPoint>> flows, const MergedIds& ids,
                 std::span<const std::uint32_t> final_track, std::int64_t origin_ns, Trace& trace,
                 DamageLog& damage, unsigned threads, const std::stop_token& stop) {
  const bool any = std::ranges::any_of(flows, [](const auto& of_batch) { return of_batch.size() > 0; });
  const std::vector<TrackId> places = any ? flow_places(ids, final_track, trace) : std::vector<TrackId>();
  RecordList<FlowPoint> points;
  for (RecordList<FlowPoint>& of_batch : flows) {
    for (auto& block : of_batch.blocks()) {
      for (FlowPoint flow : block.span()) {
        flow.time_ns -= origin_ns;
        flow.track = places[index_of(flow.track)];
        points.push_back(flow);
      }
      block.records = {};
    }
  }
  flows.clear();
  trace.flows = resolve_flows(trace, points, threads, stop, damage);
}

void write_autograd(std::vector<NumberedOperator> numbered, Trace& trace, const std::stop_token& stop) {
  if (numbered.empty() || stop.stop_requested()) return;
  const auto pairs = autograd_pairs(trace, std::move(numbered));
  if (pairs.empty() || trace.categories.size() >= std::numeric_limits<std::uint16_t>::max()) return;
  const auto category = static_cast<std::uint16_t>(trace.categories.intern(kAutogradFlow));
  trace.flows = with_arrows(std::move(trace.flows), pairs, CategoryId{category});
}

}  // namespace kino
