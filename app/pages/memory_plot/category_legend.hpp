// The strip below a snapshot's plot that explains the colors of categories.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include <imgui.h>

#include "app/pages/memory_plot/snapshot_state.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/memory/snapshot.hpp"
#include "core/memory/tables/snapshot_categories.hpp"

namespace kino {

/// Height of the strip at scale 1.
inline constexpr float kCategoryLegendPx = 24;

/// A category of a device's allocations, and its bytes at the device's peak.
struct CategoryAtPeak {
  std::size_t category = 0;  ///< index into AllocationCategories::names
  std::uint64_t bytes = 0;
};
/// Returns the categories that occur, largest at the peak first, then in the order of their indices. Empty if
/// stopped. O(allocations).
std::vector<CategoryAtPeak> categories_at_peak(const SnapshotDevice& device,
                                               const AllocationCategories& categories,
                                               const std::stop_token& stop);

struct CategoryLegendEntry {
  std::uint32_t color = 0;
  std::string name;
  std::uint64_t bytes = 0;
};

/// Draws the entries that fit into state.boxes.legend, and all of them with their bytes at the peak in its
/// tooltip. Draws nothing if the box has no height. Returns the number of entries drawn.
std::size_t draw_category_legend(ImDrawList& list, const SnapshotState& state,
                                 std::span<const CategoryLegendEntry> entries, const Theme& theme);

}  // namespace kino
