#include "core/trace/build/flow_writer.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "core/base/parallel.hpp"
#include "core/trace/build/launch_table.hpp"

namespace kino {
namespace {

/// Returns the track in which the slices of flow events are searched, by index in ids.tracks(). The category
/// of a flow event does not determine whether its (pid, tid) is a thread or a stream. If its track has no
/// slices, the stream of the same (pid, tid) is used, if there is one.
std::vector<TrackId> slice_tracks(const MergedIds& ids, std::span<const std::uint32_t> final_track,
                                  const Trace& trace) {
  std::vector<TrackId> tracks;
  tracks.reserve(final_track.size());
  for (std::uint32_t i = 0; i < final_track.size(); ++i) {
    TrackId track{final_track[i]};
    if (track == kNoTrack || trace.track(track).row_count == 0) {
      const TrackTable::Key key = ids.tracks()[i];
      const std::uint32_t stream = ids.track_of({TrackClass::gpu, key.pid, key.tid});
      if (stream < final_track.size()) track = TrackId{final_track[stream]};
    }
    tracks.push_back(track);
  }
  return tracks;
}

/// Identifies the ac2g flows whose ids are correlation ids of launches, and records whether each id has a
/// start and an end.
class LaunchFlows {
 public:
  /// `launch_ids` is SliceCounts::launch_ids.
  LaunchFlows(const std::vector<std::vector<std::uint32_t>>& launch_ids, const Trace& trace)
      : launches_(count_of(launch_ids)), seen_(launches_.places()), category_(trace.categories.find("ac2g")) {
    for (const auto& group_ids : launch_ids) {
      for (const std::uint32_t id : group_ids) launches_.add({id, kNoSlice});
    }
  }

  /// Whether a link by correlation replaces this flow, whose category must be an id of the trace.
  bool replace(const FlowPoint& flow) const { return place_of(flow) < launches_.places(); }
  /// Records the start or end of a flow that a link replaces; ignores other flows. Several threads may call
  /// this at the same time.
  void mark(const FlowPoint& flow) {
    const std::size_t index = place_of(flow);
    if (index < launches_.places())
      std::atomic_ref(seen_[index]).fetch_or(side_of(flow), std::memory_order_relaxed);
  }
  /// Whether the id of a replaced flow has a start and an end. All flows must have been marked.
  bool has_both(const FlowPoint& flow) const { return seen_[place_of(flow)] == (kStart | kEnd); }

 private:
  static constexpr std::uint8_t kStart = 1;
  static constexpr std::uint8_t kEnd = 2;

  static std::size_t count_of(const std::vector<std::vector<std::uint32_t>>& launch_ids) {
    std::size_t count = 0;
    for (const auto& group_ids : launch_ids) count += group_ids.size();
    return count;
  }
  static std::uint8_t side_of(const FlowPoint& flow) { return flow.phase == 's' ? kStart : kEnd; }
  std::size_t place_of(const FlowPoint& flow) const {
    if (index_of(flow.category) != category_ || flow.id > UINT32_MAX) return launches_.places();
    return launches_.place_of(static_cast<std::uint32_t>(flow.id));
  }

  LaunchTable launches_;
  Column<std::uint8_t> seen_;  // by index in launches_: kStart, kEnd
  std::uint32_t category_;
};

/// Calls `take` with the flows of a batch that count (see MergedIds), with ids of the trace. If `release` is
/// set, frees the memory of all flows of the batch.
template <class Take>
void for_each_flow(EventBatch& batch, std::size_t index, const MergedIds& ids, bool release,
                   const std::stop_token& stop, const Take& take) {
  for (auto& block : batch.flows.blocks()) {
    if (stop.stop_requested()) return;
    for (const FlowPoint& record : block.span()) {
      if (ids.counts(index, record.source_offset)) take(ids.translated(index, record));
    }
    if (release) block.records = {};
  }
}

}  // namespace

std::vector<RecordList<FlowPoint>> filter_flows(std::span<EventBatch> batches, const MergedIds& ids,
                                                std::vector<std::vector<std::uint32_t>> launch_ids,
                                                const Trace& trace, DamageLog& damage, unsigned threads,
                                                const std::stop_token& stop) {
  LaunchFlows launch_flows(launch_ids, trace);
  launch_ids = {};
  parallel_for(threads, batches.size(), stop, [&](std::size_t b, unsigned) {
    for_each_flow(batches[b], b, ids, false, stop, [&](const FlowPoint& flow) { launch_flows.mark(flow); });
  });
  std::vector<RecordList<FlowPoint>> retained(batches.size());
  std::vector<DamageLog> notes(batches.size());
  parallel_for(threads, retained.size(), stop, [&](std::size_t b, unsigned) {
    for_each_flow(batches[b], b, ids, true, stop, [&](const FlowPoint& flow) {
      if (!launch_flows.replace(flow)) {
        retained[b].push_back(flow);
      } else if (!launch_flows.has_both(flow)) {
        notes[b].add(flow.phase == 's' ? DamageReason::launch_flow_start : DamageReason::launch_flow_end,
                     flow.source_offset, "");
      }
    });
    batches[b].flows.clear();
  });
  for (const DamageLog& batch_notes : notes) damage.merge(batch_notes);
  return retained;
}

void write_flows(std::vector<RecordList<FlowPoint>> flows, const MergedIds& ids,
                 std::span<const std::uint32_t> final_track, std::int64_t origin_ns, Trace& trace,
                 DamageLog& damage, unsigned threads, const std::stop_token& stop) {
  const bool any = std::ranges::any_of(flows, [](const auto& batch_flows) { return batch_flows.size() > 0; });
  const std::vector<TrackId> tracks = any ? slice_tracks(ids, final_track, trace) : std::vector<TrackId>();
  RecordList<FlowPoint> points;
  for (RecordList<FlowPoint>& batch_flows : flows) {
    for (auto& block : batch_flows.blocks()) {
      for (FlowPoint flow : block.span()) {
        flow.time_ns -= origin_ns;
        flow.track = tracks[index_of(flow.track)];
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
