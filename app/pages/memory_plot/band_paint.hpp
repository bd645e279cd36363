// Which colour the bands of a snapshot's plot have: by stack, category, stream, pool or size; hits of a
// search.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/pages/memory_plot/paint_numbers.hpp"
#include "app/shell/settings/category_rules.hpp"
#include "app/system/background_result.hpp"
#include "core/base/messages/message.hpp"
#include "core/memory/tables/snapshot_search.hpp"

namespace kino {

/// The categories of each device, computed when somebody asks first. Any thread.
class SnapshotCategories {
 public:
  SnapshotCategories(std::shared_ptr<const Snapshot> snapshot, CategoryRules rules)
      : snapshot_(std::move(snapshot)), rules_(std::move(rules)), known_(snapshot_->devices.size()) {}
  const CategoryRules& rules() const { return rules_; }
  /// Null when stopped, or when a rule cannot be used; then `problem`, unless it is null, says why.
  std::shared_ptr<const AllocationCategories> of(std::size_t device, const std::stop_token& stop,
                                                 Message* problem = nullptr);

 private:
  std::shared_ptr<const Snapshot> snapshot_;
  CategoryRules rules_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<const AllocationCategories>> known_;  // guarded by mutex_
};

/// In the order of the key that goes through them.
enum class BandColoring : std::uint8_t { stack, category, stream, pool, size };
inline constexpr std::size_t kBandColoringCount = static_cast<std::size_t>(BandColoring::size) + 1;
std::string_view text_of(BandColoring coloring);
/// Nothing for another word.
std::optional<BandColoring> band_coloring_of(std::string_view text);

/// The colours of bands by number, 0xAABBGGRR. Neighbours in number differ most.
std::vector<std::uint32_t> band_palette(bool dark);

/// A byte an allocation: the number of its colour, and the flags. Empty: the colours of stacks, none faded.
struct BandPaint {
  static constexpr std::uint8_t kFaded = 0x80;  ///< not among the hits
  static constexpr std::uint8_t kGrey = 0x40;   ///< instead of a colour: what is other
  std::size_t device = 0;
  BandColoring coloring = BandColoring::stack;
  bool searched = false;  ///< whether what is not kFaded is what a search has found
  std::vector<std::uint8_t> of_allocation;
  PaintNumbers numbers;
};

/// O(allocations). Empty when stopped. `categories` may be null unless the bands are coloured by them, `hits`
/// too.
BandPaint band_paint(const Snapshot& snapshot, std::size_t device, BandColoring coloring,
                     const AllocationCategories* categories, const SnapshotHits* hits, PaintNumbers numbers,
                     const std::stop_token& stop);
/// The colour of a category; grey where is_unknown_category() holds.
std::uint8_t paint_of_category(const AllocationCategories& categories, std::size_t category);

}  // namespace kino
