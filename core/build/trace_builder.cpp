#include "core/build/trace_builder.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <mutex>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/base/parallel.hpp"
#include "core/base/run_merge_sort.hpp"
#include "core/base/saturating.hpp"
#include "core/base/slice_set.hpp"
#include "core/base/step_words.hpp"
#include "core/build/lanes.hpp"
#include "core/build/slice_groups.hpp"
#include "core/build/span_pairing.hpp"
#include "core/build/time_bounds.hpp"
#include "core/build/track_order.hpp"
#include "core/build/xla_devices.hpp"
#include "core/trace/autograd_pairs.hpp"
#include "core/trace/event_facts.hpp"

namespace kino {
namespace {

/// Unlike `records = {}`, which keeps the memory of a vector.
template <class Records>
void give_back(Records& records) {
  records = Records();
}

void add_saturating(std::int64_t& sum, std::int64_t more) { sum = saturating_add(sum, more); }

bool slice_before(const SliceRecord& a, const SliceRecord& b) {
  if (a.start_ns != b.start_ns) return a.start_ns < b.start_ns;
  if (a.duration_ns != b.duration_ns) return a.duration_ns > b.duration_ns;
  return a.source_offset < b.source_offset;
}

/// A slice that a launch and its GPU work may share a correlation id with.
struct Correlated {
  std::uint32_t correlation;
  SliceId slice;
};

/// Launches by correlation id, in open addressing.
class LaunchTable {
 public:
  explicit LaunchTable(std::size_t launches) {
    std::size_t buckets = 16;
    while (buckets < 2 * launches) buckets *= 2;
    entries_ = Column<Correlated>(buckets);
  }
  /// Of several launches with one id, which is not 0, the earliest in row order counts.
  void add(const Correlated& launch) {
    Correlated& entry = entries_[slot_of(launch.correlation)];
    entry = {launch.correlation, entry.correlation == 0 ? launch.slice : std::min(entry.slice, launch.slice)};
  }
  bool contains(std::uint32_t correlation) const {
    return correlation != 0 && entries_[slot_of(correlation)].correlation == correlation;
  }
  /// The launch with this id, or kNoSlice.
  SliceId find(std::uint32_t correlation) const {
    return contains(correlation) ? entries_[slot_of(correlation)].slice : kNoSlice;
  }

 private:
  std::size_t slot_of(std::uint32_t correlation) const {
    const std::size_t mask = entries_.size() - 1;
    std::size_t i = (correlation * 0x9E3779B97F4A7C15ULL) >> 20 & mask;
    while (entries_[i].correlation != 0 && entries_[i].correlation != correlation) i = (i + 1) & mask;
    return i;
  }
  Column<Correlated> entries_;  // correlation 0: empty
};

/// What one thread collects while columns are written.
struct WorkerYield {
  std::vector<Correlated> launches;
  std::vector<Correlated> gpu_work;
  std::vector<Correlated> strangers;  // slices and an external id that is not their surroundings'
  std::vector<NumberedOperator> numbered;
  std::uint64_t spilled = 0;
  std::uint64_t first_spill_offset = kNoOffset;
};

class Builder {
 public:
  Builder(BuildInput&& input, std::stop_token stop)
      : input_(std::move(input)),
        stop_(std::move(stop)),
        threads_(thread_count_or_default(input_.threads)),
        trace_(std::make_shared<Trace>()) {}

  Result<std::shared_ptr<const Trace>> run() {
    merge_names();
    pair_spans();
    if (stop_.stop_requested()) return cancelled();
    count_slices();
    if (slice_total_ >= index_of(kNoSlice)) {
      return Error{Error::Kind::too_large,
                   "The trace has more than 4,294,967,294 slices; that many cannot be shown", kNoOffset};
    }
    drop_repeating_flows();
    scatter();
    if (stop_.stop_requested()) return cancelled();
    arrange_tracks();
    if (stop_.stop_requested()) return cancelled();
    gather_points();
    place_tracks();
    if (input_.on_indexing) input_.on_indexing();
    write_columns();
    if (stop_.stop_requested()) return cancelled();
    link_launches();
    write_memory();
    finish();
    if (stop_.stop_requested()) return cancelled();
    return std::shared_ptr<const Trace>(std::move(trace_));
  }

 private:
  static Error cancelled() { return {Error::Kind::cancelled, "Loading was cancelled", kNoOffset}; }

  bool is_discarded(const EventBatch& batch, std::uint64_t offset) const {
    if (input_.discarded.empty() || batch.repaired) return false;
    const auto it =
        std::upper_bound(input_.discarded.begin(), input_.discarded.end(), offset,
                         [](std::uint64_t at, const ByteRange& range) { return at < range.begin; });
    return it != input_.discarded.begin() && offset < std::prev(it)->end;
  }

  // ---- Ids of the batches become ids of the trace
  // ------------------------------------------------------------

  std::string decoded(std::string_view text) const {
    return input_.decode ? input_.decode(text) : std::string(text);
  }

