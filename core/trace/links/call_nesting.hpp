// Callers and callees among chosen kinds of slices on one track, even if slices of other kinds cross them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <stop_token>
#include <vector>

#include "core/base/parallel.hpp"
#include "core/base/run_merge_sort.hpp"
#include "core/trace/row_window.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// A slice of a track and the innermost chosen slice around it.
struct NestedCall {
  SliceId slice = kNoSlice;
  SliceId caller = kNoSlice;
  std::int64_t free_from_ns = 0;  ///< start of the part that no earlier chosen callee of its caller covers
};

/// Returns the slices of the track with a part in the range, ordered by start, longer ones first. O(slices),
/// and a merge of the rows.
inline std::vector<SliceId> slices_by_start(const Trace& trace, const Track& track, TimeRange range,
                                            const std::stop_token& stop) {
  std::vector<SliceId> ordered;
  for (std::uint32_t row = track.first_row; row < track.first_row + track.row_count; ++row) {
    const SliceWindow part = row_window(trace, trace.rows[row], range);
    for (std::uint32_t i = part.first; i < part.last; ++i) ordered.push_back(SliceId{i});
  }
  run_merge_sort(
      ordered.data(), ordered.size(),
      [&](SliceId a, SliceId b) {
        return std::pair(trace.start_ns(a), -trace.duration_ns(a)) <
               std::pair(trace.start_ns(b), -trace.duration_ns(b));
      },
      [&stop] { return stop.stop_requested(); });
  return ordered;
}

/// Calls `visit(NestedCall)` for all slices of the track with a part in the range, by start. Only slices for
/// which `chosen(SliceId)` is true are callers. If a chosen slice ends inside a later chosen slice, it has no
/// further callees after the start of the later one (torch.autograd.profiler_util). Other slices do not
/// interrupt a call that they cross. Returns early on a stop request. O(slices log depth), and a merge of the
/// rows.
template <class Chosen, class Visit>
void for_each_nested_call(const Trace& trace, const Track& track, TimeRange range,
                          const std::stop_token& stop, const Chosen& chosen, const Visit& visit) {
  struct Open {
    SliceId slice;
    std::int64_t end_ns;
    std::int64_t covered_until_ns;  // by its callees
  };
  std::vector<Open> open;  // ends do not ascend from bottom to top
  std::size_t visited = 0;
  for (const SliceId slice : slices_by_start(trace, track, range, stop)) {
    if (++visited % kCancelStride == 0 && stop.stop_requested()) return;
    const std::int64_t start_ns = trace.start_ns(slice);
    const std::int64_t end_ns = trace.end_ns(slice);
    const bool calls = chosen(slice);
    while (!open.empty() && (open.back().end_ns <= start_ns || (calls && open.back().end_ns < end_ns)))
      open.pop_back();
    const auto end =
        std::ranges::partition_point(open, [end_ns](const Open& call) { return call.end_ns >= end_ns; });
    NestedCall call{slice, kNoSlice, start_ns};
    if (end != open.begin()) {
      Open& caller = *std::prev(end);
      call.caller = caller.slice;
      call.free_from_ns = std::min(std::max(start_ns, caller.covered_until_ns), end_ns);
      if (calls) caller.covered_until_ns = std::max(caller.covered_until_ns, end_ns);
    }
    if (calls) open.push_back({slice, end_ns, start_ns});
    visit(call);
  }
}

}  // namespace kino
