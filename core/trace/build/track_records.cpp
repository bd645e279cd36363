#include "core/trace/build/track_records.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "core/base/parallel.hpp"

namespace kino {
namespace {

/// Visits the slices of a group with the trace's ids. The group with the index groups.size() consists of the
/// pairs.
template <class Visit>
void for_each_slice(const SliceGroups& groups, std::size_t group, std::span<const SliceRecord> paired,
                    const MergedIds& ids, const std::stop_token& stop, Visit&& visit) {
  if (group == groups.size()) {
    for (const SliceRecord& record : paired) visit(record);
    return;
  }
  const auto visit_record = [&](std::size_t batch, const SliceRecord& record) {
    if (ids.counts(batch, record.source_offset)) visit(ids.translated(batch, record));
  };
  groups.visit(group, visit_record, [&stop] { return stop.stop_requested(); });
}

}  // namespace

std::vector<std::uint32_t> TrackRecords::largest_first() const {
  std::vector<std::uint32_t> order;
  for (std::uint32_t track = 0; track + 1 < begin.size(); ++track) {
    if (count(track) > 0) order.push_back(track);
  }
  std::ranges::sort(order, std::ranges::greater{}, [this](std::uint32_t track) { return count(track); });
  return order;
}

SliceCounts count_slices(std::span<EventBatch> batches, std::span<const SliceRecord> paired,
                         const MergedIds& ids, const RecordKinds& kinds, unsigned threads,
                         const std::stop_token& stop) {
  constexpr std::size_t kMostGroups = 64;
  constexpr std::size_t kMostCounters = std::size_t{4} << 20;
  const std::uint32_t tracks = ids.tracks().size();
  std::size_t slices = 0;
  for (const EventBatch& batch : batches) slices += batch.slices.size();
  // Use at most one counter per two slices; more counters would not pay off.
  const std::size_t counters = std::min(kMostCounters, slices / 2);
  SliceCounts counted;
  counted.groups = SliceGroups(
      batches, std::clamp<std::size_t>(counters / std::max<std::size_t>(1, tracks), 1, kMostGroups));
  counted.next.assign(counted.groups.size() + 1, std::vector<std::uint64_t>(tracks, 0));
  counted.launch_ids.resize(counted.next.size());
  parallel_for(threads, counted.next.size(), stop, [&](std::size_t group, unsigned) {
    std::vector<std::uint64_t>& counts = counted.next[group];
    std::vector<std::uint32_t>& launch_ids = counted.launch_ids[group];
    for_each_slice(counted.groups, group, paired, ids, stop, [&](const SliceRecord& record) {
      ++counts[record.track];
      if (kinds.is_launch(record)) launch_ids.push_back(record.correlation);
    });
  });
  counted.begin.assign(tracks + 1, 0);
  std::uint64_t at = 0;
  for (std::uint32_t track = 0; track < tracks; ++track) {
    counted.begin[track] = static_cast<std::uint32_t>(at);  // the builder rejects larger counts
    for (auto& counts : counted.next) at += std::exchange(counts[track], at);
  }
  counted.begin.back() = static_cast<std::uint32_t>(at);
  counted.total = at;
  return counted;
}

TrackRecords scatter_slices(std::span<EventBatch> batches, std::vector<SliceRecord> paired,
                            SliceCounts counts, const MergedIds& ids, unsigned threads,
                            const std::stop_token& stop) {
  TrackRecords all{Column<SliceRecord>(counts.total), std::move(counts.begin)};
  parallel_for(threads, counts.next.size(), stop, [&](std::size_t group, unsigned) {
    std::vector<std::uint64_t>& next = counts.next[group];
    for_each_slice(counts.groups, group, paired, ids, stop,
                   [&](const SliceRecord& record) { all.records[next[record.track]++] = record; });
    if (group < counts.groups.size()) counts.groups.release(group);
  });
  for (EventBatch& batch : batches) batch.slices.clear();
  return all;
}

}  // namespace kino