  void merge_names() {
    for (MetadataRecord& record : all_metadata()) {
      record.text = decoded(record.text);
      record.pid = decoded(record.pid);
      record.tid = decoded(record.tid);
    }
    const XlaDevices devices(all_metadata());
    trace_->arguments.texts.intern("");
    trace_->names.intern("");  // the empty name is 0: pair_spans_of relies on it
    for (EventBatch& batch : input_.batches) {
      std::vector<std::uint32_t>& names = name_map_.emplace_back(batch.names.size());
      for (std::uint32_t i = 0; i < batch.names.size(); ++i) {
        names[i] = trace_->names.intern(decoded(batch.names[i]));
      }
      std::vector<std::uint16_t>& categories = category_map_.emplace_back(batch.categories.size());
      for (std::uint32_t i = 0; i < batch.categories.size(); ++i) {
        // Ids are 16 bits wide; a file with more categories than that has the rest under one name.
        const bool full = trace_->categories.size() >= std::numeric_limits<std::uint16_t>::max();
        categories[i] =
            static_cast<std::uint16_t>(full ? trace_->categories.intern(trace_->categories[0])
                                            : trace_->categories.intern(decoded(batch.categories[i])));
      }
      // Batches made by hand may have none; number 0 is that of no facts everywhere.
      std::vector<std::uint32_t>& facts = facts_map_.emplace_back(std::max(1U, batch.facts.size()));
      for (std::uint32_t i = 1; i < batch.facts.size(); ++i)
        facts[i] = trace_->arguments.texts.intern(batch.facts[i]);
      std::vector<std::uint32_t>& tracks = track_map_.emplace_back(batch.tracks.size());
      for (std::uint32_t i = 0; i < batch.tracks.size(); ++i) {
        const TrackTable::Key key = batch.tracks[i];
        const std::string pid = decoded(key.pid);
        const std::string tid = decoded(key.tid);
        tracks[i] = track_table_.intern(devices.class_of(key.track_class, pid, tid), pid, tid);
      }
      // What is known by the trace's own ids from here on.
      batch.names = {};
      batch.categories = {};
      batch.facts = {};
      batch.tracks = {};
    }
    sort_tracks();
    on_xla_device_.reserve(track_table_.size());
    for (std::uint32_t i = 0; i < track_table_.size(); ++i) {
      const TrackTable::Key key = track_table_[i];
      on_xla_device_.push_back(key.track_class != TrackClass::cpu && devices.holds(key.pid) ? 1 : 0);
    }
    // A name's kind depends on its category; what is needed per name is only whether it is a collective.
    const std::uint32_t name_count = trace_->names.size();
    name_is_collective_.resize(name_count);
    for (std::uint32_t i = 0; i < name_count; ++i) {
      name_is_collective_[i] = slice_kind("kernel", trace_->names[i]) == SliceKind::communication;
    }
    for (std::uint32_t i = 0; i < trace_->categories.size(); ++i) {
      category_kind_.push_back(slice_kind(trace_->categories[i], ""));
    }
    if (category_kind_.empty()) category_kind_.push_back(SliceKind::other);
    name_kind_ = std::vector<std::atomic<std::uint8_t>>(name_count);
    for (auto& kind : name_kind_) kind.store(kSliceKindCount, std::memory_order_relaxed);
  }

  /// Which thread met a track first is chance; the order of points in their columns must not be.
  void sort_tracks() {
    track_table_.drop_index();
    std::vector<std::uint32_t> order(track_table_.size());
    std::iota(order.begin(), order.end(), 0U);
    const auto key = [&](std::uint32_t id) {
      const TrackTable::Key it = track_table_[id];
      return std::tuple(it.track_class, it.pid, it.tid);
    };
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
    TrackTable sorted;
    sorted.reserve(track_table_.size());
    std::vector<std::uint32_t> renumbered(order.size());
    for (const std::uint32_t id : order) {
      const TrackTable::Key it = track_table_[id];
      renumbered[id] = sorted.intern(it.track_class, it.pid, it.tid);
    }
    for (auto& tracks : track_map_) {
      for (std::uint32_t& track : tracks) track = renumbered[track];
    }
    sorted.drop_index();
    track_table_ = std::move(sorted);
  }

  std::vector<MetadataRecord>& all_metadata() {
    if (!metadata_gathered_) {
      metadata_gathered_ = true;
      for (EventBatch& batch : input_.batches) {
        for (MetadataRecord& record : batch.metadata) {
          if (!is_discarded(batch, record.source_offset)) metadata_.push_back(std::move(record));
        }
        give_back(batch.metadata);
      }
      std::sort(metadata_.begin(), metadata_.end(), [](const MetadataRecord& a, const MetadataRecord& b) {
        return a.source_offset < b.source_offset;  // the last one in the file wins
      });
    }
    return metadata_;
  }

  SliceKind kind_of(const SliceRecord& record, std::uint32_t track) const {
    const SliceKind kind = category_kind_[record.category];
    if (on_xla_device_[track] != 0 && kind == SliceKind::other) {
      return track_table_[track].track_class == TrackClass::gpu ? xla_kind(trace_->names[record.name])
                                                                : SliceKind::gpu_annotation;
    }
    if (kind == SliceKind::compute && name_is_collective_[record.name]) return SliceKind::communication;
    if (kind == SliceKind::cpu_op && is_step_name(trace_->names[record.name])) {
      return SliceKind::annotation;
    }
    return kind;
  }

  // ---- B/E and asynchronous pairs become slices
  // --------------------------------------------------------------

