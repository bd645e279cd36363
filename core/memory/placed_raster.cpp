// Implements draw_places(): paints boxes row by row, and never overwrites painted cells.
#include <cmath>
#include <numeric>

#include "core/memory/shown_allocations.hpp"

namespace kino {
namespace {

constexpr std::size_t kStopBoxes = 1 << 14;

/// Bytes [low, high) of the plot in columns [in, out).
struct Box {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  std::uint32_t in = 0;
  std::uint32_t out = 0;
};

class PlacePainter {
 public:
  PlacePainter(MemoryRaster& raster, std::vector<std::uint32_t> columns)
      : raster_(raster), columns_(std::move(columns)), width_(columns_.size() + 1) {
    free_.resize(width_ * raster.rows);
    for (std::size_t row = 0; row < raster.rows; ++row) {
      const auto first = free_.begin() + static_cast<std::ptrdiff_t>(row * width_);
      std::iota(first, first + static_cast<std::ptrdiff_t>(width_), 0U);
    }
  }

  /// Paints the rows whose middle is in the box. Returns false if there are none.
  bool paint_middles(const Box& box, const MemoryCell& cell) {
    const double first = std::ceil(row_of(box.low) - 0.5);
    const double limit = std::ceil(row_of(box.high) - 0.5);
    if (first >= limit) return false;
    const auto rows = static_cast<double>(raster_.rows);
    const auto end = static_cast<std::uint32_t>(std::clamp(limit, 0.0, rows));
    for (auto row = static_cast<std::uint32_t>(std::clamp(first, 0.0, rows)); row < end; ++row)
      paint(row, box, cell);
    return true;
  }
  /// Paints the row that contains a thin box, if it is visible.
  void paint_thin(const Box& box, const MemoryCell& cell) {
    const double row = std::floor(row_of(box.low));
    if (row >= 0 && row < raster_.rows) paint(static_cast<std::uint32_t>(row), box, cell);
  }

 private:
  double row_of(std::uint64_t bytes) const {
    return (static_cast<double>(bytes) - raster_.low_bytes) / raster_.bytes_per_row;
  }
  /// Returns the first unpainted column at or after `column`, by union-find with path halving.
  std::uint32_t next_free(std::size_t row, std::uint32_t column) {
    std::uint32_t* const next = free_.data() + row * width_;
    while (next[column] != column) column = next[column] = next[next[column]];
    return column;
  }
  void paint(std::uint32_t row, const Box& box, const MemoryCell& cell) {
    for (std::uint32_t c = next_free(row, box.in); c < box.out; c = next_free(row, c)) {
      raster_.cells[std::size_t{columns_[c]} * raster_.rows + row] = cell;
      free_[row * width_ + c] = c + 1;
    }
  }

  MemoryRaster& raster_;
  std::vector<std::uint32_t> columns_;  // columns with a moment
  std::size_t width_;
  std::vector<std::uint32_t> free_;  // by row and column: the column if unpainted, otherwise a later one
};

class PlaceRasterizer {
 public:
  PlaceRasterizer(const SnapshotDevice& device, const BandLayout& layout, MemoryRaster& raster,
                  const std::stop_token& stop)
      : history_(device.history), layout_(layout), raster_(raster), stop_(stop) {}

  bool run() {
    auto [columns, moments] = shown_columns(raster_);
    if (columns.empty()) return true;
    moments_ = std::move(moments);
    if (!collect_shown(history_, &layout_, moments_, shown_, stop_)) return false;
    PlacePainter painter(raster_, std::move(columns));
    return paint_allocations(painter) && paint_reserved(painter);
  }

 private:
  /// Paints thick boxes first, so that many thin boxes do not hide them.
  bool paint_allocations(PlacePainter& painter) {
    std::vector<std::uint32_t> thin;
    for (std::uint32_t i = 0; i < shown_.size(); ++i) {
      if (i % kStopBoxes == 0 && stop_.stop_requested()) return false;
      if (!paint(shown_[i],
                 [&](const Box& box, const MemoryCell& cell) { return painter.paint_middles(box, cell); })) {
        thin.push_back(i);
      }
    }
    for (std::uint32_t i = 0; i < thin.size(); ++i) {
      if (i % kStopBoxes == 0 && stop_.stop_requested()) return false;
      paint(shown_[thin[i]], [&](const Box& box, const MemoryCell& cell) {
        painter.paint_thin(box, cell);
        return true;
      });
    }
    return true;
  }

  /// Paints an allocation, in two parts if its free was requested in one of its columns. `with` paints a box
  /// and returns whether it painted anything.
  template <class Paint>
  bool paint(const ShownAllocation& shown, const Paint& with) const {
    const Allocations& allocations = history_.allocations;
    const std::uint64_t place = layout_.place_of[shown.number];
    const std::uint64_t size = std::min(allocations.size[shown.number], ~std::uint64_t{0} - place);
    const std::uint32_t pending =
        std::clamp(column_from(moments_, allocations.free_requested[shown.number]), shown.in, shown.out);
    const auto part = [&](std::uint32_t in, std::uint32_t out) {
      return in == out ||
             with(Box{place, place + size, in, out}, cell_of(allocations, shown.number, moments_[in]));
    };
    return part(shown.in, pending) && part(pending, shown.out);
  }

  bool paint_reserved(PlacePainter& painter) const {
    for (const bool thin : {false, true}) {
      for (std::size_t i = 0; i < layout_.reserved.size(); ++i) {
        if (i % kStopBoxes == 0 && stop_.stop_requested()) return false;
        const ReservedBox& reserved = layout_.reserved[i];
        const std::uint64_t size = std::min(reserved.size, ~std::uint64_t{0} - reserved.place);
        const Box box{reserved.place, reserved.place + size, column_from(moments_, reserved.begin),
                      column_from(moments_, reserved.end)};
        if (box.in >= box.out) continue;
        const MemoryCell cell{0, 1 + static_cast<std::uint32_t>(i) % MemoryCell::kSegments};
        if (thin) {
          painter.paint_thin(box, cell);
        } else {
          painter.paint_middles(box, cell);
        }
      }
    }
    return true;
  }

  const AllocationHistory& history_;
  const BandLayout& layout_;
  MemoryRaster& raster_;
  const std::stop_token& stop_;
  std::vector<EventIndex> moments_;  // of the columns that have one
  std::vector<ShownAllocation> shown_;
};

}  // namespace

bool draw_places(const SnapshotDevice& device, const BandLayout& layout, MemoryRaster& raster,
                 const std::stop_token& stop) {
  return PlaceRasterizer(device, layout, raster, stop).run();
}

}  // namespace kino
