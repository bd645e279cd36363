#include "core/memory_raster.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace kino {
namespace {

constexpr std::uint32_t kGroupMask = 0x1fffffffU;
constexpr std::uint32_t kSizeGroup = 0x20000000U;
constexpr std::size_t kStopSteps = 1 << 16;

std::uint64_t whole_bytes(double bytes) {
  constexpr double kMost = 1.8e19;
  return static_cast<std::uint64_t>(std::clamp(bytes, 0.0, kMost));
}

/// Sizes by place, and the sums of each 16, of each 256 and so on of them: a prefix sum is found, and a size
/// set, in a few cache lines.
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
    std::uint64_t end = 0;  // of its bytes
    bool any = false;
  };
  /// The place whose bytes cover `offset`; none when sizes beyond 2^64 in all make no sense.
  Found find(std::uint64_t offset) const {
    std::size_t place = 0;
    std::uint64_t below = 0;
    for (std::size_t level = levels_.size() - 1; level-- > 0;) {
      const std::vector<std::uint64_t>& sums = levels_[level];
      place *= kFan;
      const std::size_t behind = std::min(place + kFan, sums.size());
      while (place < behind && offset - below >= sums[place]) below += sums[place++];
      if (place == behind) return {};
    }
    return {place, below + levels_.front()[place], true};
  }

 private:
  static constexpr std::size_t kFan = 16;
  std::vector<std::vector<std::uint64_t>> levels_;
};

/// An allocation that at least one column shows, in columns [in, out).
struct Shown {
  std::uint32_t number = 0;
  std::uint32_t in = 0;
  std::uint32_t out = 0;
};

class Rasterizer {
 public:
  Rasterizer(const SnapshotDevice& device, MemoryRaster& raster, const std::stop_token& stop)
      : history_(device.history), of_(device.history.allocations), raster_(raster), stop_(stop) {}

  /// False when stopped.
  bool run() {
    for (std::size_t column = 0; column < raster_.columns(); ++column) {
      if (raster_.moments[column] == kNoMoment) continue;
      columns_.push_back(static_cast<std::uint32_t>(column));
      moments_.push_back(raster_.moments[column]);
    }
    if (moments_.empty()) return true;
    return collect() && draw();
  }

 private:
  std::uint32_t column_from(EventIndex event) const {
    const auto found = std::ranges::lower_bound(moments_, event);
    return static_cast<std::uint32_t>(found - moments_.begin());
  }

  /// In the order of their numbers, in which they are stacked.
  bool collect() {
    for (const AllocationId id : live_at(history_, moments_.front())) {
      const auto number = static_cast<std::uint32_t>(id);
      shown_.push_back({number, 0, column_from(of_.end[number])});
    }
    const auto begins = of_.begin.span();
    const auto first = std::upper_bound(begins.begin(), begins.end(), moments_.front()) - begins.begin();
    const auto behind = std::upper_bound(begins.begin(), begins.end(), moments_.back()) - begins.begin();
    std::uint32_t in = 0;
    for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(behind); ++i) {
      if (i % kStopSteps == 0 && stop_.stop_requested()) return false;
      while (moments_[in] < of_.begin[i]) ++in;
      if (of_.end[i] <= moments_[in]) continue;
      shown_.push_back({static_cast<std::uint32_t>(i), in, column_from(of_.end[i])});
    }
    return true;
  }

  /// Places of shown_ by the column that no longer has them.
  std::vector<std::uint32_t> by_end() {
    const std::size_t columns = moments_.size();
    ends_.assign(columns + 2, 0);
    for (const Shown& shown : shown_) ++ends_[shown.out + 1];
    for (std::size_t i = 1; i < ends_.size(); ++i) ends_[i] += ends_[i - 1];
    std::vector<std::uint32_t> next(ends_.begin(), ends_.end() - 1);
    std::vector<std::uint32_t> places(shown_.size());
    for (std::uint32_t i = 0; i < shown_.size(); ++i) places[next[shown_[i].out]++] = i;
    return places;
  }

  bool draw() {
    const std::vector<std::uint32_t> leaving = by_end();
    SumTree tree(shown_.size());
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
      for (; entered < shown_.size() && shown_[entered].in <= c; ++entered) {
        tree.add(entered, of_.size[shown_[entered].number]);
      }
      for (; left_ < ends_[c + 1]; ++left_) {
        tree.add(leaving[left_], 0 - of_.size[shown_[leaving[left_]].number]);
      }
      draw_column(tree, c);
    }
    return true;
  }

  MemoryCell cell_of(std::uint32_t number, EventIndex moment) const {
    MemoryCell cell{number + 1, band_group(of_, AllocationId{number})};
    if (of_.origin[number] != AllocationOrigin::recorded) cell.key |= MemoryCell::kOlder;
    if (of_.free_requested[number] <= moment) cell.key |= MemoryCell::kPending;
    return cell;
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
      const MemoryCell cell = cell_of(shown_[found.place].number, moments_[c]);
      do {
        cells[row++] = cell;
      } while (row < raster_.rows && middle(row) < found.end);
    }
  }

  const AllocationHistory& history_;
  const Allocations& of_;
  MemoryRaster& raster_;
  const std::stop_token& stop_;
  std::vector<std::uint32_t> columns_;  // those with a moment
  std::vector<EventIndex> moments_;     // of them
  std::vector<Shown> shown_;
  std::vector<std::uint32_t> ends_;  // of each column's part of what by_end() gives; the first begins at 0
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

EventIndex highest_event(const SnapshotDevice& device, EventIndex first, EventIndex last) {
  if (first >= last) return first;
  const std::uint64_t highest = curve_over(device, MemoryCurve::active, first, last).highest;
  while (first < last) {
    const EventIndex middle = first + (last - first) / 2;
    if (curve_over(device, MemoryCurve::active, first, middle).highest == highest) {
      last = middle;
    } else {
      first = middle + 1;
    }
  }
  return first;
}

MemoryRaster memory_raster(const SnapshotDevice& device, std::vector<EventIndex> moments, double low_bytes,
                           double bytes_per_row, std::uint32_t rows, const std::stop_token& stop) {
  MemoryRaster raster;
  raster.moments = std::move(moments);
  raster.low_bytes = low_bytes;
  raster.bytes_per_row = bytes_per_row;
  raster.rows = rows;
  raster.cells.resize(raster.columns() * rows);
  if (!Rasterizer(device, raster, stop).run()) return {};
  return raster;
}

}  // namespace kino
