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

/// Those that count of all batches, with the trace's ids, in the order of `before`.
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

/// Where the records of each track begin among all, which are sorted by track; and the end.
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
  InstantColumns& instants = trace.instants;
  const std::size_t count = points.instants.size();
  instants.time_ns = Column<std::int64_t>(count);
  instants.source_offset = Column<std::uint64_t>(count);
  instants.name = Column<NameId>(count);
  instants.category = Column<CategoryId>(count);
  for (std::size_t i = 0; i < count; ++i) {
    const PointRecord& record = points.instants[i];
    instants.time_ns[i] = record.time_ns - origin_ns;
    instants.source_offset[i] = record.source_offset;
    instants.name[i] = NameId{record.name};
    instants.category[i] = CategoryId{record.category};
    name_kinds.note(record.name, SliceKind::other);
  }
  points.instants = std::vector<PointRecord>();
  SampleColumns& samples = trace.samples;
  samples.time_ns = Column<std::int64_t>(points.samples.size());
  samples.value = Column<double>(points.samples.size());
  for (std::size_t i = 0; i < points.samples.size(); ++i) {
    samples.time_ns[i] = points.samples[i].time_ns - origin_ns;
    samples.value[i] = points.samples[i].value;
  }
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
  arguments.memory_time_ns = Column<std::int64_t>(all.size());
  arguments.memory_bytes = Column<std::int64_t>(all.size());
  arguments.memory_address = Column<std::uint64_t>(all.size());
  arguments.memory_track = Column<TrackId>(all.size());
  arguments.memory_device = Column<std::uint32_t>(all.size());
  arguments.memory_total_bytes = Column<std::int64_t>(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    arguments.memory_time_ns[i] = all[i].time_ns - origin_ns;
    arguments.memory_bytes[i] = all[i].bytes;
    arguments.memory_address[i] = all[i].address;
    arguments.memory_track[i] = TrackId{final_track[all[i].track]};
    arguments.memory_device[i] = all[i].device;
    arguments.memory_total_bytes[i] = all[i].total_bytes;
  }
}

}  // namespace kino
