// The lane of record_function regions above a snapshot's plot.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include <imgui.h>

#include "app/snapshot_state.hpp"
#include "app/theme.hpp"
#include "core/snapshot.hpp"

namespace kino {

/// A region, by the events in it.
struct AnnotationSpan {
  EventIndex begin = 0;     ///< the first event that is not before it
  EventIndex end = kNever;  ///< the first behind it; kNever when the recording ends first
  std::uint32_t depth = 0;
  std::uint32_t name = 0;  ///< in Snapshot::strings
};

/// Those of device `index`, by begin; ends without a start are left out. O(annotations * log entries).
std::vector<AnnotationSpan> annotation_spans(const Snapshot& snapshot, std::size_t index,
                                             const std::stop_token& stop);
/// How many rows they take, at most kMostAnnotationRows; deeper ones are left out.
std::uint32_t annotation_rows(const std::vector<AnnotationSpan>& spans);
inline constexpr std::uint32_t kMostAnnotationRows = 4;

/// Into state.boxes.lane, with a tooltip where the mouse is.
void draw_annotations(ImDrawList& list, const SnapshotState& state, const std::vector<AnnotationSpan>& spans,
                      const Theme& theme);

}  // namespace kino
