// Colors of a snapshot's allocations in the plot and in the drawer, and the rules of its categories.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "app/pages/memory_plot/band_paint.hpp"
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
  /// All references must outlive it.
  AllocationColors(const SnapshotState& state, MemoryPlot& plot, WorkerPool& pool,
                   std::function<void()> wake);

  /// The property that the bands' colors show.
  BandColoring coloring() const { return coloring_; }
  void set_coloring(BandColoring coloring);
  void next_coloring();
  void read_rules();
  const std::shared_ptr<SnapshotCategories>& categories() const { return categories_; }
  /// Categories of the shown device; null until they are computed, or if a rule is invalid.
  const AllocationCategories* told() const;
  void note_hits() { stale_ = true; }
  /// Call once a frame. Takes the colors of `like`. Allocations not in `hits` fade; null without a search.
  void update(const PaintReference& like, const std::shared_ptr<const SnapshotHits>& hits);
  bool complete() const { return !paint_.running() && !shown_categories_.running(); }

  std::uint32_t of(AllocationId id, const Theme& theme) const;
  std::uint32_t of_group(std::uint32_t group) const;
  /// Color of a category's BandPaint byte.
  std::uint32_t of_category(std::uint8_t byte, const Theme& theme) const;
  /// Paint of each allocation of the device; null until the first is computed.
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
  };
  BackgroundResult<DeviceCategories> shown_categories_;
  // device of the running or finished shown_categories_; empty to compute it again
  std::optional<std::size_t> categorized_device_;
  // The snapshot whose colors this one takes; weak, so that closing it frees it.
  std::weak_ptr<const Snapshot> model_;
  std::weak_ptr<SnapshotCategories> model_categories_;
  std::size_t model_device_ = 0;
};

}  // namespace kino
