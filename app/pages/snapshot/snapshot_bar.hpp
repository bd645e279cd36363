// The bar above the plot of a snapshot: its devices, figures or search, and its axis, layout and coloring.
#pragma once

#include <optional>
#include <string>

#include <imgui.h>

#include "app/pages/memory_plot/plot_picture.hpp"
#include "app/pages/memory_plot/snapshot_state.hpp"
#include "app/pages/memory_plot/treemap_view.hpp"
#include "app/pages/snapshot/snapshot_finder.hpp"
#include "app/pages/snapshot_drawer/allocation_colors.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

struct SnapshotBarParts {
  SnapshotState& state;
  const TreemapView& treemap;
  SnapshotFinder& finder;
  const PlotPicture& picture;
  AllocationColors& colors;
  const Theme& theme;
};

/// Draws the bar. Returns the user's requests to the search; nullopt while the search is closed.
std::optional<SnapshotFinder::Actions> draw_snapshot_bar(ImDrawList& list, const SnapshotBarParts& parts);
/// Returns the counts and sizes of the device, or of the hits that filter the plot, in one line.
std::string snapshot_figures(const SnapshotState& state, const TreemapView& treemap);

}  // namespace kino
