#include "core/memory/memory_raster.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/memory/shown_allocations.hpp"

namespace kino {
namespace {

constexpr std::uint32_t kGroupMask = 0x1fffffffU;
constexpr std::uint32_t kSizeGroup = 0x20000000U;

std::uint64_t whole_bytes(double bytes) {
  constexpr double kMost = 1.8e19;
  return static_cast<std::uint64_t>(std::clamp(bytes, 0.0, kMost));
}

/// Sizes by place, with sums of every 16, 256, ... of them, so that lookups and changes need only a few cache
/// lines.
class SumTree {
 public:
  explicit SumTree(std::size_t count) {
    do {
      levels_.emplace_back((count + kFan - 1) / kFan * kFan);
      count = (count + kFan - 1) / kFan;
    } while (count > 1);
    levels_.emplace_back(1);
  }
  void add(std::size_t place, std::uint64_t size) {
    for (std::vector<std::uint64_t>& level : levels_) {
      level[place] += size;
      place /= kFan;
    }
  }
  std::uint64_t total() const { return levels_.back().front(); }

  struct Found {
    std::size_t place = 0;
    std::uint64_t end = 0;  // offset of the end of the bytes at `place`
    bool any = false;
  };
  /// Returns the place that contains `offset`; none if `offset` is beyond the sum of sizes.
  Found find(std::uint64_t offset) const {
    std::size_t place = 0;
    std::uint64_t below = 0;
    for (std::size_t level = levels_.size() - 1; level-- > 0;) {
      const std::vector<std::uint64_t>& sums = levels_[level];
      place *= kFan;
      const std::size_t end = std::min(place + kFan, sums.size());
      while (place < end && offset - below >= sums[place]) below += sums[place++];
      if (place == end) return {};
    }
    return {place, below + levels_.front()[place], true};
  }

 private:
  static constexpr std::size_t kFan = 16;
  std::vector<std::vector<std::uint64_t>> levels_;
};

class Rasterizer {
 public:
  Rasterizer(const SnapshotDevice& device, MemoryRaster& raster, const BandLayout* layout,
             const std::stop_token& stop)
      : history_(device.history),
        allocations_(device.history.allocations),
        raster_(raster),
        layout_(layout),
        groups_(layout != nullptr && is_grouped(layout->kind) ? layout : nullptr),
        stop_(stop) {}

  /// Returns false if stopped.
  bool run() {
    ShownColumns shown = shown_columns(raster_);
    if (shown.columns.empty()) return true;
    columns_ = std::move(shown.columns);
    moments_ = std::move(shown.moments);
    if (!collect_shown(history_, layout_, moments_, shown_, stop_)) return false;
    give_places();
    return draw();
  }

 private:
  /// Assigns places from the bottom: by id, or by strip and id. The unused part of each strip is at the end
  /// of the strip.
  void give_places() {
    const std::size_t strips = groups_ == nullptr ? 0 : groups_->strips.size();
    number_at_.assign(shown_.size() + strips, kRoom);
    place_of_.resize(shown_.size());
    std::vector<std::uint32_t> next(strips + 1);
    if (groups_ != nullptr) {
      for (const ShownAllocation& shown : shown_) ++next[groups_->strip_of[shown.number] + std::size_t{1}];
      for (std::size_t strip = 1; strip < next.size(); ++strip) next[strip] += next[strip - 1] + 1;
      room_at_.resize(strips);
      for (std::size_t strip = 0; strip < strips; ++strip) room_at_[strip] = next[strip + 1] - 1;
    }
    for (std::size_t i = 0; i < shown_.size(); ++i) {
      place_of_[i] = next[groups_ == nullptr ? 0 : groups_->strip_of[shown_[i].number]]++;
      number_at_[place_of_[i]] = shown_[i].number;
    }
  }

  /// Adds or removes shown_[i]. The unused part of its strip changes by the opposite amount.
  void change(SumTree& tree, std::size_t i, bool enters) const {
    const std::uint64_t size = allocations_.size[shown_[i].number];
    const std::uint64_t more = enters ? size : 0 - size;
    tree.add(place_of_[i], more);
    if (groups_ != nullptr) tree.add(room_at_[groups_->strip_of[shown_[i].number]], 0 - more);
  }

  SumTree empty_tree() const {
    SumTree tree(number_at_.size());
    for (std::size_t strip = 0; strip < room_at_.size(); ++strip) {
      const std::uint64_t end =
          strip + 1 < room_at_.size() ? groups_->strips[strip + 1].begin : groups_->height;
      tree.add(room_at_[strip], end - groups_->strips[strip].begin);
    }
    return tree;
  }

  /// Returns indices of shown_, sorted by the first column that no longer shows the allocation.
  std::vector<std::uint32_t> by_end() {
    const std::size_t columns = moments_.size();
    ends_.assign(columns + 2, 0);
    for (const ShownAllocation& shown : shown_) ++ends_[shown.out + 1];
    std::partial_sum(ends_.begin(), ends_.end(), ends_.begin());
    std::vector<std::uint32_t> next(ends_.begin(), ends_.end() - 1);
    std::vector<std::uint32_t> places(shown_.size());
    for (std::uint32_t i = 0; i < shown_.size(); ++i) places[next[shown_[i].out]++] = i;
    return places;
  }

