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

/// By number of ids.tracks(): where flow ends of that track find slices. What class an end's (pid, tid) has
/// cannot be told from its own category: one where no CPU slice lies is a stream.
std::vector<TrackId> flow_places(const MergedIds& ids, std::span<const std::uint32_t> final_track,
                                 const Trace& trace) {
  std::vector<TrackId> places;
  places.reserve(final_track.size());
  for (std::uint32_t i = 0; i < final_track.size(); ++i) {
    TrackId place{final_track[i]};
    if (place == kNoTrack || trace.track(place).row_count == 0) {
      const TrackTable::Key key = ids.tracks()[i];
      const std::uint32_t stream = ids.track_of({TrackClass::gpu, key.pid, key.tid});
      if (stream < final_track.size()) place = TrackId{final_track[stream]};
    }
    places.push_back(place);
  }
  return places;
}

/// The ac2g flows whose ids are correlation ids of launches: which ids have a start and which have an end.
class LaunchFlows {
 public:
  /// `launch_ids` are SliceCounts'.
  LaunchFlows(const std::vector<std::vector<std::uint32_t>>& launch_ids, const Trace& trace)
      : launches_(count_of(launch_ids)), seen_(launches_.places()), category_(trace.categories.find("ac2g")) {
    for (const auto& of_group : launch_ids) {
      for (const std::uint32_t id : of_group) launches_.add({id, kNoSlice});
    }
  }

  /// Whether a link by correlation takes the place of this flow, whose category is the trace's.
  bool replace(const FlowPoint& flow) const { return place_of(flow) < launches_.places(); }
  /// Marks the id of a flow that is replaced. Threads may call this at once.
  void mark(const FlowPoint& flow) {
    const std::size_t place = place_of(flow);
    if (place < launches_.places())
      std::atomic_ref(seen_[place]).fetch_or(side_of(flow), std::memory_order_relaxed);
  }
  /// Whether the id of a flow that is replaced has a start and an end. Needs all marks.
  bool has_both(const FlowPoint& flow) const { return seen_[place_of(flow)] == (kStart | kEnd); }

 private:
  static constexpr std::uint8_t kStart = 1;
  static constexpr std::uint8_t kEnd = 2;

  static std::size_t count_of(const std::vector<std::vector<std::uint32_t>>& launch_ids) {
    std::size_t count = 0;
    for (const auto& of_group : launch_ids) count += of_group.size();
    return count;
  }
  static std::uint8_t side_of(const FlowPoint& flow) { return flow.phase == 's' ? kStart : kEnd; }
  std::size_t place_of(const FlowPoint& flow) const {
    if (index_of(flow.category) != category_ || flow.id > UINT32_MAX) return launches_.places();
    return launches_.place_of(static_cast<std::uint32_t>(flow.id));
  }

  LaunchTable launches_;
  Column<std::uint8_t> seen_;  // by place: kStart, kEnd
  std::uint32_t category_;
};

/// Calls `take` with the flows of a batch that count, with the trace's ids. `release` gives their memory
/// back.
template <class Take>
void for_each_flow(EventBatch& batch, std::size_t number, const MergedIds& ids, bool release,
                   const std::stop_token& stop, const Take& take) {
  for (auto& block : batch.flows.blocks()) {
    if (stop.stop_requested()) return;
    for (const FlowPoint& record : block.span()) {
      if (ids.counts(number, record.source_offset)) take(ids.translated(number, record));
    }
    if (release) block.records = {};
  }
}

}  // namespace

std::vector<RecordList<FlowPoint>> keep_flows(std::span<EventBatch> batches, const MergedIds& ids,
                                              std::vector<std::vector<std::uint32_t>> launch_ids,
                                              const Trace& trace, DamageLog& damage, unsigned threads,
                                              const std::stop_token& stop) {
  LaunchFlows launch_flows(launch_ids, trace);
  launch_ids = {};
  parallel_for(threads, batches.size(), stop, [&](std::size_t b, unsigned) {
    for_each_flow(batches[b], b, ids, false, stop, [&](const FlowPoint& flow) { launch_flows.mark(flow); });
  });
  std::vector<RecordList<FlowPoint>> kept(batches.size());
  std::vector<DamageLog> notes(batches.size());
  parallel_for(threads, kept.size(), stop, [&](std::size_t b, unsigned) {
    for_each_flow(batches[b], b, ids, true, stop, [&](const FlowPoint& flow) {
      if (!launch_flows.replace(flow)) {
        kept[b].push_back(flow);
      } else if (!launch_flows.has_both(flow)) {
        notes[b].add(flow.phase == 's' ? DamageReason::launch_flow_start : DamageReason::launch_flow_end,
                     flow.source_offset, "");
      }
    });
    batches[b].flows.clear();
  });
  for (const DamageLog& of_batch : notes) damage.merge(of_batch);
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