  std::vector<PointRecord> gather(RecordList<PointRecord> EventBatch::*list) {
    std::vector<PointRecord> all;
    std::size_t total = 0;
    for (const EventBatch& batch : input_.batches) total += (batch.*list).size();
    all.reserve(total);
    for (std::size_t b = 0; b < input_.batches.size(); ++b) {
      for (auto& block : (input_.batches[b].*list).blocks()) {
        for (PointRecord record : block.span()) {
          if (is_discarded(input_.batches[b], record.source_offset)) continue;
          record.name = name_map_[b][record.name];
          record.track = track_map_[b][record.track];
          record.category = category_map_[b][record.category];
          all.push_back(record);
        }
      }
      (input_.batches[b].*list).clear();
    }
    run_merge_sort(all.data(), all.size(), [](const PointRecord& a, const PointRecord& b) {
      return std::tie(a.track, a.time_ns, a.source_offset) < std::tie(b.track, b.time_ns, b.source_offset);
    });
    return all;
  }

  void pair_spans() {
    std::vector<PointRecord> spans = gather(&EventBatch::spans);
    for (const EventBatch& batch : input_.batches) {
      TimeBounds::Skip skip;
      if (!input_.discarded.empty()) skip = [&](std::uint64_t offset) { return is_discarded(batch, offset); };
      bounds_.add(batch, skip, stop_);
    }
    for (const PointRecord& record : spans) bounds_.add(record.time_ns, record.source_offset);
    bounds_.finish();
    if (spans.empty()) return;
    SpanPairs pairs = pair_spans_of(spans, bounds_.content_end_ns());
    trace_->paired_slices = pairs.matched;
    trace_->async_slices = pairs.async_matched;
    input_.counts[EventSort::end] -= pairs.damage.count(DamageReason::end_without_begin);
    input_.counts[EventSort::dropped] += pairs.damage.count(DamageReason::end_without_begin);
    input_.damage.merge(pairs.damage);
    paired_ = std::move(pairs.slices);
    orphan_instants_ = std::move(pairs.instants);
  }

  // ---- Slices are grouped by track
  // ----------------------------------------------------------------------------

  /// Visits the slices of a group with the trace's ids; the group behind the last has the pairs.
  template <class Visit>
  void for_each_slice(std::size_t group, Visit&& visit) {
    if (group == groups_.size()) {
      for (const SliceRecord& record : paired_) visit(record);
      return;
    }
    const auto visit_record = [&](std::size_t b, SliceRecord record) {
      if (is_discarded(input_.batches[b], record.source_offset)) return;
      record.name = name_map_[b][record.name];
      record.category = category_map_[b][record.category];
      record.track = track_map_[b][record.track];
      record.facts = facts_map_[b][record.facts];
      visit(record);
    };
    groups_.visit(group, visit_record, [this] { return stop_.stop_requested(); });
  }

  bool is_launch(const SliceRecord& record) const {
    return record.correlation != 0 && category_kind_[record.category] == SliceKind::runtime;
  }

  void count_slices() {
    constexpr std::size_t kMostGroups = 64;
    constexpr std::size_t kMostCounters = std::size_t{4} << 20;
    const std::size_t tracks = std::max<std::size_t>(1, track_table_.size());
    std::size_t slices = 0;
    for (const EventBatch& batch : input_.batches) slices += batch.slices.size();
    // A counter is not worth it for less than two slices.
    const std::size_t counters = std::min(kMostCounters, slices / 2);
    groups_ = SliceGroups(input_.batches, std::clamp<std::size_t>(counters / tracks, 1, kMostGroups));
    cursors_.assign(groups_.size() + 1, std::vector<std::uint64_t>(track_table_.size(), 0));
    launch_ids_.resize(cursors_.size());
    parallel_for(threads_, cursors_.size(), stop_, [&](std::size_t group, unsigned) {
      std::vector<std::uint64_t>& counts = cursors_[group];
      for_each_slice(group, [&](const SliceRecord& record) {
        ++counts[record.track];
        if (is_launch(record)) launch_ids_[group].push_back(record.correlation);
      });
    });
    track_begin_.assign(track_table_.size() + 1, 0);
    std::uint64_t at = 0;
    for (std::uint32_t track = 0; track < track_table_.size(); ++track) {
      track_begin_[track] = static_cast<std::uint32_t>(at);  // run() refuses more than fits
      for (auto& counts : cursors_) at += std::exchange(counts[track], at);
    }
    track_begin_.back() = static_cast<std::uint32_t>(at);
    slice_total_ = at;
  }

  /// A third of a real trace's events are ac2g flows that repeat the correlation of launch and GPU work, or
  /// end at the very call that launched nothing. What the link column will tell is not kept a second time,
  /// and goes before the memory of the columns is needed.
  void drop_repeating_flows() {
    std::size_t launch_count = 0;
    for (const auto& ids : launch_ids_) launch_count += ids.size();
    LaunchTable launches(launch_count);
    for (const auto& ids : launch_ids_) {
      for (const std::uint32_t id : ids) launches.add({id, kNoSlice});
    }
    give_back(launch_ids_);
    const std::uint32_t launch_category = trace_->categories.find("ac2g");
    flows_.resize(input_.batches.size());
    parallel_for(threads_, flows_.size(), stop_, [&](std::size_t b, unsigned) {
      for (auto& block : input_.batches[b].flows.blocks()) {
        if (stop_.stop_requested()) return;
        for (FlowPoint flow : block.span()) {
          if (is_discarded(input_.batches[b], flow.source_offset)) continue;
          flow.category = CategoryId{category_map_[b][index_of(flow.category)]};
          if (index_of(flow.category) == launch_category && flow.id <= UINT32_MAX &&
              launches.contains(static_cast<std::uint32_t>(flow.id))) {
            continue;
          }
          flow.track = TrackId{track_map_[b][index_of(flow.track)]};
          flows_[b].push_back(flow);
        }
        block.records = {};
      }
      input_.batches[b].flows.clear();
    });
  }

