// Which colour each allocation of a snapshot has, in the plot and in the drawer, and the rules of its
// categories.
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

/// UI thread only; colours are computed on the pool.
class AllocationColors {
 public:
  /// All of them outlive it.
  AllocationColors(const SnapshotState& state, MemoryPlot& plot, WorkerPool& pool,
                   std::function<void()> wake);

  /// What the bands' colours stand for.
  BandColoring coloring() const { return coloring_; }
  void set_coloring(BandColoring coloring);
  void next_coloring();
  /// Reads the rules of the categories again.
  void read_rules();
  const std::shared_ptr<SnapshotCategories>& categories() const { return categories_; }
  /// Of the device that is shown; null until they are known, or where a rule cannot be used.
  const AllocationCategories* told() const;
  /// The hits of a search have changed.
  void note_hits() { stale_ = true; }
  /// Once a frame. `like` is whose colours it takes; `hits` keep theirs while others fade; null: no search.
  void update(const PaintModel& like, const std::shared_ptr<const SnapshotHits>& hits);
  bool complete() const { return !paint_.running() && !told_.running(); }

  std::uint32_t of(AllocationId id, const Theme& theme) const;
  std::uint32_t of_group(std::uint32_t group) const;
  /// Of a category's BandPaint byte.
  std::uint32_t of_category(std::uint8_t byte, const Theme& theme) const;
  /// By allocation, as BandPaint has it; null before the first of the device.
  const BandPaint* paint() const;

 private:
  void note_model(const PaintModel& wanted);
  std::uint32_t of_paint(std::uint8_t byte, const Theme& theme) const;

  const SnapshotState& state_;
  MemoryPlot& plot_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  std::shared_ptr<SnapshotCategories> categories_;
  BandColoring coloring_ = BandColoring::stack;
  BackgroundResult<BandPaint> paint_;
  bool stale_ = false;
  struct Told {
    std::size_t device = 0;
    std::shared_ptr<const AllocationCategories> categories;
  };
  BackgroundResult<Told> told_;
  std::optional<std::size_t> told_device_;  // that told_ is or will be of; nothing: ask anew
  // Whose colours it has: closing that one frees it.
  std::weak_ptr<const Snapshot> model_;
  std::weak_ptr<SnapshotCategories> model_categories_;
  std::size_t model_device_ = 0;
};

}  // namespace kino
