// What happens in a part of a trace, name by name: in a range of some tracks, in a step, or in a slice.
#pragma once

#include <cstdint>
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

/// A part to be summed up. A range counts what it cuts with the piece that lies inside. A step (an annotation
/// "ProfilerStep#n") is what the CPU's threads do within it; a slice is itself and what its own track has
/// within it in the lanes below. Both count the work they launch on GPUs with all of its time, whenever it
/// runs; a slice of a GPU has none.
struct TracePart {
  TimeRange range;                 ///< of the slice when there is one
  std::optional<TrackSet> tracks;  ///< of a range: nothing for all
  SliceId slice = kNoSlice;        ///< the slice or the step's annotation
  bool operator==(const TracePart&) const = default;
};

/// Whether the slice is a step's annotation of the CPU.
bool is_step(const Trace& trace, SliceId slice);

/// By name, then kind. Fails with `cancelled` after a stop request. O(slices of the part's tracks in its
/// range; with a slice or step also all slices of GPUs).
Result<std::vector<NameStats>> summarize_part(const Trace& trace, const TracePart& part,
                                              const std::stop_token& stop = {});

/// One side of a comparison.
struct ComparedPart {
  std::string label;  ///< "A", at the columns
  std::vector<NameStats> names;
};
/// The words of the table, in the language it is shown in.
struct PartWords {
  std::string title, definition, name, kind, count, calls, total, change;
  std::vector<std::string> kinds;  ///< by SliceKind; empty: as text_of() has them
};
/// A row for every name and kind that one of the parts has: of each part count, calls and total; of each but
/// the first also by how much both differ from the first, and the share of the first's total that this is,
/// where it has one. In order of the largest difference, or of the total of a single part. Keys of columns
/// end in the part's place: "count_1", "calls_1", "total_1_ns", "count_change_2".
Table part_comparison(const Trace& trace, const std::vector<ComparedPart>& parts, const PartWords& words);

}  // namespace kino
