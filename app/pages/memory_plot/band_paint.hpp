// Colors of the bands in a snapshot's plot: by stack, category, stream, pool or size. A search fades the
// allocations that it does not find.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "app/pages/memory_plot/paint_numbers.hpp"
#include "app/shell/settings/category_rules.hpp"
#include "app/system/background_result.hpp"
#include "core/base/messages/message.hpp"
#include "core/memory/tables/snapshot_search.hpp"

namespace kino {

/// Categories of the allocations of each device, computed on first use. Thread-safe.
class SnapshotCategories {
 public:
  SnapshotCategories(std::shared_ptr<const Snapshot> snapshot, CategoryRules rules)
      : snapshot_(std::move(snapshot)), rules_(std::move(rules)), known_(snapshot_->devices.size()) {}
  const CategoryRules& rules() const { return rules_; }
  /// Returns the categories of a device, or null if a rule is invalid or if stopped. If null, sets `problem`
  /// to the reason unless `problem` is null.
  std::shared_ptr<const AllocationCategories> of(std::size_t device, const std::stop_token& stop,
                                                 Message* problem = nullptr);

 private:
  std::shared_ptr<const Snapshot> snapshot_;
  CategoryRules rules_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<const AllocationCategories>> known_;  // guarded by mutex_
};

/// Property that determines the colors of bands, in the order in which a key cycles through them.
enum class BandColoring : std::uint8_t { stack, category, stream, pool, size };
inline constexpr std::size_t kBandColoringCount = static_cast<std::size_t>(BandColoring::size) + 1;
std::string_view text_of(BandColoring coloring);
/// Returns the coloring of this name; nullopt if unknown.
std::optional<BandColoring> parse_band_coloring(std::string_view text);

/// Returns the colors of bands by index, as 0xAABBGGRR. Colors with consecutive indices differ strongly.
std::vector<std::uint32_t> band_palette(bool dark);

/// Colors of a device's allocations. `of_allocation` has one byte per allocation: the index of its color, and
/// flags. If empty, allocations have the colors of their stacks.
struct BandPaint {
  static constexpr std::uint8_t kFaded = 0x80;  ///< not among the hits of the search
  static constexpr std::uint8_t kGrey = 0x40;   ///< gray instead of a color, for unknown categories
  std::size_t device = 0;
  BandColoring coloring = BandColoring::stack;
  bool searched = false;  ///< whether allocations without kFaded are the hits of a search
  std::vector<std::uint8_t> of_allocation;
  PaintIndices numbers;
};

/// Computes the colors of a device's allocations. If `coloring` is by category and `categories` is null, all
/// are gray. If `hits` is null, none fades. O(allocations).
BandPaint band_paint(const Snapshot& snapshot, std::size_t device, BandColoring coloring,
                     const AllocationCategories* categories, const SnapshotHits* hits, PaintIndices numbers,
                     const std::stop_token& stop);
/// Returns the color index of a category; kGrey if is_unknown_category() holds.
std::uint8_t paint_of_category(const AllocationCategories& categories, std::size_t category);

}  // namespace kino
