#include "app/pages/memory_plot/band_paint.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/widgets/oklch.hpp"
#include "core/memory/memory_raster.hpp"

namespace kino {
namespace {

constexpr double kGoldenDegrees = 137.50776;
constexpr std::array<std::string_view, kBandColoringCount> kColoringNames{"stack", "category", "stream",
                                                                          "pool", "size"};

}  // namespace

std::shared_ptr<const AllocationCategories> SnapshotCategories::of(std::size_t device,
                                                                   const std::stop_token& stop,
                                                                   Message* problem) {
  const std::lock_guard lock(mutex_);
  if (known_[device] != nullptr) return known_[device];
  Result<AllocationCategories> made = categorize(*snapshot_, device, rules_.rules, byte_units(), stop);
  if (!made.ok()) {
    if (problem != nullptr) *problem = made.error().what;
    return nullptr;
  }
  known_[device] = std::make_shared<const AllocationCategories>(std::move(made).value());
  return known_[device];
}

/// Colors with consecutive indices have very different hues. Three levels of lightness help to distinguish
/// colors with similar hues.
std::vector<std::uint32_t> band_palette(bool dark) {
  std::vector<std::uint32_t> colors;
  for (std::size_t i = 0; i < kPaintColors; ++i) {
    const double lightness = (dark ? 0.58 : 0.62) + 0.085 * static_cast<double>(i % 3);
    const double hue = std::fmod(static_cast<double>(i) * kGoldenDegrees, 360.0);
    colors.push_back(packed_color({lightness, 0.115, hue}));
  }
  return colors;
}

std::string_view text_of(BandColoring coloring) { return kColoringNames[static_cast<std::size_t>(coloring)]; }

std::optional<BandColoring> parse_band_coloring(std::string_view text) {
  const auto found = std::ranges::find(kColoringNames, text);
  if (found == kColoringNames.end()) return std::nullopt;
  return static_cast<BandColoring>(found - kColoringNames.begin());
}

std::uint8_t paint_of_category(const AllocationCategories& categories, std::size_t category) {
  if (is_unknown_category(categories.names[category])) return BandPaint::kGrey;
  return static_cast<std::uint8_t>(category % kPaintColors);
}

BandPaint band_paint(const Snapshot& snapshot, std::size_t device, BandColoring coloring,
                     const AllocationCategories* categories, const SnapshotHits* hits, PaintIndices numbers,
                     const std::stop_token& stop) {
  BandPaint paint;
  paint.device = device;
  paint.coloring = coloring;
  paint.searched = hits != nullptr;
  paint.numbers = std::move(numbers);
  const PaintIndices& by = paint.numbers;
  if (coloring == BandColoring::stack && hits == nullptr && by.of_stack.empty()) return paint;
  const Allocations& all = snapshot.devices[device].history.allocations;
  std::vector<std::uint8_t> colors(all.count());
  const std::uint8_t faded = hits != nullptr ? BandPaint::kFaded : 0;
  for (std::size_t i = 0; i < colors.size(); ++i) {
    if (i % 65536 == 0 && stop.stop_requested()) return paint;
    std::uint8_t color = 0;
    switch (coloring) {
      case BandColoring::stack:
        color = paint_of(by.of_stack, band_group(all, AllocationId{static_cast<std::uint32_t>(i)}));
        break;
      case BandColoring::category:
        color = categories == nullptr ? BandPaint::kGrey
                                      : paint_of_category(*categories, categories->of_allocation[i]);
        if (color != BandPaint::kGrey) color = paint_of(by.of_category, color);
        break;
      case BandColoring::stream:
        color = paint_of(by.of_stream, all.stream[i]);
        break;
      case BandColoring::pool:
        color = paint_of(by.of_pool, all.pool[i]);
        break;
      case BandColoring::size:
        color = paint_of({}, static_cast<std::uint32_t>(std::bit_width(all.size[i])));
        break;
    }
    colors[i] = static_cast<std::uint8_t>(color | faded);
  }
  if (hits != nullptr) {
    for (const AllocationId id : hits->allocations)
      colors[static_cast<std::size_t>(id)] &= static_cast<std::uint8_t>(~BandPaint::kFaded);
  }
  paint.of_allocation = std::move(colors);
  return paint;
}

}  // namespace kino
