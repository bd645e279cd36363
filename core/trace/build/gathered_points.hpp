// Records of the batches that are not slices: instants, counter samples, and allocations.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/trace/build/event_batch.hpp"
#include "core/trace/build/merged_ids.hpp"
#include "core/trace/build/record_kinds.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Moves the points of `list` out of the batches. Returns the points that count (see MergedIds), with the
/// trace's ids, ordered by (track, time, file offset).
std::vector<PointRecord> gather_points(std::span<EventBatch> batches, const MergedIds& ids,
                                       RecordList<PointRecord> EventBatch::*list);

/// Instants and samples, ordered by (track, time, file offset). The vectors of first indices contain one more
/// element, the count.
struct GatheredPoints {
  std::vector<PointRecord> instants;
  std::vector<SampleRecord> samples;
  std::vector<std::uint32_t> first_instant;
  std::vector<std::uint32_t> first_sample;

  bool has(std::uint32_t track) const {
    return first_instant[track + 1] > first_instant[track] || first_sample[track + 1] > first_sample[track];
  }
};
/// Moves the instants and samples out of the batches. `unpaired` is SpanPairs::instants, which are added to
/// the instants.
GatheredPoints gather_points(std::span<EventBatch> batches, const MergedIds& ids,
                             std::vector<PointRecord> unpaired);

/// Writes Trace::instants and Trace::samples, with times relative to `origin_ns`. Frees the records, which
/// are larger than the columns.
void write_points(GatheredPoints& points, std::int64_t origin_ns, NameKinds& name_kinds, Trace& trace);

/// Computes the minimum and maximum of each counter. The samples of the trace's tracks must be complete.
void summarize_samples(Trace& trace);

/// Moves the allocations out of the batches into columns, in order of time. `final_track` contains the
/// trace's track for each index in ids.tracks().
void write_memory(std::span<EventBatch> batches, const MergedIds& ids,
                  std::span<const std::uint32_t> final_track, std::int64_t origin_ns, Trace& trace);

}  // namespace kino
