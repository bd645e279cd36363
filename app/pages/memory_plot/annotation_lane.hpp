// The lane of record_function regions above a snapshot's plot.
#pragma once

#include <cstdint>
#include <vector>

#include <imgui.h>

#include "app/pages/memory_plot/snapshot_state.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/memory/snapshot_steps.hpp"

namespace kino {

/// Returns the number of rows for these regions, at most kMostAnnotationRows. Deeper regions are not drawn.
std::uint32_t annotation_rows(const std::vector<AnnotationSpan>& spans);
inline constexpr std::uint32_t kMostAnnotationRows = 4;

/// Draws the regions into state.boxes.lane, and a tooltip with the name of the region under the mouse.
void draw_annotations(ImDrawList& list, const SnapshotState& state, const std::vector<AnnotationSpan>& spans,
                      const Theme& theme);

}  // namespace kino
