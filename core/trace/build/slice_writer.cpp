#include "core/trace/build/slice_writer.hpp"

#include <algorithm>
#include <cstddef>

#include "core/base/parallel.hpp"
#include "core/trace/build/lanes.hpp"
#include "core/trace/build/operator_owners.hpp"
#include "core/trace/event_facts.hpp"

namespace kino {
namespace {

SliceColumns columns_for(std::size_t slices) {
  SliceColumns columns;
  columns.start_ns = Column<std::int64_t>(slices);
  columns.duration_ns = Column<std::int64_t>(slices);
  columns.source_offset = Column<std::uint64_t>(slices);
  columns.name = Column<NameId>(slices);
  columns.parent = Column<SliceId>(slices);
  columns.link = Column<SliceId>(slices);
  columns.category = Column<CategoryId>(slices);
  columns.kind = Column<SliceKind>(slices);
  return columns;
}

class SliceWriter {
 public:
  SliceWriter(TrackRecords& records, const RecordKinds& kinds, std::int64_t origin_ns, NameKinds& name_kinds,
              Trace& trace, Column<std::uint32_t>& external_ids, const std::stop_token& stop)
      : records_(records),
        kinds_(kinds),
        origin_ns_(origin_ns),
        name_kinds_(name_kinds),
        trace_(trace),
        external_ids_(external_ids),
        stop_(stop),
        join_autograd_(trace.categories.find(kAutogradFlow) == StringTable::kAbsent) {}

  void write_track(std::uint32_t track, Track& placed, SliceFindings& found) {
    const std::span<const Row> rows(trace_.rows.data() + placed.first_row, placed.row_count);
    std::vector<std::uint32_t> next(rows.size());
    for (std::size_t lane = 0; lane < rows.size(); ++lane) next[lane] = rows[lane].first_slice;
    const std::span<const SliceRecord> records = records_.of(track);
    LaneAssigner lanes;
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (i % kCancelStride == 0) {
        if (stop_.stop_requested()) return;
        // Release from the track's start each time. Only whole pages are released, so pages that were partly
        // read before would otherwise remain.
        records_.records.release(records_.begin[track], records_.begin[track] + i);
      }
      const SliceRecord& record = records[i];
      const std::uint32_t id = next[record.track]++;
      const LaneAssigner::Placement placement =
          lanes.place(record.start_ns, record.start_ns + record.duration_ns, id);
      placed.spilled_count += placement.spilled ? 1 : 0;
      if (placement.spilled && placed.kind != TrackKind::async) {
        ++found.spilled;
        found.first_spill_offset = std::min(found.first_spill_offset, record.source_offset);
      }
      const SliceKind kind = kinds_.kind_of(record, track);
      write(record, kind, SliceId{id}, SliceId{placement.parent});
      find_relations(record, kind, SliceId{id}, found);
    }
    for (const Row& row : rows)
      trace_.lod.build_row(row.lod, trace_.slices.duration_ns.sub(row.first_slice, row.slice_count));
  }

 private:
  void write(const SliceRecord& record, SliceKind kind, SliceId slice, SliceId parent) {
    SliceColumns& slices = trace_.slices;
    const std::uint32_t id = index_of(slice);
    slices.start_ns[id] = record.start_ns - origin_ns_;
    slices.duration_ns[id] = record.duration_ns;
    slices.source_offset[id] = record.source_offset;
    slices.name[id] = NameId{record.name};
    slices.parent[id] = parent;
    slices.link[id] = kNoSlice;
    slices.category[id] = CategoryId{record.category};
    slices.kind[id] = kind;
    external_ids_[id] = record.external_id;
    if (record.facts != 0) trace_.arguments.facts[id] = record.facts;
    name_kinds_.note(record.name, kind);
  }

  void find_relations(const SliceRecord& record, SliceKind kind, SliceId slice, SliceFindings& found) {
    if (record.external_id != 0 && kind == SliceKind::runtime &&
        has_foreign_external_id(trace_, external_ids_, slice))
      found.foreign_external_ids.push_back({record.external_id, slice});
    if (record.correlation == 0) return;
    if (kind == SliceKind::cpu_op && join_autograd_)
      found.numbered.push_back({record.correlation, record.forward_thread, slice});
    if (kinds_.is_launch(record)) {
      found.launches.push_back({record.correlation, slice});
    } else if (is_on_gpu(kind)) {
      found.gpu_work.push_back({record.correlation, slice});
    }
  }

  TrackRecords& records_;
  const RecordKinds& kinds_;
  const std::int64_t origin_ns_;
  NameKinds& name_kinds_;
  Trace& trace_;
  Column<std::uint32_t>& external_ids_;
  const std::stop_token& stop_;
  const bool join_autograd_;
};

}  // namespace

WrittenSlices write_slices(TrackRecords records, std::span<const std::uint32_t> final_track,
                           const RecordKinds& kinds, std::int64_t origin_ns, NameKinds& name_kinds,
                           Trace& trace, unsigned threads, const std::stop_token& stop) {
  const std::size_t count = records.records.size();
  trace.slices = columns_for(count);
  if (trace.arguments.texts.size() > 1) trace.arguments.facts = Column<std::uint32_t>(count);
  WrittenSlices written{std::vector<SliceFindings>(threads), Column<std::uint32_t>(count)};
  SliceWriter writer(records, kinds, origin_ns, name_kinds, trace, written.external_ids, stop);
  const std::vector<std::uint32_t> order = records.largest_first();
  parallel_for(threads, order.size(), stop, [&](std::size_t i, unsigned worker) {
    writer.write_track(order[i], trace.tracks[final_track[order[i]]], written.findings[worker]);
  });
  return written;
}

}  // namespace kino
