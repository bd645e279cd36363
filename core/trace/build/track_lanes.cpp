#include "core/trace/build/track_lanes.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <string_view>
#include <utility>

#include "core/base/parallel.hpp"
#include "core/base/run_merge_sort.hpp"
#include "core/base/saturating.hpp"
#include "core/trace/build/call_stacks.hpp"
#include "core/trace/build/lanes.hpp"
#include "core/trace/build/track_order.hpp"

namespace kino {
namespace {

bool slice_before(const SliceRecord& a, const SliceRecord& b) {
  if (a.start_ns != b.start_ns) return a.start_ns < b.start_ns;
  if (a.duration_ns != b.duration_ns) return a.duration_ns > b.duration_ns;
  return a.source_offset < b.source_offset;
}

void cut_at_caller(SliceRecord& record, SliceKind kind, CallStacks& stacks, CutCalls& cut) {
  const std::int64_t recorded_end_ns = record.start_ns + record.duration_ns;
  const std::int64_t end_ns = stacks.end_ns(kind, record.start_ns, recorded_end_ns);
  if (end_ns == recorded_end_ns) return;
  record.duration_ns = end_ns - record.start_ns;
  ++cut.count;
  cut.first_offset = std::min(cut.first_offset, record.source_offset);
}

/// Summed durations and counts of a track's slices.
struct TimeSums {
  std::array<std::int64_t, kSliceKindCount> of_kind{};
  std::array<std::uint64_t, kSliceKindCount> slices{};
  std::uint64_t all = 0;
  std::unordered_map<std::uint32_t, std::int64_t> of_collective;  // by name

  void add(const SliceRecord& record, SliceKind kind) {
    std::int64_t& sum = of_kind[static_cast<std::size_t>(kind)];
    sum = saturating_add(sum, record.duration_ns);
    ++slices[static_cast<std::size_t>(kind)];
    ++all;
    if (kind != SliceKind::communication) return;
    std::int64_t& collective = of_collective[record.name];
    collective = saturating_add(collective, record.duration_ns);
  }
  std::string contents(const StringTable& names) const {
    StreamContents work;
    for (std::size_t kind = 0; kind < of_kind.size(); ++kind) {
      if (of_kind[kind] > 0) work.kind_ns.emplace_back(static_cast<SliceKind>(kind), of_kind[kind]);
      if (is_gpu_work(static_cast<SliceKind>(kind)) && slices[kind] > all / 2)
        work.most = static_cast<SliceKind>(kind);
    }
    std::unordered_map<std::string_view, std::int64_t> by_collective;
    for (const auto& [name, ns] : of_collective) {
      std::int64_t& sum = by_collective[collective_of(names[name])];
      sum = saturating_add(sum, ns);
    }
    for (const auto& [name, ns] : by_collective) work.collectives.emplace_back(name, ns);
    std::ranges::sort(work.collectives, {}, [](const auto& entry) {
      return std::pair(-entry.second, std::string_view(entry.first));
    });
    return contents_of(work);
  }
};

}  // namespace

TrackLanes::TrackLanes(TrackRecords& records, const MergedIds& ids, const RecordKinds& kinds,
                       const StringTable& names, unsigned threads, const std::stop_token& stop)
    : counts_(ids.tracks().size()) {
  const auto arrange = [&](std::uint32_t track) {
    const std::span<SliceRecord> slices = records.of(track);
    run_merge_sort(slices.data(), slices.size(), slice_before, [&stop] { return stop.stop_requested(); });
    const bool has_calls = ids.tracks()[track].track_class == TrackClass::cpu;
    CallStacks stacks;
    LaneAssigner lanes;
    std::vector<std::uint32_t> lengths;
    TimeSums sums;
    CutCalls cut;
    for (std::size_t i = 0; i < slices.size(); ++i) {
      if (i % kCancelStride == 0 && stop.stop_requested()) return;
      SliceRecord& record = slices[i];
      const SliceKind kind = kinds.kind_of(record, track);
      if (has_calls) cut_at_caller(record, kind, stacks, cut);
      record.track = lanes.place(record.start_ns, record.start_ns + record.duration_ns, 0).lane;
      if (record.track >= lengths.size()) lengths.resize(record.track + 1, 0);
      ++lengths[record.track];
      sums.add(record, kind);
    }
    counts_[track] = static_cast<std::uint32_t>(lengths.size());
    if (cut.count > 0) {
      const std::lock_guard lock(mutex_);
      cut_calls_.count += cut.count;
      cut_calls_.first_offset = std::min(cut_calls_.first_offset, cut.first_offset);
    }
    if (lengths.size() > 1) {
      const std::lock_guard lock(mutex_);
      several_.emplace(track, std::move(lengths));
    }
    if (ids.tracks()[track].track_class != TrackClass::gpu) return;  // only streams show their contents
    const std::string contents = sums.contents(names);
    const std::lock_guard lock(mutex_);
    if (contents_.empty()) contents_.resize(counts_.size(), 0);
    contents_[track] = content_texts_.intern(contents) + 1;
  };
  const std::vector<std::uint32_t> order = records.largest_first();
  parallel_for(threads, order.size(), stop, [&](std::size_t i, unsigned) { arrange(order[i]); });
}

std::uint64_t TrackLanes::total() const {
  return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
}

}  // namespace kino
