// Statistics by name for a part of a trace: a range of some tracks, a step, or a slice.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/tables/analysis/name_sums.hpp"
#include "core/tables/table.hpp"
#include "core/trace/timeline/track_set.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Part to summarize. A range includes the parts of slices inside it. A step (an annotation "ProfilerStep#n")
/// includes the events of CPU threads, clipped to the step. A slice includes itself and the slices below it
/// on its track. Steps and CPU slices also include the GPU work they launch, with its full duration.
struct TracePart {
  TimeRange range;                 ///< the range; for a slice or step, its start and end
  std::optional<TrackSet> tracks;  ///< tracks of a range; nullopt means all
  SliceId slice = kNoSlice;        ///< the slice, or the annotation of the step
  bool operator==(const TracePart&) const = default;
};

/// Whether the slice is a step annotation on the CPU.
bool is_step(const Trace& trace, SliceId slice);

/// Returns the statistics of the part by name and kind, sorted by NameId, then kind. Fails with `cancelled`
/// after a stop request. O(slices of the part's tracks in its range; for a slice or step also all GPU
/// slices).
Result<std::vector<NameStats>> summarize_part(const Trace& trace, const TracePart& part,
                                              const std::stop_token& stop = {});

struct ComparedPart {
  std::string label;  ///< column label: "A"
  std::vector<NameStats> names;
};
/// Texts of the table, in the language of the window.
struct PartWords {
  std::string title, definition, name, kind, count, calls, total, change;
  std::vector<std::string> kinds;  ///< by SliceKind; empty: text_of()
};
/// Returns a table with one row per name and kind that occurs in any part, with count, calls and total per
/// part. Parts after the first also have columns for the differences of count and total from the first part.
/// The difference of the total is also given as a share of the first part's total. Sorted by the largest
/// difference of totals, or by the total if there is only one part. Column keys contain the part's position:
/// "count_1", "total_1_ns", "change_2_ns".
Table part_comparison(const Trace& trace, const std::vector<ComparedPart>& parts, const PartWords& words);

}  // namespace kino
