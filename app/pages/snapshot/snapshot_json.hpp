// Reports the state of a snapshot's page to UI tests, without the pages of its drawer.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "app/pages/memory_plot/memory_plot.hpp"
#include "app/pages/memory_plot/run_lane.hpp"
#include "app/pages/memory_plot/treemap_view.hpp"
#include "app/pages/snapshot/snapshot_finder.hpp"
#include "app/pages/snapshot/snapshot_overlay.hpp"

namespace kino {

struct SnapshotParts {
  const SnapshotState& state;
  const MemoryPlot& plot;
  const TreemapView& treemap;
  const SnapshotOverlay& overlay;
  const SnapshotFinder& finder;
  const MatchingTraceLane& run;
  BandColoring coloring;
  std::string picture;  ///< result of the last export
};

nlohmann::ordered_json json_of(const SnapshotParts& parts);

}  // namespace kino
