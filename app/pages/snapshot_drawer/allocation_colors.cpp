#include "app/pages/snapshot_drawer/allocation_colors.hpp"

#include <utility>

#include "app/shell/settings/category_rules.hpp"
#include "app/ui/text/texts.hpp"

namespace kino {
namespace {

/// Returns whether both pointers have the same owner, even if `weak` has expired.
template <class Value>
bool same_owner(const std::weak_ptr<Value>& weak, const std::shared_ptr<Value>& shared) {
  return !weak.owner_before(shared) && !shared.owner_before(weak);
}

/// Returns the color indices that match those of `like`; empty if `like` has no snapshot. If `own` is null,
/// leaves out the indices of categories.
PaintIndices numbers_like(const Snapshot& shown, const AllocationCategories* own, const PaintReference& like,
                          const std::stop_token& stop) {
  if (like.snapshot == nullptr) return {};
  PaintIndices numbers = paint_indices(shown, *like.snapshot, stop);
  const auto theirs = own != nullptr ? like.categories->of(like.device, stop) : nullptr;
  if (theirs != nullptr) numbers.of_category = category_indices(*own, *theirs);
  return numbers;
}

}  // namespace

AllocationColors::AllocationColors(const SnapshotState& state, MemoryPlot& plot, WorkerPool& pool,
                                   std::function<void()> wake)
    : state_(state), plot_(plot), pool_(pool), wake_(std::move(wake)) {
  read_rules();
}

void AllocationColors::set_coloring(BandColoring coloring) {
  coloring_ = coloring;
  stale_ = true;
}

void AllocationColors::next_coloring() {
  set_coloring(static_cast<BandColoring>((static_cast<std::size_t>(coloring_) + 1) % kBandColoringCount));
}

void AllocationColors::read_rules() {
  categories_ =
      std::make_shared<SnapshotCategories>(state_.snapshot, read_category_rules(category_rules_path()));
  stale_ = true;
  categorized_device_.reset();
}

const AllocationCategories* AllocationColors::told() const {
  const DeviceCategories* computed = shown_categories_.value();
  return computed != nullptr && computed->device == state_.device_index() ? computed->categories.get()
                                                                          : nullptr;
}

void AllocationColors::note_model(const PaintReference& wanted) {
  if (same_owner(model_, wanted.snapshot) && same_owner(model_categories_, wanted.categories) &&
      model_device_ == wanted.device)
    return;
  model_ = wanted.snapshot;
  model_categories_ = wanted.categories;
  model_device_ = wanted.device;
  stale_ = true;
}

void AllocationColors::update(const PaintReference& like, const std::shared_ptr<const SnapshotHits>& hits) {
  note_model(like);
  const BandPaint* last = paint_.value();
  if (last != nullptr && last->device != state_.device_index() && !paint_.running()) stale_ = true;
  if (std::exchange(stale_, false)) {
    paint_.start(pool_, wake_,
                 [shown = state_.snapshot, device = state_.device_index(), by = coloring_,
                  rules = categories_, like, hits](const std::stop_token& stop) {
                   const auto known = by == BandColoring::category ? rules->of(device, stop) : nullptr;
                   PaintIndices numbers = numbers_like(*shown, known.get(), like, stop);
                   return band_paint(*shown, device, by, known.get(), hits.get(), std::move(numbers), stop);
                 });
  }
  if (const BandPaint* fresh = paint_.poll()) plot_.set_paint(*fresh);
  if (categorized_device_ != state_.device_index()) {
    categorized_device_ = state_.device_index();
    shown_categories_.start(pool_, wake_,
                            [shown = state_.snapshot, device = state_.device_index(),
                             rules = categories_](const std::stop_token& stop) {
                              DeviceCategories made{device, rules->of(device, stop), {}};
                              if (made.categories != nullptr) {
                                made.at_peak =
                                    categories_at_peak(shown->devices[device], *made.categories, stop);
                              }
                              return made;
                            });
  }
  // The legend of the next frame shows them, since its height is needed before this update.
  if (shown_categories_.poll() != nullptr) wake_();
}

std::vector<CategoryLegendEntry> AllocationColors::legend(const Theme& theme) const {
  const AllocationCategories* const categories = told();
  if (coloring_ != BandColoring::category || categories == nullptr) return {};
  std::vector<CategoryLegendEntry> entries;
  entries.reserve(shown_categories_.value()->at_peak.size());
  for (const CategoryAtPeak& found : shown_categories_.value()->at_peak) {
    entries.push_back({of_category(paint_of_category(*categories, found.category), theme),
                       in_language(categories->names[found.category]), found.bytes});
  }
  return entries;
}

const BandPaint* AllocationColors::paint() const {
  const BandPaint* paint = paint_.value();
  return paint != nullptr && paint->device == state_.device_index() ? paint : nullptr;
}

std::uint32_t AllocationColors::of(AllocationId id, const Theme& theme) const {
  const auto i = static_cast<std::size_t>(id);
  const BandPaint* painted = paint();
  if (painted != nullptr && i < painted->of_allocation.size())
    return of_paint(painted->of_allocation[i], theme);
  return of_group(band_group(state_.history().allocations, id));
}

std::uint32_t AllocationColors::of_group(std::uint32_t group) const {
  const BandPaint* paint = paint_.value();
  return plot_.color_of(paint == nullptr ? group : paint_of(paint->numbers.of_stack, group));
}

std::uint32_t AllocationColors::of_category(std::uint8_t byte, const Theme& theme) const {
  const BandPaint* paint = paint_.value();
  const bool other = (byte & BandPaint::kGrey) != 0 || paint == nullptr;
  return of_paint(other ? byte : paint_of(paint->numbers.of_category, byte), theme);
}

std::uint32_t AllocationColors::of_paint(std::uint8_t byte, const Theme& theme) const {
  return (byte & BandPaint::kGrey) != 0 ? MemoryPlot::gray(theme) : plot_.color_of(byte & 63U);
}

}  // namespace kino
