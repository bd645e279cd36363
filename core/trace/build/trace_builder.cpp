#include "core/trace/build/trace_builder.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "core/base/messages/message.hpp"
#include "core/base/parallel.hpp"
#include "core/trace/build/flow_writer.hpp"
#include "core/trace/build/gathered_points.hpp"
#include "core/trace/build/launch_links.hpp"
#include "core/trace/build/merged_ids.hpp"
#include "core/trace/build/operator_owners.hpp"
#include "core/trace/build/record_kinds.hpp"
#include "core/trace/build/slice_writer.hpp"
#include "core/trace/build/span_pairing.hpp"
#include "core/trace/build/time_bounds.hpp"
#include "core/trace/build/track_lanes.hpp"
#include "core/trace/build/track_placing.hpp"
#include "core/trace/build/track_records.hpp"

namespace kino {
namespace {

/// Returns the bounds of all records that count (see MergedIds). `spans`: the starts and ends that count.
TimeBounds bounds_of(std::span<const EventBatch> batches, const MergedIds& ids,
                     std::span<const PointRecord> spans, const std::stop_token& stop) {
  TimeBounds bounds;
  for (std::size_t b = 0; b < batches.size(); ++b) {
    TimeBounds::Skip skip;
    if (!ids.all_count()) skip = [&ids, b](std::uint64_t offset) { return !ids.counts(b, offset); };
    bounds.add(batches[b], skip, stop);
  }
  for (const PointRecord& record : spans) bounds.add(record.time_ns, record.source_offset);
  bounds.finish();
  return bounds;
}

SpanPairs pair_spans(std::span<const PointRecord> spans, const TimeBounds& bounds, BuildInput& input,
                     Trace& trace) {
  if (spans.empty()) return {};
  SpanPairs pairs = pair_spans_of(spans, bounds.content_end_ns());
  trace.paired_slices = pairs.matched + pairs.damage.count(DamageReason::begin_without_end);
  trace.async_slices = pairs.async_matched + pairs.damage.count(DamageReason::async_without_end);
  const std::uint64_t unpaired = pairs.damage.count(DamageReason::end_without_begin);
  input.counts[EventType::end] -= unpaired;
  input.counts[EventType::dropped] += unpaired;
  input.damage.merge(pairs.damage);
  return pairs;
}

void note_overlaps(std::span<const SliceFindings> findings, const CutCalls& cut, DamageLog& damage) {
  std::uint64_t spilled = cut.count;
  std::uint64_t first = cut.first_offset;
  for (const SliceFindings& found : findings) {
    spilled += found.spilled;
    first = std::min(first, found.first_spill_offset);
  }
  damage.add(DamageReason::overlap_spilled, first, "", spilled);
}

std::vector<NumberedOperator> all_numbered(std::span<const SliceFindings> findings) {
  std::vector<NumberedOperator> all;
  for (const SliceFindings& found : findings)
    all.insert(all.end(), found.numbered.begin(), found.numbered.end());
  return all;
}

/// Fills the members of the trace that describe it as a whole.
void finish(BuildInput& input, const TimeBounds& bounds, const NameKinds& name_kinds, Trace& trace) {
  trace.name_kind = name_kinds.kinds();
  trace.origin_unix_ns = bounds.origin_ns() + input.base_time_ns;
  trace.base_time_ns = input.base_time_ns;
  trace.range = bounds.range();
  trace.content = bounds.content();
  if (bounds.outliers() > 0)
    input.damage.add(DamageReason::far_outlier, bounds.first_outlier_offset(), "", bounds.outliers());
  input.damage.settle_missing_brackets();
  input.damage.fill_samples(input.sample_at);
  trace.counts = input.counts;
  trace.damage = std::move(input.damage);
  trace.job = std::move(input.job);
}

}  // namespace

// Runs the phases in order and passes the result of each one to the next. Each phase consumes its input, so
// that little memory is held twice at any time.
Result<std::shared_ptr<const Trace>> build_trace(BuildInput&& input, const std::stop_token& stop) {
  const unsigned threads = thread_count_or_default(input.threads);
  const std::shared_ptr<Trace> trace = std::make_shared<Trace>();
  std::vector<EventBatch> batches = std::move(input.batches);
  const MergedIds ids(batches, std::move(input.discarded), input.decode, *trace);
  const RecordKinds kinds(*trace, ids);
  NameKinds name_kinds(trace->names.size());

  std::vector<PointRecord> spans = gather_points(batches, ids, &EventBatch::spans);
  const TimeBounds bounds = bounds_of(batches, ids, spans, stop);
  SpanPairs pairs = pair_spans(spans, bounds, input, *trace);
  spans = std::vector<PointRecord>();
  if (stop.stop_requested()) return cancelled(msg::loading);

  SliceCounts counts = count_slices(batches, pairs.slices, ids, kinds, threads, stop);
  if (counts.total >= index_of(kNoSlice))
    return Error{Error::Kind::too_large, msg::the_trace_has_too_many_slices};
  // Filter flows before the memory of the columns is allocated.
  std::vector<RecordList<FlowPoint>> flows =
      filter_flows(batches, ids, std::exchange(counts.launch_ids, {}), *trace, input.damage, threads, stop);
  TrackRecords records =
      scatter_slices(batches, std::move(pairs.slices), std::move(counts), ids, threads, stop);
  if (stop.stop_requested()) return cancelled(msg::loading);
  std::optional<TrackLanes> lanes(std::in_place, records, ids, kinds, trace->names, threads, stop);
  if (stop.stop_requested()) return cancelled(msg::loading);

  GatheredPoints points = gather_points(batches, ids, std::move(pairs.instants));
  write_points(points, bounds.origin_ns(), name_kinds, *trace);
  const std::vector<std::uint32_t> final_track =
      place_tracks(used_tracks(*lanes, points), ids, records, *lanes, points, input.job, *trace);
  const CutCalls cut_calls = lanes->cut_calls();
  lanes.reset();
  points = {};
  summarize_samples(*trace);
  if (input.on_indexing) input.on_indexing();

  WrittenSlices written = write_slices(std::move(records), final_track, kinds, bounds.origin_ns(), name_kinds,
                                       *trace, threads, stop);
  if (stop.stop_requested()) return cancelled(msg::loading);
  note_overlaps(written.findings, cut_calls, input.damage);
  std::vector<SliceId> shared_work = link_launches(written.findings, *trace, stop);
  write_owners(written, *trace, stop);
  std::vector<NumberedOperator> numbered = all_numbered(written.findings);
  written = {};
  write_flows(std::move(flows), ids, final_track, bounds.origin_ns(), *trace, input.damage, threads, stop);
  link_by_arrows(*trace, shared_work, stop);
  write_autograd(std::move(numbered), *trace, stop);
  trace->flows.launched = launch_index(*trace, std::move(shared_work));
  write_memory(batches, ids, final_track, bounds.origin_ns(), *trace);
  finish(input, bounds, name_kinds, *trace);
  if (stop.stop_requested()) return cancelled(msg::loading);
  return std::shared_ptr<const Trace>(trace);
}

}  // namespace kino
