// The slices of all batches in one list by track. They are counted first, to know their positions, and then
// moved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "core/base/huge_memory.hpp"
#include "core/trace/build/event_batch.hpp"
#include "core/trace/build/merged_ids.hpp"
#include "core/trace/build/record_kinds.hpp"
#include "core/trace/build/slice_groups.hpp"

namespace kino {

/// Slices with the trace's ids.
struct TrackRecords {
  Column<SliceRecord> records;       ///< by track
  std::vector<std::uint32_t> begin;  ///< by track: index of its first record; last: the count

  std::uint32_t count(std::uint32_t track) const { return begin[track + 1] - begin[track]; }
  std::span<SliceRecord> of(std::uint32_t track) {
    return records.span().subspan(begin[track], count(track));
  }
  /// Returns the tracks with slices, largest first, so that threads finish at about the same time.
  std::vector<std::uint32_t> largest_first() const;
};

struct SliceCounts {
  SliceGroups groups;                            ///< groups of batch slices; the pairs are one more group
  std::vector<std::vector<std::uint64_t>> next;  ///< by group and track: index of the next record
  std::vector<std::uint32_t> begin;              ///< TrackRecords::begin; invalid above 2^32 slices
  std::uint64_t total = 0;
  std::vector<std::vector<std::uint32_t>> launch_ids;  ///< by group: correlation ids of launches
};

/// Counts slices by group and track. The slices in `paired` already have ids of the trace, so `ids` does
/// not apply to them. The batches must not change until
/// scatter_slices(). O(slices / threads).
SliceCounts count_slices(std::span<EventBatch> batches, std::span<const SliceRecord> paired,
                         const MergedIds& ids, const RecordKinds& kinds, unsigned threads,
                         const std::stop_token& stop);

/// Moves the slices of the batches into one list, and frees the batches' slices while the list grows.
TrackRecords scatter_slices(std::span<EventBatch> batches, std::vector<SliceRecord> paired,
                            SliceCounts counts, const MergedIds& ids, unsigned threads,
                            const std::stop_token& stop);

}  // namespace kino
