// The segments of a snapshot without a history: what of them is shown, and a drawing of it.
#pragma once

#include <cstddef>
#include <stop_token>
#include <string>

#include "app/pages/memory_plot/plot_svg.hpp"
#include "core/memory/segment_treemap.hpp"
#include "core/memory/snapshot.hpp"

namespace kino {

struct TreemapQuestion {
  std::size_t device = 0;
  float width = 0;
  float height = 0;
  float least_area = 0;
  bool operator==(const TreemapQuestion&) const = default;
};

struct TreemapAnswer {
  TreemapQuestion question;
  AllocatorLayout layout;
  SegmentTreemap map;
  Fragmentation memory;
};
/// O(blocks * log blocks); of no use when stopped.
TreemapAnswer answer_treemap(const SnapshotDevice& device, const TreemapQuestion& question,
                             const std::stop_token& stop = {});

/// The treemap as a drawing of its own, in the colours of `look.band`.
std::string treemap_svg(const Snapshot& snapshot, const TreemapAnswer& answer, const PlotSvgLook& look);

}  // namespace kino