  bool draw() {
    const std::vector<std::uint32_t> leaving = by_end();
    SumTree tree = empty_tree();
    std::size_t entered = 0;
    for (std::uint32_t c = 0; c < moments_.size(); ++c) {
      if (stop_.stop_requested()) return false;
      if (c > 0 && moments_[c] == moments_[c - 1]) {
        const auto cells = raster_.cells.begin();
        std::copy_n(cells + static_cast<std::ptrdiff_t>(std::size_t{columns_[c - 1]} * raster_.rows),
                    raster_.rows,
                    cells + static_cast<std::ptrdiff_t>(std::size_t{columns_[c]} * raster_.rows));
        continue;
      }
      for (; entered < shown_.size() && shown_[entered].in <= c; ++entered) change(tree, entered, true);
      for (; left_ < ends_[c + 1]; ++left_) change(tree, leaving[left_], false);
      draw_column(tree, c);
    }
    return true;
  }

  void draw_column(const SumTree& tree, std::uint32_t c) {
    MemoryCell* const cells = raster_.cells.data() + std::size_t{columns_[c]} * raster_.rows;
    const double low = raster_.low_bytes;
    const double step = raster_.bytes_per_row;
    const auto middle = [&](std::uint32_t row) { return whole_bytes(low + (row + 0.5) * step); };
    const std::uint64_t total = tree.total();
    std::uint32_t row = 0;
    while (row < raster_.rows) {
      std::uint64_t wanted = middle(row);
      if (wanted >= total) {
        if (row > 0 || total == 0 || low >= static_cast<double>(total)) return;
        wanted = total - 1;
      }
      const SumTree::Found found = tree.find(wanted);
      if (!found.any) return;
      const std::uint32_t number = number_at_[found.place];
      const MemoryCell cell = number == kRoom ? MemoryCell{} : cell_of(allocations_, number, moments_[c]);
      do {
        cells[row++] = cell;
      } while (row < raster_.rows && middle(row) < found.end);
    }
  }

  static constexpr std::uint32_t kRoom = 0xffffffffU;

  const AllocationHistory& history_;
  const Allocations& allocations_;
  MemoryRaster& raster_;
  const BandLayout* layout_;  // may be null
  const BandLayout* groups_;  // null: one pile
  const std::stop_token& stop_;
  std::vector<std::uint32_t> columns_;  // columns with a moment
  std::vector<EventIndex> moments_;     // by index of columns_
  std::vector<ShownAllocation> shown_;
  std::vector<std::uint32_t> place_of_;   // by index of shown_
  std::vector<std::uint32_t> number_at_;  // allocation by place; kRoom for the unused part of a strip
  std::vector<std::uint32_t> room_at_;    // place of the unused part, by strip
  std::vector<std::uint32_t> ends_;       // number of allocations with `out` below the column, by column
  std::uint32_t left_ = 0;
};

}  // namespace

std::uint32_t band_group(const Allocations& allocations, AllocationId id) {
  const auto i = static_cast<std::uint32_t>(id);
  const StackId stack = allocations.stack[i];
  if (stack != kNoStack && stack != kEmptyStack) return static_cast<std::uint32_t>(stack) & kGroupMask;
  const std::uint64_t mixed = allocations.size[i] * 0x9e3779b97f4a7c15U;
  const auto hash = static_cast<std::uint32_t>(mixed >> 35) & kGroupMask;
  return kSizeGroup | (hash == kGroupMask ? 0 : hash);
}

std::uint64_t stack_row(const Allocations& allocations, AllocationId id) {
  const bool of_free = allocations.origin[static_cast<std::size_t>(id)] == AllocationOrigin::freed_only;
  return std::uint64_t{band_group(allocations, id)} << 1U | (of_free ? 1U : 0U);
}

EventIndex highest_event(const SnapshotDevice& device, EventIndex first, EventIndex last,
                         const BandLayout* layout) {
  if (first >= last) return first;
  const std::uint64_t highest = shown_over(device, layout, first, last).highest;
  while (first < last) {
    const EventIndex middle = first + (last - first) / 2;
    if (shown_over(device, layout, first, middle).highest == highest) {
      last = middle;
    } else {
      first = middle + 1;
    }
  }
  return first;
}

MemoryRaster memory_raster(const SnapshotDevice& device, std::vector<EventIndex> moments, double low_bytes,
                           double bytes_per_row, std::uint32_t rows, const std::stop_token& stop,
                           const BandLayout* layout) {
  MemoryRaster raster;
  raster.moments = std::move(moments);
  raster.low_bytes = low_bytes;
  raster.bytes_per_row = bytes_per_row;
  raster.rows = rows;
  raster.cells.resize(raster.columns() * rows);
  const bool placed = layout != nullptr && !layout->place_of.empty();
  const bool drawn =
      placed ? draw_places(device, *layout, raster, stop) : Rasterizer(device, raster, layout, stop).run();
  if (!drawn) return {};
  return raster;
}

}  // namespace kino