  void scatter() {
    records_ = Column<SliceRecord>(slice_total_);
    parallel_for(threads_, cursors_.size(), stop_, [&](std::size_t group, unsigned) {
      std::vector<std::uint64_t>& cursors = cursors_[group];
      for_each_slice(group, [&](const SliceRecord& record) { records_[cursors[record.track]++] = record; });
      if (group < groups_.size()) groups_.release(group);
    });
    groups_ = {};
    for (EventBatch& batch : input_.batches) batch.slices.clear();
    give_back(paired_);
    give_back(cursors_);
  }

  std::span<SliceRecord> records_of(std::uint32_t track) {
    return records_.span().subspan(track_begin_[track], track_begin_[track + 1] - track_begin_[track]);
  }

  /// Tracks with slices, the largest first so that threads end together.
  std::vector<std::uint32_t> tracks_by_size() const {
    std::vector<std::uint32_t> order;
    for (std::uint32_t track = 0; track + 1 < track_begin_.size(); ++track) {
      if (track_begin_[track + 1] > track_begin_[track]) order.push_back(track);
    }
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return track_begin_[a + 1] - track_begin_[a] > track_begin_[b + 1] - track_begin_[b];
    });
    return order;
  }

  void arrange_tracks() {
    lane_counts_.resize(track_table_.size());
    const std::vector<std::uint32_t> order = tracks_by_size();
    parallel_for(threads_, order.size(), stop_, [&](std::size_t i, unsigned) { arrange_track(order[i]); });
  }

