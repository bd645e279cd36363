// Computes the treemap of the segments of a device without a history, and writes the treemap as SVG.
#pragma once

#include <cstddef>
#include <stop_token>
#include <string>

#include "app/pages/memory_plot/plot_svg.hpp"
#include "core/memory/segment_treemap.hpp"
#include "core/memory/snapshot.hpp"

namespace kino {

struct TreemapParams {
  std::size_t device = 0;
  float width = 0;
  float height = 0;
  float least_area = 0;
  bool operator==(const TreemapParams&) const = default;
};

struct TreemapResult {
  TreemapParams question;
  AllocatorLayout layout;
  SegmentTreemap map;
  Fragmentation memory;
};
/// Computes the treemap of the device's state after its last entry. O(blocks * log blocks).
TreemapResult compute_treemap(const SnapshotDevice& device, const TreemapParams& question,
                              const std::stop_token& stop = {});

/// Returns the treemap as SVG. `look.band` determines the colors of the allocations.
std::string treemap_svg(const Snapshot& snapshot, const TreemapResult& answer, const PlotSvgStyle& look);

}  // namespace kino
