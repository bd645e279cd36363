// Records of the batches that are no slices: instants, samples of counters, and allocations.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/trace/build/event_batch.hpp"
#include "core/trace/build/merged_ids.hpp"
#include "core/trace/build/record_kinds.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// With the trace's ids, ordered by track, time, place in the file. The batches' own are gone afterwards.
std::vector<PointRecord> gather_points(std::span<EventBatch> batches, const MergedIds& ids,
                                       RecordList<PointRecord> EventBatch::*list);

/// Ordered by track, time, place in the file; where those of each track begin, and the end.
struct GatheredPoints {
  std::vector<PointRecord> instants;
  std::vector<SampleRecord> samples;
  std::vector<std::uint32_t> first_instant;
  std::vector<std::uint32_t> first_sample;

  bool has(std::uint32_t track) const {
    return first_instant[track + 1] > first_instant[track] || first_sample[track + 1] > first_sample[track];
  }
};
/// `unpaired` are ends of spans that have no begin. The batches' own are gone afterwards.
GatheredPoints gather_points(std::span<EventBatch> batches, const MergedIds& ids,
                             std::vector<PointRecord> unpaired);

/// Into the trace's columns, in its ns from `origin_ns`; the records, which are larger, are gone afterwards.
void write_points(GatheredPoints& points, std::int64_t origin_ns, NameKinds& name_kinds, Trace& trace);

/// The least and the greatest value of each counter. The trace's tracks know their samples.
void summarize_samples(Trace& trace);

/// What the profiler recorded of allocations, by time; the batches' own are gone afterwards. `final_track`:
/// by number of ids.tracks() the trace's track.
void write_memory(std::span<EventBatch> batches, const MergedIds& ids,
                  std::span<const std::uint32_t> final_track, std::int64_t origin_ns, Trace& trace);

}  // namespace kino
