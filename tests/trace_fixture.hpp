// Builds a small Trace by hand, for tests: rows of given slices, instants and counters, with the LOD index.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/trace.hpp"

namespace kino {

struct FixtureSlice {
  std::int64_t start_ns = 0;
  std::int64_t duration_ns = 0;
  std::uint32_t name = 0;  ///< spelled "name <number>" in the trace
};

struct FixtureSample {
  std::int64_t time_ns = 0;
  double value = 0;
};

/// Every row, list of instants and counter becomes a track of its own, in order of the calls.
class TraceFixture {
 public:
  /// Slices must be disjoint and in order of start. Returns the row they get.
  RowId add_row(std::vector<FixtureSlice> slices) {
    TrackParts parts;
    parts.kind = TrackKind::cpu_thread;
    parts.slices = std::move(slices);
    parts.has_row = true;
    tracks_.push_back(std::move(parts));
    return RowId{row_count_++};
  }

  /// Times must ascend.
  TrackId add_instants(std::vector<std::int64_t> times_ns) {
    TrackParts parts;
    parts.kind = TrackKind::cpu_thread;
    parts.instants = std::move(times_ns);
    tracks_.push_back(std::move(parts));
    return TrackId{static_cast<std::uint32_t>(tracks_.size() - 1)};
  }

  /// Times must ascend.
  TrackId add_counter(std::vector<FixtureSample> samples) {
    TrackParts parts;
    parts.kind = TrackKind::counter;
    parts.samples = std::move(samples);
    tracks_.push_back(std::move(parts));
    return TrackId{static_cast<std::uint32_t>(tracks_.size() - 1)};
  }

  void add_damage(DamageReason reason) { damage_.add(reason, 0, ""); }

  std::shared_ptr<const Trace> build() const {
    auto trace = std::make_shared<Trace>();
    trace->damage = damage_;
    allocate(*trace);
    Cursor next;
    for (const TrackParts& parts : tracks_) add_track(*trace, parts, next);
    trace->processes.push_back({"1", "process 1", false, 0, static_cast<std::uint32_t>(tracks_.size())});
    trace->content = trace->range;
    return trace;
  }

 private:
  struct TrackParts {
    TrackKind kind{};
    bool has_row = false;
    std::vector<FixtureSlice> slices;
    std::vector<std::int64_t> instants;
    std::vector<FixtureSample> samples;
  };

  /// Where the next element of each kind goes.
  struct Cursor {
    std::uint32_t slice = 0;
    std::uint32_t instant = 0;
    std::uint32_t sample = 0;
    LodRow lod;
    bool range_known = false;
  };

  void allocate(Trace& trace) const {
    std::size_t slices = 0;
    std::size_t instants = 0;
    std::size_t samples = 0;
    std::uint64_t longest = 0;
    std::uint64_t busy = 0;
    std::uint32_t names = 1;
    for (const TrackParts& parts : tracks_) {
      slices += parts.slices.size();
      instants += parts.instants.size();
      samples += parts.samples.size();
      longest += LodIndex::longest_size(parts.slices.size());
      busy += LodIndex::busy_size(parts.slices.size());
      for (const FixtureSlice& slice : parts.slices) names = std::max(names, slice.name + 1);
    }
    for (std::uint32_t i = 0; i < names; ++i) trace.names.intern("name " + std::to_string(i));
    trace.categories.intern("test");
    trace.name_kind.assign(names, SliceKind::other);
    trace.slices.start_ns = Column<std::int64_t>(slices);
    trace.slices.duration_ns = Column<std::int64_t>(slices);
    trace.slices.source_offset = Column<std::uint64_t>(slices);
    trace.slices.name = Column<NameId>(slices);
    trace.slices.parent = Column<SliceId>(slices);
    trace.slices.link = Column<SliceId>(slices);
    trace.slices.category = Column<CategoryId>(slices);
    trace.slices.kind = Column<SliceKind>(slices);
    trace.instants.time_ns = Column<std::int64_t>(instants);
    trace.instants.source_offset = Column<std::uint64_t>(instants);
    trace.instants.name = Column<NameId>(instants);
    trace.instants.category = Column<CategoryId>(instants);
    trace.samples.time_ns = Column<std::int64_t>(samples);
    trace.samples.value = Column<double>(samples);
    trace.lod.longest = Column<std::uint32_t>(longest);
    trace.lod.busy_prefix_ns = Column<std::int64_t>(busy);
  }

  static void extend_range(Trace& trace, Cursor& next, std::int64_t begin_ns, std::int64_t end_ns) {
    if (!next.range_known) trace.range = {begin_ns, end_ns};
    next.range_known = true;
    trace.range = {std::min(trace.range.begin_ns, begin_ns), std::max(trace.range.end_ns, end_ns)};
  }

  static void add_track(Trace& trace, const TrackParts& parts, Cursor& next) {
    Track track;
    track.kind = parts.kind;
    track.name = "track " + std::to_string(trace.tracks.size());
    track.tid = std::to_string(trace.tracks.size());
    track.first_row = static_cast<std::uint32_t>(trace.rows.size());
    track.row_count = parts.has_row ? 1 : 0;
    track.first_instant = next.instant;
    track.instant_count = static_cast<std::uint32_t>(parts.instants.size());
    track.first_sample = next.sample;
    track.sample_count = static_cast<std::uint32_t>(parts.samples.size());
    if (parts.has_row) add_row_of(trace, parts, next);
    for (const std::int64_t time_ns : parts.instants) {
      trace.instants.time_ns[next.instant++] = time_ns;
      extend_range(trace, next, time_ns, time_ns);
    }
    for (const FixtureSample& sample : parts.samples) {
      const bool first = next.sample == track.first_sample;
      track.min_value = first ? sample.value : std::min(track.min_value, sample.value);
      track.max_value = first ? sample.value : std::max(track.max_value, sample.value);
      trace.samples.time_ns[next.sample] = sample.time_ns;
      trace.samples.value[next.sample++] = sample.value;
      extend_range(trace, next, sample.time_ns, sample.time_ns);
    }
    trace.tracks.push_back(std::move(track));
  }

  static void add_row_of(Trace& trace, const TrackParts& parts, Cursor& next) {
    Row row;
    row.track = TrackId{static_cast<std::uint32_t>(trace.tracks.size())};
    row.first_slice = next.slice;
    row.slice_count = static_cast<std::uint32_t>(parts.slices.size());
    row.lod = next.lod;
    for (const FixtureSlice& slice : parts.slices) {
      trace.slices.start_ns[next.slice] = slice.start_ns;
      trace.slices.duration_ns[next.slice] = slice.duration_ns;
      trace.slices.name[next.slice] = NameId{slice.name};
      trace.slices.parent[next.slice] = kNoSlice;
      trace.slices.link[next.slice] = kNoSlice;
      trace.slices.kind[next.slice] = SliceKind::other;
      ++next.slice;
      extend_range(trace, next, slice.start_ns, slice.start_ns + slice.duration_ns);
    }
    trace.lod.build_row(row.lod, trace.slices.duration_ns.sub(row.first_slice, row.slice_count));
    next.lod.longest_offset += LodIndex::longest_size(row.slice_count);
    next.lod.busy_offset += LodIndex::busy_size(row.slice_count);
    trace.rows.push_back(row);
  }

  std::vector<TrackParts> tracks_;
  std::uint32_t row_count_ = 0;
  DamageLog damage_;
};

}  // namespace kino