  void arrange_track(std::uint32_t track) {
    const std::span<SliceRecord> records = records_of(track);
    run_merge_sort(records.data(), records.size(), slice_before, [this] { return stop_.stop_requested(); });
    LaneAssigner lanes;
    std::vector<std::uint32_t> counts;
    std::unordered_map<std::uint32_t, std::int64_t> collective_ns;
    std::array<std::int64_t, kSliceKindCount> kind_ns{};
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (i % kCancelStride == 0 && stop_.stop_requested()) return;
      SliceRecord& record = records[i];
      record.track = lanes.place(record.start_ns, record.start_ns + record.duration_ns, 0).lane;
      if (record.track >= counts.size()) counts.resize(record.track + 1, 0);
      ++counts[record.track];
      const SliceKind kind = kind_of(record, track);
      add_saturating(kind_ns[static_cast<std::size_t>(kind)], record.duration_ns);
      if (kind == SliceKind::communication) add_saturating(collective_ns[record.name], record.duration_ns);
    }
    lane_counts_[track] = static_cast<std::uint32_t>(counts.size());
    if (counts.size() > 1) {
      const std::lock_guard lock(arranged_mutex_);
      several_lanes_.emplace(track, std::move(counts));
    }
    if (track_table_[track].track_class != TrackClass::gpu) return;  // only streams say what they carry
    StreamContents work;
    for (std::size_t kind = 0; kind < kind_ns.size(); ++kind) {
      if (kind_ns[kind] > 0) work.kind_ns.emplace_back(static_cast<SliceKind>(kind), kind_ns[kind]);
    }
    std::unordered_map<std::string_view, std::int64_t> by_collective;
    for (const auto& [name, ns] : collective_ns)
      add_saturating(by_collective[collective_of(trace_->names[name])], ns);
    for (const auto& [name, ns] : by_collective) work.collectives.emplace_back(name, ns);
    std::sort(work.collectives.begin(), work.collectives.end(), [](const auto& a, const auto& b) {
      return std::tie(b.second, a.first) < std::tie(a.second, b.first);
    });
    const std::string contents = contents_of(work);
    const std::lock_guard lock(arranged_mutex_);
    if (contents_.empty()) contents_.resize(track_table_.size(), 0);
    contents_[track] = content_texts_.intern(contents) + 1;
  }

  /// How many slices each lane of a track has.
  std::span<const std::uint32_t> lanes_of(std::uint32_t track, std::uint32_t& only) const {
    if (lane_counts_[track] > 1) return several_lanes_.at(track);
    only = track_begin_[track + 1] - track_begin_[track];
    return {&only, lane_counts_[track]};
  }

  // ---- Tracks get their places and rows
  // ------------------------------------------------------------------------

  void gather_points() {
    instants_ = gather(&EventBatch::instants);
    if (!orphan_instants_.empty()) {
      instants_.insert(instants_.end(), orphan_instants_.begin(), orphan_instants_.end());
      std::stable_sort(instants_.begin(), instants_.end(), [](const PointRecord& a, const PointRecord& b) {
        return std::tie(a.track, a.time_ns, a.source_offset) < std::tie(b.track, b.time_ns, b.source_offset);
      });
    }
    std::size_t samples = 0;
    for (const EventBatch& batch : input_.batches) samples += batch.samples.size();
    samples_.reserve(samples);
    for (std::size_t b = 0; b < input_.batches.size(); ++b) {
      for (auto& block : input_.batches[b].samples.blocks()) {
        for (SampleRecord record : block.span()) {
          if (is_discarded(input_.batches[b], record.source_offset)) continue;
          record.track = track_map_[b][record.track];
          samples_.push_back(record);
        }
      }
      input_.batches[b].samples.clear();
    }
    run_merge_sort(samples_.data(), samples_.size(), [](const SampleRecord& a, const SampleRecord& b) {
      return std::tie(a.track, a.time_ns, a.source_offset) < std::tie(b.track, b.time_ns, b.source_offset);
    });
  }

  /// Where the records of each track begin among all, which are sorted by track; and the end.
  template <class Record>
  std::vector<std::uint32_t> begins_of(const std::vector<Record>& records) const {
    std::vector<std::uint32_t> begins(track_table_.size() + 1, 0);
    for (const Record& record : records) ++begins[record.track + 1];
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    return begins;
  }

  void place_tracks() {
    const std::uint32_t count = track_table_.size();
    const std::vector<std::uint32_t> instants = begins_of(instants_);
    const std::vector<std::uint32_t> samples = begins_of(samples_);
    write_points();  // the records are larger than the columns
    std::vector<std::uint32_t> used;
    used.reserve(count);
    for (std::uint32_t track = 0; track < count; ++track) {
      const bool points = instants[track + 1] > instants[track] || samples[track + 1] > samples[track];
      if (lane_counts_[track] > 0 || points) used.push_back(track);
    }
    TrackOrder order = order_tracks(track_table_, used, all_metadata(), input_.job);
    give_back(used);
    trace_->processes = std::move(order.processes);
    trace_->tracks = std::move(order.tracks);
    final_track_.assign(count, index_of(kNoTrack));
    trace_->rows.reserve(std::accumulate(lane_counts_.begin(), lane_counts_.end(), std::size_t{0}));
    std::uint64_t slice = 0;
    LodRow lod;
    for (std::uint32_t i = 0; i < trace_->tracks.size(); ++i) {
      const std::uint32_t id = order.sources[i];
      final_track_[id] = i;
      std::uint32_t only = 0;
      const std::span<const std::uint32_t> lanes = lanes_of(id, only);
      Track& track = trace_->tracks[i];
      track.first_row = static_cast<std::uint32_t>(trace_->rows.size());
      track.row_count = static_cast<std::uint32_t>(lanes.size());
      track.first_instant = instants[id];
      track.instant_count = instants[id + 1] - instants[id];
      track.first_sample = samples[id];
      track.sample_count = samples[id + 1] - samples[id];
      if (!contents_.empty() && contents_[id] != 0) track.contents = content_texts_[contents_[id] - 1];
      // Of the host's counters only those that the loader makes of [memory] events are known to be bytes.
      const TrackClass track_class = track_table_[id].track_class;
      track.bytes = track_class == TrackClass::gpu_counter ||
                    (track_class == TrackClass::counter && track.name == "memory allocated");
      for (std::uint32_t lane = 0; lane < track.row_count; ++lane) {
        const std::uint32_t length = lanes[lane];
        trace_->rows.push_back(Row{TrackId{i}, lane, static_cast<std::uint32_t>(slice), length, lod});
        slice += length;
        lod.longest_offset += LodIndex::longest_size(length);
        lod.busy_offset += LodIndex::busy_size(length);
      }
    }
    give_back(lane_counts_);
    several_lanes_ = {};
    give_back(contents_);
    summarize_samples();
    trace_->lod.longest = Column<std::uint32_t>(lod.longest_offset);
    trace_->lod.busy_prefix_ns = Column<std::int64_t>(lod.busy_offset);
  }

  // ---- Columns
  // -------------------------------------------------------------------------------------------------

  void write_columns() {
    SliceColumns& slices = trace_->slices;
    const std::size_t n = slice_total_;
    slices.start_ns = Column<std::int64_t>(n);
    slices.duration_ns = Column<std::int64_t>(n);
    slices.source_offset = Column<std::uint64_t>(n);
    slices.name = Column<NameId>(n);
    slices.parent = Column<SliceId>(n);
    slices.link = Column<SliceId>(n);
    slices.category = Column<CategoryId>(n);
    slices.kind = Column<SliceKind>(n);
    if (trace_->arguments.texts.size() > 1) trace_->arguments.facts = Column<std::uint32_t>(n);
    external_ids_ = Column<std::uint32_t>(n);
    yields_.resize(threads_);
    join_autograd_ = trace_->categories.find(kAutogradFlow) == StringTable::kAbsent;
    const std::vector<std::uint32_t> order = tracks_by_size();
    parallel_for(threads_, order.size(), stop_,
                 [&](std::size_t i, unsigned worker) { write_track(order[i], yields_[worker]); });
    records_ = {};
    std::uint64_t spilled = 0;
    std::uint64_t first = kNoOffset;
    for (const WorkerYield& yield : yields_) {
      spilled += yield.spilled;
      first = std::min(first, yield.first_spill_offset);
    }
    input_.damage.add(DamageReason::overlap_spilled, first, "", spilled);
  }

  void write_track(std::uint32_t track, WorkerYield& yield) {
    Track& placed = trace_->tracks[final_track_[track]];
    const std::span<const Row> rows(trace_->rows.data() + placed.first_row, placed.row_count);
    std::vector<std::uint32_t> next(rows.size());
    for (std::size_t lane = 0; lane < rows.size(); ++lane) next[lane] = rows[lane].first_slice;
    const std::span<const SliceRecord> records = records_of(track);
    SliceColumns& slices = trace_->slices;
    LaneAssigner lanes;
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (i % kCancelStride == 0) {
        if (stop_.stop_requested()) return;
        // From the beginning each time: what lies across two strides would stay, as whole pages go only.
        records_.release(track_begin_[track], track_begin_[track] + i);
      }
      const SliceRecord& record = records[i];
      const std::uint32_t id = next[record.track]++;
      const LaneAssigner::Placement placement =
          lanes.place(record.start_ns, record.start_ns + record.duration_ns, id);
      placed.spilled_count += placement.spilled ? 1 : 0;
      if (placement.spilled && placed.kind != TrackKind::async) {
        ++yield.spilled;
        yield.first_spill_offset = std::min(yield.first_spill_offset, record.source_offset);
      }
      const SliceKind kind = kind_of(record, track);
      slices.start_ns[id] = record.start_ns - bounds_.origin_ns();
      slices.duration_ns[id] = record.duration_ns;
      slices.source_offset[id] = record.source_offset;
      slices.name[id] = NameId{record.name};
      slices.parent[id] = SliceId{placement.parent};
      slices.link[id] = kNoSlice;
      slices.category[id] = CategoryId{record.category};
      slices.kind[id] = kind;
      external_ids_[id] = record.external_id;
      if (record.facts != 0) trace_->arguments.facts[id] = record.facts;
      if (record.external_id != 0 && kind == SliceKind::runtime) check_owner(SliceId{id}, yield);
      remember_kind(record.name, kind);
      if (record.correlation == 0) continue;
      if (kind == SliceKind::cpu_op && join_autograd_)
        yield.numbered.push_back({record.correlation, record.forward_thread, SliceId{id}});
      if (is_launch(record)) {
        yield.launches.push_back({record.correlation, SliceId{id}});
      } else if (is_gpu_work(kind) || kind == SliceKind::gpu_sync) {
        yield.gpu_work.push_back({record.correlation, SliceId{id}});
      }
    }
    for (const Row& row : rows) {
      trace_->lod.build_row(row.lod, slices.duration_ns.sub(row.first_slice, row.slice_count));
    }
  }

  /// The lowest kind that bears the name, whatever the order of threads.
  void remember_kind(std::uint32_t name, SliceKind kind) {
    const auto wanted = static_cast<std::uint8_t>(kind);
    std::uint8_t known = name_kind_[name].load(std::memory_order_relaxed);
    while (wanted < known &&
           !name_kind_[name].compare_exchange_weak(known, wanted, std::memory_order_relaxed)) {
    }
  }

  // ---- Launches find their GPU work
  // ----------------------------------------------------------------------------

  void link_launches() {
    std::size_t launch_count = 0;
    for (const WorkerYield& yield : yields_) launch_count += yield.launches.size();
    LaunchTable launches(launch_count);
    for (const WorkerYield& yield : yields_) {
      for (const Correlated& launch : yield.launches) launches.add(launch);
    }
    SliceColumns& slices = trace_->slices;
    std::vector<SliceId> shared_work;
    std::size_t visited = 0;
    for (const WorkerYield& yield : yields_) {
      for (const Correlated& work : yield.gpu_work) {
        if (++visited % kCancelStride == 0 && stop_.stop_requested()) return;
        const SliceId launch = launches.find(work.correlation);
        if (launch == kNoSlice) continue;
        const auto gpu = index_of(work.slice);
        slices.link[gpu] = launch;
        SliceId& first = slices.link[index_of(launch)];
        if (first == kNoSlice) {
          ++trace_->launches_linked;
        } else {
          shared_work.insert(shared_work.end(), {first, work.slice});
        }
        if (first == kNoSlice || std::pair(slices.start_ns[gpu], gpu) <
                                     std::pair(slices.start_ns[index_of(first)], index_of(first))) {
          first = work.slice;
        }
      }
    }
    write_owners();
    std::vector<NumberedOperator> numbered;
    for (const WorkerYield& yield : yields_)
      numbered.insert(numbered.end(), yield.numbered.begin(), yield.numbered.end());
    give_back(yields_);
    write_flows();
    write_autograd(std::move(numbered));
    trace_->flows.launched = launch_index(*trace_, std::move(shared_work));
  }

  // ---- External ids find their operators
  // -------------------------------------------------------------------------------

  static bool may_own(SliceKind kind) { return kind == SliceKind::cpu_op || kind == SliceKind::annotation; }

  /// Notes the slice when its External id is not that of the operator around it (or its launch).
  void check_owner(SliceId slice, WorkerYield& yield) const {
    const std::uint32_t wanted = external_ids_[index_of(slice)];
    const SliceId around = owner_of(*trace_, slice);
    if (around != kNoSlice && external_ids_[index_of(around)] == wanted) return;
    yield.strangers.push_back({wanted, slice});
  }

  /// The exceptions to "the innermost operator around": most traces have few.
  void write_owners() {
    std::vector<Correlated> strangers;
    SliceSet strange_calls(slice_total_);
    for (const WorkerYield& yield : yields_) {
      strangers.insert(strangers.end(), yield.strangers.begin(), yield.strangers.end());
      for (const Correlated& call : yield.strangers) strange_calls.insert(index_of(call.slice));
    }
    WorkerYield of_gpu;
    for (const WorkerYield& yield : yields_) {
      for (const Correlated& work : yield.gpu_work) {
        const std::uint32_t wanted = external_ids_[index_of(work.slice)];
        if (wanted == 0) continue;
        // Nearly always work has the id of its launch, whose surroundings have been looked at.
        const SliceId launch = trace_->slices.link[index_of(work.slice)];
        const bool as_launch = launch != kNoSlice && external_ids_[index_of(launch)] == wanted;
        if (!as_launch || strange_calls.contains(index_of(launch))) check_owner(work.slice, of_gpu);
      }
    }
    strangers.insert(strangers.end(), of_gpu.strangers.begin(), of_gpu.strangers.end());
    if (strangers.empty() || stop_.stop_requested()) {
      external_ids_ = {};
      return;
    }
    // By the id that is looked for. Few are, so a look at a small filter is enough for nearly every slice.
    std::unordered_map<std::uint32_t, SliceId> owners;
    constexpr std::uint32_t kFilterSize = 1U << 16;
    SliceSet filter(kFilterSize);
    for (const Correlated& it : strangers) {
      owners.emplace(it.correlation, kNoSlice);
      filter.insert(it.correlation % kFilterSize);
    }
    for (std::uint32_t i = 0; i < slice_total_; ++i) {
      if (i % kCancelStride == 0 && stop_.stop_requested()) return;
      if (!filter.contains(external_ids_[i] % kFilterSize) || !may_own(trace_->slices.kind[i])) continue;
      const auto found = owners.find(external_ids_[i]);
      if (found != owners.end() && found->second == kNoSlice) found->second = SliceId{i};
    }
    std::erase_if(strangers, [&](const Correlated& it) { return owners.at(it.correlation) == kNoSlice; });
    std::sort(strangers.begin(), strangers.end(),
              [](const Correlated& a, const Correlated& b) { return a.slice < b.slice; });
    ArgumentColumns& arguments = trace_->arguments;
    arguments.exceptions = Column<SliceId>(strangers.size());
    arguments.operators = Column<SliceId>(strangers.size());
    for (std::size_t i = 0; i < strangers.size(); ++i) {
      arguments.exceptions[i] = strangers[i].slice;
      arguments.operators[i] = owners.at(strangers[i].correlation);
    }
    external_ids_ = {};
  }

  void write_flows() {
    const bool any = std::ranges::any_of(flows_, [](const auto& flows) { return flows.size() > 0; });
    const std::vector<TrackId> places = any ? flow_places() : std::vector<TrackId>();
    RecordList<FlowPoint> points;
    for (RecordList<FlowPoint>& flows : flows_) {
      for (auto& block : flows.blocks()) {
        for (FlowPoint flow : block.span()) {
          flow.time_ns -= bounds_.origin_ns();
          flow.track = places[index_of(flow.track)];
          points.push_back(flow);
        }
        block.records = {};
      }
    }
    flows_.clear();
    trace_->flows = resolve_flows(*trace_, points, threads_, stop_, input_.damage);
  }

  /// Files without arrows from the forward to the backward pass have numbers to tell them by.
  void write_autograd(std::vector<NumberedOperator> numbered) {
    if (numbered.empty() || stop_.stop_requested()) return;
    const auto pairs = autograd_pairs(*trace_, std::move(numbered));
    if (pairs.empty() || trace_->categories.size() >= std::numeric_limits<std::uint16_t>::max()) return;
    const auto category = static_cast<std::uint16_t>(trace_->categories.intern(kAutogradFlow));
    trace_->flows = with_arrows(std::move(trace_->flows), pairs, CategoryId{category});
  }

  /// By track_table_ id: where flow ends of that track find slices. What class an end's (pid, tid) has cannot
  /// be told from its own category: one where no CPU slice lies is a stream.
  std::vector<TrackId> flow_places() {
    std::vector<TrackId> places;
    places.reserve(final_track_.size());
    for (std::uint32_t i = 0; i < final_track_.size(); ++i) {
      TrackId place{final_track_[i]};
      if (place == kNoTrack || trace_->tracks[index_of(place)].row_count == 0) {
        const TrackTable::Key key = track_table_[i];
        const std::uint32_t stream = sorted_track({TrackClass::gpu, key.pid, key.tid});
        if (stream < final_track_.size()) place = TrackId{final_track_[stream]};
      }
      places.push_back(place);
    }
    return places;
  }

  /// The number of a track in the table, which is sorted; its size when there is none. O(log tracks).
  std::uint32_t sorted_track(const TrackTable::Key& wanted) const {
    const auto key = [](const TrackTable::Key& it) { return std::tuple(it.track_class, it.pid, it.tid); };
    std::uint32_t first = 0;
    for (std::uint32_t last = track_table_.size(); first < last;) {
      const std::uint32_t middle = first + (last - first) / 2;
      if (key(track_table_[middle]) < key(wanted)) {
        first = middle + 1;
      } else {
        last = middle;
      }
    }
    const bool found = first < track_table_.size() && key(track_table_[first]) == key(wanted);
    return found ? first : track_table_.size();
  }

  // ---- Instants and counters
  // -------------------------------------------------------------------------------

  void write_points() {
    InstantColumns& instants = trace_->instants;
    instants.time_ns = Column<std::int64_t>(instants_.size());
    instants.source_offset = Column<std::uint64_t>(instants_.size());
    instants.name = Column<NameId>(instants_.size());
    instants.category = Column<CategoryId>(instants_.size());
    for (std::size_t i = 0; i < instants_.size(); ++i) {
      instants.time_ns[i] = instants_[i].time_ns - bounds_.origin_ns();
      instants.source_offset[i] = instants_[i].source_offset;
      instants.name[i] = NameId{instants_[i].name};
      instants.category[i] = CategoryId{instants_[i].category};
      remember_kind(instants_[i].name, SliceKind::other);
    }
    give_back(instants_);
    SampleColumns& samples = trace_->samples;
    samples.time_ns = Column<std::int64_t>(samples_.size());
    samples.value = Column<double>(samples_.size());
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      samples.time_ns[i] = samples_[i].time_ns - bounds_.origin_ns();
      samples.value[i] = samples_[i].value;
    }
    give_back(samples_);
  }

  void summarize_samples() {
    for (Track& track : trace_->tracks) {
      if (track.sample_count == 0) continue;
      const auto values = trace_->samples.value.sub(track.first_sample, track.sample_count);
      const auto [low, high] = std::minmax_element(values.begin(), values.end());
      track.min_value = *low;
      track.max_value = *high;
    }
  }

  void write_memory() {
    std::vector<MemoryRecord> all;
    for (std::size_t b = 0; b < input_.batches.size(); ++b) {
      for (const auto& block : input_.batches[b].memory.blocks()) {
        for (MemoryRecord record : block.span()) {
          if (is_discarded(input_.batches[b], record.source_offset)) continue;
          record.track = final_track_[track_map_[b][record.track]];
          all.push_back(record);
        }
      }
    }
    run_merge_sort(all.data(), all.size(), [](const MemoryRecord& a, const MemoryRecord& b) {
      return std::tie(a.time_ns, a.source_offset) < std::tie(b.time_ns, b.source_offset);
    });
    ArgumentColumns& arguments = trace_->arguments;
    arguments.memory_time_ns = Column<std::int64_t>(all.size());
    arguments.memory_bytes = Column<std::int64_t>(all.size());
    arguments.memory_address = Column<std::uint64_t>(all.size());
    arguments.memory_track = Column<TrackId>(all.size());
    arguments.memory_device = Column<std::uint32_t>(all.size());
    arguments.memory_total_bytes = Column<std::int64_t>(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      arguments.memory_time_ns[i] = all[i].time_ns - bounds_.origin_ns();
      arguments.memory_bytes[i] = all[i].bytes;
      arguments.memory_address[i] = all[i].address;
      arguments.memory_track[i] = TrackId{all[i].track};
      arguments.memory_device[i] = all[i].device;
      arguments.memory_total_bytes[i] = all[i].total_bytes;
    }
  }

  void finish() {
    trace_->name_kind.resize(name_kind_.size());
    for (std::size_t i = 0; i < name_kind_.size(); ++i) {
      const std::uint8_t kind = name_kind_[i].load(std::memory_order_relaxed);
      trace_->name_kind[i] = kind < kSliceKindCount ? static_cast<SliceKind>(kind) : SliceKind::other;
    }
    trace_->origin_unix_ns = bounds_.origin_ns() + input_.base_time_ns;
    trace_->base_time_ns = input_.base_time_ns;
    trace_->range = bounds_.range();
    trace_->content = bounds_.content();
    if (bounds_.outliers() > 0) {
      input_.damage.add(DamageReason::far_outlier, bounds_.first_outlier_offset(), "", bounds_.outliers());
    }
    input_.damage.fill_samples(input_.sample_at);
    trace_->counts = input_.counts;
    trace_->damage = std::move(input_.damage);
    trace_->job = std::move(input_.job);
  }

  BuildInput input_;
  const std::stop_token stop_;
  const unsigned threads_;
  std::shared_ptr<Trace> trace_;

  std::vector<std::vector<std::uint32_t>> name_map_;      // by batch: its id -> the trace's
  std::vector<std::vector<std::uint16_t>> category_map_;  // by batch: its id -> the trace's
  std::vector<std::vector<std::uint32_t>> facts_map_;     // by batch: its id -> the trace's
  std::vector<std::vector<std::uint32_t>> track_map_;     // by batch: its id -> track_table_'s
  TrackTable track_table_;
  std::vector<MetadataRecord> metadata_;
  bool metadata_gathered_ = false;
  std::vector<std::uint8_t> name_is_collective_;
  std::vector<std::uint8_t> on_xla_device_;  // by track of the table
  std::vector<SliceKind> category_kind_;
  std::vector<std::atomic<std::uint8_t>> name_kind_;

  TimeBounds bounds_;
  std::vector<SliceRecord> paired_;
  std::vector<PointRecord> orphan_instants_;
  SliceGroups groups_;
  std::vector<std::vector<std::uint32_t>> launch_ids_;  // by group
  std::vector<RecordList<FlowPoint>> flows_;  // by batch; tracks are track_table_'s, categories the trace's
  std::vector<std::vector<std::uint64_t>> cursors_;  // by group and track
  std::vector<std::uint32_t> track_begin_;           // by track, into records_
  std::uint64_t slice_total_ = 0;
  Column<std::uint32_t> external_ids_;      // by SliceId; only while building
  Column<SliceRecord> records_;             // by track, then start
  std::vector<std::uint32_t> lane_counts_;  // by track
  std::mutex arranged_mutex_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> several_lanes_;  // guarded: slices by lane
  std::vector<std::uint32_t> contents_;  // guarded: by track one more than a text of content_texts_; 0: none
  StringTable content_texts_;            // guarded: of streams, which most share
  std::vector<PointRecord> instants_;
  std::vector<SampleRecord> samples_;
  std::vector<std::uint32_t> final_track_;  // by track_table_ id
  std::vector<WorkerYield> yields_;
  bool join_autograd_ = false;
};

}  // namespace

Result<std::shared_ptr<const Trace>> build_trace(BuildInput&& input, const std::stop_token& stop) {
  return Builder(std::move(input), stop).run();
}

}  // namespace kino
