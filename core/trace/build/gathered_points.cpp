#include "core/trace/build/gathered_points.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <tuple>

#include "core/base/run_merge_sort.hpp"

namespace kino {
namespace {

template <class Record>
bool point_before(const Record& a, const Record& b) {
  return std::tie(a.track, a.time_ns, a.source_offset) < std::tie(b.track, b.time_ns, b.source_offset);
}

/// Returns the records of all batches that count (see MergedIds), with the trace's ids, sorted by `before`.
/// Clears `list`.
template <class Record, class List, class Before>
std::vector<Record> gather(std::span<EventBatch> batches, const MergedIds& ids, List list, Before before) {
  std::vector<Record> all;
  std::size_t total = 0;
  for (const EventBatch& batch : batches) total += (batch.*list).size();
  all.reserve(total);
  for (std::size_t b = 0; b < batches.size(); ++b) {
    for (const auto& block : (batches[b].*list).blocks()) {
      for (const Record& record : block.span()) {
        if (ids.counts(b, record.source_offset)) all.push_back(ids.translated(b, record));
      }
    }
    (batches[b].*list).clear();
  }
  run_merge_sort(all.data(), all.size(), before);
  return all;
}

/// Returns the index of the first record of each track and, last, the count. The records are sorted by track.
template <class Record>
std::vector<std::uint32_t> begins_of(const std::vector<Record>& records, std::uint32_t tracks) {
  std::vector<std::uint32_t> begins(tracks + 1, 0);
  for (const Record& record : records) ++begins[record.track + 1];
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  return begins;
}

}  // namespace

std::vector<PointRecord> gather_points(std::span<EventBatch> batches, const MergedIds& ids,
                                       RecordList<PointRecord> EventBatch::*list) {
  return gather<PointRecord>(batches, ids, list, point_before<PointRecord>);
}

GatheredPoints gather_points(std::span<EventBatch> batches, const MergedIds& ids,
                             std::vector<PointRecord> unpaired) {
  GatheredPoints points;
  points.instants = gather_points(batches, ids, &EventBatch::instants);
  if (!unpaired.empty()) {
    points.instants.insert(points.instants.end(), unpaired.begin(), unpaired.end());
    std::stable_sort(points.instants.begin(), points.instants.end(), point_before<PointRecord>);
  }
  points.samples = gather<SampleRecord>(batches, ids, &EventBatch::samples, point_before<SampleRecord>);
  points.first_instant = begins_of(points.instants, ids.tracks().size());
  points.first_sample = begins_of(points.samples, ids.tracks().size());
  return points;
}

void write_points(GatheredPoints& points, std::int64_t origin_ns, NameKinds& name_kinds, Trace& trace) {
  const auto time_ns = [&](const auto& record) { return record.time_ns - origin_ns; };
  trace.instants.time_ns = column_of(points.instants, time_ns);
  trace.instants.source_offset = column_of(points.instants, &PointRecord::source_offset);
  trace.instants.name =
      column_of(points.instants, [](const PointRecord& point) { return NameId{point.name}; });
  trace.instants.category =
      column_of(points.instants, [](const PointRecord& point) { return CategoryId{point.category}; });
  for (const PointRecord& point : points.instants) name_kinds.note(point.name, SliceKind::other);
  points.instants = std::vector<PointRecord>();
  trace.samples.time_ns = column_of(points.samples, time_ns);
  trace.samples.value = column_of(points.samples, &SampleRecord::value);
  points.samples = std::vector<SampleRecord>();
}

void summarize_samples(Trace& trace) {
  for (Track& track : trace.tracks) {
    if (track.sample_count == 0) continue;
    const auto values = trace.samples.value.sub(track.first_sample, track.sample_count);
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    track.min_value = *low;
    track.max_value = *high;
  }
}

void write_memory(std::span<EventBatch> batches, const MergedIds& ids,
                  std::span<const std::uint32_t> final_track, std::int64_t origin_ns, Trace& trace) {
  const auto before = [](const MemoryRecord& a, const MemoryRecord& b) {
    return std::tie(a.time_ns, a.source_offset) < std::tie(b.time_ns, b.source_offset);
  };
  const std::vector<MemoryRecord> all = gather<MemoryRecord>(batches, ids, &EventBatch::memory, before);
  ArgumentColumns& arguments = trace.arguments;
  arguments.memory_time_ns =
      column_of(all, [&](const MemoryRecord& record) { return record.time_ns - origin_ns; });
  arguments.memory_bytes = column_of(all, &MemoryRecord::bytes);
  arguments.memory_address = column_of(all, &MemoryRecord::address);
  arguments.memory_track =
      column_of(all, [&](const MemoryRecord& record) { return TrackId{final_track[record.track]}; });
  arguments.memory_device = column_of(all, &MemoryRecord::device);
  arguments.memory_total_bytes = column_of(all, &MemoryRecord::total_bytes);
}

}  // namespace kino
