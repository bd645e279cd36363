#include "core/trace/links/namesakes.hpp"

#include <cstdint>

#include "core/trace/row_window.hpp"

namespace kino {
namespace {

bool is_call(SliceKind kind) { return kind == SliceKind::cpu_op || kind == SliceKind::annotation; }

/// Whether an operator or annotation other than `slice` has a part in the range, on `row` or on a row below
/// on the track.
bool others_within(const Trace& trace, SliceId slice, RowId row, TimeRange range) {
  if (range.end_ns <= range.begin_ns) return false;
  const Track& track = trace.track(trace.row(row).track);
  for (std::uint32_t r = index_of(row); r < track.first_row + track.row_count; ++r) {
    const SliceWindow window = row_window(trace, trace.rows[r], range);
    for (std::uint32_t i = window.first; i < window.last; ++i) {
      if (SliceId{i} != slice && is_call(trace.slices.kind[i])) return true;
    }
  }
  return false;
}

}  // namespace

bool is_merged_into_caller(const Trace& trace, SliceId slice) {
  if (trace.kind(slice) != SliceKind::cpu_op) return false;
  SliceId around = trace.parent(slice);
  while (around != kNoSlice && !is_call(trace.kind(around))) around = trace.parent(around);
  if (around == kNoSlice || trace.kind(around) != SliceKind::cpu_op ||
      trace.name(around) != trace.name(slice))
    return false;
  const RowId below{index_of(trace.row_of(around)) + 1};
  return !others_within(trace, slice, below, {trace.start_ns(around), trace.start_ns(slice)}) &&
         !others_within(trace, slice, below, {trace.end_ns(slice), trace.end_ns(around)});
}

}  // namespace kino
