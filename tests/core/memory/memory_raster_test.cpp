// Covers: memory_raster, placed_raster, shown_allocations
// Raster of active memory over time, compared with a naive count.
#include "core/memory/memory_raster.hpp"

#include <algorithm>
#include <cmath>
#include <stop_token>
#include <vector>

#include <doctest/doctest.h>

#include "tests/fixtures/random_device.hpp"

namespace {

using kino::AllocationId;
using kino::EventIndex;
using kino::MemoryCell;
using kino::MemoryRaster;
using kino::SnapshotAction;
using kino::SnapshotDevice;
using kino_test::device_of;

/// Returns the cell of the allocation at byte `bytes` of the pile, by a linear search.
MemoryCell cell_by_counting(const SnapshotDevice& device, EventIndex moment, double bytes) {
  const kino::Allocations& of = device.history.allocations;
  double below = 0;
  for (std::uint32_t i = 0; i < of.count(); ++i) {
    if (of.begin[i] > moment || of.end[i] <= moment) continue;
    const auto size = static_cast<double>(of.size[i]);
    if (bytes < below + size) {
      MemoryCell cell{i + 1, kino::band_group(of, AllocationId{i})};
      if (of.origin[i] != kino::AllocationOrigin::recorded) cell.key |= MemoryCell::kOlder;
      if (of.free_requested[i] <= moment) cell.key |= MemoryCell::kPending;
      return cell;
    }
    below += size;
  }
  return {};
}

void check_by_counting(const SnapshotDevice& device, const std::vector<EventIndex>& moments, double low,
                       double per_row, std::uint32_t rows) {
  const MemoryRaster raster = kino::memory_raster(device, moments, low, per_row, rows);
  REQUIRE(raster.cells.size() == moments.size() * rows);
  std::size_t wrong = 0;
  for (std::size_t c = 0; c < moments.size(); ++c) {
    for (std::uint32_t row = 0; row < rows; ++row) {
      MemoryCell wanted;
      if (moments[c] != kino::kNoMoment) {
        const double middle = std::floor(low + (row + 0.5) * per_row);
        wanted = cell_by_counting(device, moments[c], middle);
        const std::uint64_t total = kino::curve_at(device, kino::MemoryCurve::requested, moments[c]);
        if (row == 0 && wanted.allocation == 0 && total > 0 && low < static_cast<double>(total)) {
          wanted = cell_by_counting(device, moments[c], static_cast<double>(total - 1));
        }
      }
      wrong += raster.at(c, row) == wanted ? 0 : 1;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("bands are stacked in the order of allocation and move down when a lower one is freed") {
  const SnapshotDevice device = device_of({{SnapshotAction::alloc, 0x1000, 30},
                                           {SnapshotAction::alloc, 0x2000, 20},
                                           {SnapshotAction::free_requested, 0x1000, 30},
                                           {SnapshotAction::free_completed, 0x1000, 30}});
  const MemoryRaster raster = kino::memory_raster(device, {-1, 0, 1, 2, 3}, 0, 10, 6);
  const auto column = [&](std::size_t c) {
    std::vector<std::uint32_t> numbers;
    for (std::uint32_t row = 0; row < 6; ++row) numbers.push_back(raster.at(c, row).allocation);
    return numbers;
  };
  CHECK(column(0) == std::vector<std::uint32_t>{0, 0, 0, 0, 0, 0});
  CHECK(column(1) == std::vector<std::uint32_t>{1, 1, 1, 0, 0, 0});
  CHECK(column(2) == std::vector<std::uint32_t>{1, 1, 1, 2, 2, 0});
  CHECK(column(3) == std::vector<std::uint32_t>{1, 1, 1, 2, 2, 0});
  CHECK(column(4) == std::vector<std::uint32_t>{2, 2, 0, 0, 0, 0});
  CHECK((raster.at(3, 0).key & MemoryCell::kPending) != 0);
  CHECK((raster.at(2, 0).key & MemoryCell::kPending) == 0);
}

TEST_CASE("a pile lower than half a row still fills one row") {
  const SnapshotDevice device = device_of({{SnapshotAction::alloc, 0x1000, 3}});
  const MemoryRaster raster = kino::memory_raster(device, {0}, 0, 1000, 4);
  CHECK(raster.at(0, 0).allocation == 1);
  CHECK(raster.at(0, 1).allocation == 0);
}

TEST_CASE("draws nothing without allocations, without columns or outside of the recording") {
  CHECK(kino::memory_raster(device_of({}), {-1}, 0, 1, 2).cells == std::vector<MemoryCell>(2));
  CHECK(kino::memory_raster(device_of({}), {}, 0, 1, 2).cells.empty());
  const SnapshotDevice device = device_of({{SnapshotAction::alloc, 0x1000, 3}});
  CHECK(kino::memory_raster(device, {kino::kNoMoment}, 0, 1, 2).cells == std::vector<MemoryCell>(2));
}

TEST_CASE("every pixel of random histories equals a naive count") {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const SnapshotDevice device = kino_test::random_device(seed, 600);
    const auto count = static_cast<EventIndex>(device.entries.entry_count());
    const auto peak = static_cast<double>(device.history.curve(kino::MemoryCurve::requested).peak.bytes);
    std::vector<EventIndex> all{kino::kNoMoment};
    for (EventIndex event = -1; event < count; event += 7) all.push_back(event);
    all.push_back(kino::kNoMoment);
    check_by_counting(device, all, 0, peak / 50, 53);
    check_by_counting(device, all, peak / 3, peak / 700, 40);
    std::vector<EventIndex> near;
    for (EventIndex event = 200; event < 260; ++event) near.insert(near.end(), 3, event);
    check_by_counting(device, near, 0, peak / 211, 211);
  }
}

TEST_CASE("the highest event is the first one with the most active memory") {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const SnapshotDevice device = kino_test::random_device(seed, 500);
    const auto count = static_cast<EventIndex>(device.entries.entry_count());
    for (EventIndex first = -1; first < count; first += 31) {
      for (const EventIndex length : {0, 1, 5, 63, 64, 200}) {
        const EventIndex last = std::min(first + length, count - 1);
        EventIndex wanted = first;
        for (EventIndex e = first; e <= last; ++e) {
          if (kino::curve_at(device, kino::MemoryCurve::requested, e) >
              kino::curve_at(device, kino::MemoryCurve::requested, wanted)) {
            wanted = e;
          }
        }
        REQUIRE(kino::highest_event(device, first, last) == wanted);
      }
    }
  }
}

TEST_CASE("a stopped raster is empty") {
  std::stop_source stop;
  stop.request_stop();
  const SnapshotDevice device = kino_test::random_device(3, 100);
  CHECK(kino::memory_raster(device, {0, 50}, 0, 1, 4, stop.get_token()).cells.empty());
}

}  // namespace
