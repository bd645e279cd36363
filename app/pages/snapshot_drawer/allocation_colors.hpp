// Colors of a snapshot's allocations in the plot and in the drawer, and the rules of its categories.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "app/pages/memory_plot/band_paint.hpp"
#include "app/pages/memory_plot/category_legend.hpp"
#include "app/pages/memory_plot/memory_plot.hpp"
#include "app/pages/memory_plot/paint_numbers.hpp"
#include "app/pages/memory_plot/snapshot_state.hpp"
#include "app/system/background_result.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/base/worker_pool.hpp"
#include "core/memory/tables/snapshot_search.hpp"

namespace kino {

class AllocationColors {
 public:
  /// All references must outlive the object.
  AllocationColors(const SnapshotState& state, MemoryPlot& plot, WorkerPool& pool,
                   std::function<void()> wake);

  /// Returns the property that determines the colors of bands.
  BandColoring coloring() const { return coloring_; }
  void set_coloring(BandColoring coloring);
  void next_coloring();
  void read_rules();
  const std::shared_ptr<SnapshotCategories>& categories() const { return categories_; }
  /// Returns the categories of the shown device; null until they are computed, or if a rule is invalid.
  const AllocationCategories* told() const;
  void note_hits() { stale_ = true; }
  /// Updates the colors so that they match those of `like`. Allocations that are not in `hits` fade; `hits`
  /// is null if there is no search. If `hits` changed, call note_hits() first. Call once per frame.
  void update(const PaintReference& like, const std::shared_ptr<const SnapshotHits>& hits);
  bool complete() const { return !paint_.running() && !shown_categories_.running(); }

  std::uint32_t of(AllocationId id, const Theme& theme) const;
  std::uint32_t of_group(std::uint32_t group) const;
  /// Returns the color of a category. `byte` is the result of paint_of_category().
  std::uint32_t of_category(std::uint8_t byte, const Theme& theme) const;
  /// Returns the categories of the shown device with their colors, largest at the peak first. Empty unless
  /// categories determine the colors of bands, or until the categories are computed.
  std::vector<CategoryLegendEntry> legend(const Theme& theme) const;
  /// Returns the paint of the shown device's allocations; null until it is computed.
  const BandPaint* paint() const;

 private:
  void note_model(const PaintReference& wanted);
  std::uint32_t of_paint(std::uint8_t byte, const Theme& theme) const;

  const SnapshotState& state_;
  MemoryPlot& plot_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  std::shared_ptr<SnapshotCategories> categories_;
  BandColoring coloring_ = BandColoring::stack;
  BackgroundResult<BandPaint> paint_;
  bool stale_ = false;
  struct DeviceCategories {
    std::size_t device = 0;
    std::shared_ptr<const AllocationCategories> categories;
    std::vector<CategoryAtPeak> at_peak;
  };
  BackgroundResult<DeviceCategories> shown_categories_;
  // device for which shown_categories_ was requested; empty: request it again
  std::optional<std::size_t> categorized_device_;
  // The snapshot from which this one takes its colors. It is weak, so that closing the document frees the
  // snapshot.
  std::weak_ptr<const Snapshot> model_;
  std::weak_ptr<SnapshotCategories> model_categories_;
  std::size_t model_device_ = 0;
};

}  // namespace kino
