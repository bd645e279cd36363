#include "core/trace/links/namesakes.hpp"

#include <cstdint>

#include "core/trace/row_window.hpp"

namespace kino {
namespace {

bool is_call(SliceKind kind) { return kind == SliceKind::cpu_op || kind == SliceKind::annotation; }

/// Whether an operator or annotation other than `slice` has a part in the range. `row` and the rows of its
/// track below it are looked at.
bool others_within(const Trace& trace, SliceId slice, RowId row, TimeRange range) {
  if (range.end_ns <= range.begin_ns) return false;
  const Track& track = trace.tracks[index_of(trace.rows[index_of(row)].track)];
  for (std::uint32_t r = index_of(row); r < track.first_row + track.row_count; ++r) {
    const SliceWindow window = row_window(trace, trace.rows[r], range);
    for (std::uint32_t i = window.first; i < window.last; ++i) {
      if (SliceId{i} != slice && is_call(trace.slices.kind[i])) return true;
    }
  }
  return false;
}

}  // namespace

bool is_part_of_namesake(const Trace& trace, SliceId slice) {
  const SliceColumns& slices = trace.slices;
  if (slices.kind[index_of(slice)] != SliceKind::cpu_op) return false;
  SliceId around = slices.parent[index_of(slice)];
  while (around != kNoSlice && !is_call(slices.kind[index_of(around)]))
    around = slices.parent[index_of(around)];
  if (around == kNoSlice || slices.kind[index_of(around)] != SliceKind::cpu_op ||
      slices.name[index_of(around)] != slices.name[index_of(slice)])
    return false;
  const RowId below{index_of(trace.row_of(around)) + 1};
  return !others_within(trace, slice, below,
                        {slices.start_ns[index_of(around)], slices.start_ns[index_of(slice)]}) &&
         !others_within(trace, slice, below, {trace.end_ns(slice), trace.end_ns(around)});
}

}  // namespace kino
