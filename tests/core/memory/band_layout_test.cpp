// Covers: band_layout, memory_raster
// Layouts of a snapshot's plot other than a single stack of bands: by group, in lanes, by address.
#include "core/memory/band_layout.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <stop_token>
#include <vector>

#include <doctest/doctest.h>

#include "core/memory/memory_raster.hpp"
#include "tests/fixtures/random_device.hpp"

namespace {

using kino::AllocationId;
using kino::BandLayout;
using kino::EventIndex;
using kino::MemoryCell;
using kino::MemoryRaster;
using kino::PlotLayout;
using kino::SnapshotAction;
using kino::SnapshotDevice;
using kino::StackId;
using kino_test::device_of;

std::vector<EventIndex> every(const SnapshotDevice& device, EventIndex step) {
  std::vector<EventIndex> moments{kino::kNoMoment};
  const auto count = static_cast<EventIndex>(device.entries.entry_count());
  for (EventIndex event = -1; event < count; event += step) moments.push_back(event);
  return moments;
}

MemoryRaster raster_of(const SnapshotDevice& device, const BandLayout& layout,
                       const std::vector<EventIndex>& moments, double per_row, std::uint32_t rows) {
  return kino::memory_raster(device, moments, 0, per_row, rows, {}, &layout);
}

/// Returns the allocation at a height of the plot, by stacking each strip.
std::uint32_t by_counting(const SnapshotDevice& device, const BandLayout& layout, EventIndex moment,
                          std::uint64_t bytes) {
  std::vector<std::uint64_t> below;
  for (const kino::BandStrip& strip : layout.strips) below.push_back(strip.begin);
  for (const AllocationId id : kino::live_at(device.history, moment)) {
    const auto i = static_cast<std::uint32_t>(id);
    const std::uint64_t size = device.history.allocations.size[i];
    std::uint64_t& at = below[layout.strip_of[i]];
    if (bytes >= at && bytes < at + size) return i + 1;
    at += size;
  }
  return 0;
}

TEST_CASE("stacks groups by size, the largest on top, each with its peak") {
  const auto stack = [](std::uint32_t number) { return StackId{number}; };
  const SnapshotDevice device = device_of({{SnapshotAction::alloc, 0x1000, 30, 0, stack(1)},
                                           {SnapshotAction::alloc, 0x2000, 100, 0, stack(2)},
                                           {SnapshotAction::alloc, 0x3000, 30, 0, stack(1)},
                                           {SnapshotAction::free_requested, 0x2000, 100},
                                           {SnapshotAction::free_completed, 0x2000, 100},
                                           {SnapshotAction::alloc, 0x4000, 70, 0, stack(2)}});
  const BandLayout layout = kino::band_layout(device, PlotLayout::by_stack);
  REQUIRE(layout.strips.size() == 2);
  CHECK(layout.strips[0].bytes == 60);
  CHECK(layout.strips[0].stack == stack(1));
  CHECK(layout.strips[1].bytes == 100);
  CHECK(layout.strips[1].begin > 60);
  CHECK(layout.height > layout.strips[1].begin + 100);
  const MemoryRaster raster = raster_of(device, layout, {2, 5}, 1, static_cast<std::uint32_t>(layout.height));
  const auto second = static_cast<std::uint32_t>(layout.strips[1].begin);
  CHECK(raster.at(0, 29).allocation == 1);
  CHECK(raster.at(0, 30).allocation == 3);
  CHECK(raster.at(0, 60) == MemoryCell{});
  CHECK(raster.at(0, second - 1) == MemoryCell{});
  CHECK(raster.at(0, second).allocation == 2);
  CHECK(raster.at(1, second + 69).allocation == 4);
  CHECK(raster.at(1, second + 70) == MemoryCell{});
}

TEST_CASE("every pixel of random groups equals a naive count") {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const SnapshotDevice device = kino_test::random_device(seed, 500);
    for (const PlotLayout kind :
         {PlotLayout::by_stack, PlotLayout::by_stream, PlotLayout::by_pool, PlotLayout::by_segment}) {
      const BandLayout layout = kino::band_layout(device, kind);
      CHECK(layout.strips.size() <= kino::kMostStrips + 1);
      const std::vector<EventIndex> moments = every(device, 11);
      const double per_row = static_cast<double>(layout.height) / 97;
      const MemoryRaster raster = raster_of(device, layout, moments, per_row, 99);
      std::size_t wrong = 0;
      for (std::size_t c = 1; c < moments.size(); ++c) {
        for (std::uint32_t row = 0; row < 97; ++row) {
          const auto middle = static_cast<std::uint64_t>((row + 0.5) * per_row);
          wrong += raster.at(c, row).allocation == by_counting(device, layout, moments[c], middle) ? 0 : 1;
        }
      }
      CHECK(wrong == 0);
      CHECK(raster.at(0, 3) == MemoryCell{});
    }
  }
}

TEST_CASE("many groups share the lowest strip, which has their combined peak") {
  std::vector<kino_test::EntryRow> rows;
  for (std::uint32_t i = 0; i < 40; ++i) {
    rows.push_back({SnapshotAction::alloc, 0x1000 * (i + 1), 1000 - i, 0, StackId{i + 1}});
  }
  const BandLayout layout = kino::band_layout(device_of(rows), PlotLayout::by_stack);
  REQUIRE(layout.strips.size() == kino::kMostStrips + 1);
  CHECK(layout.strips.front().groups == 24);
  std::uint64_t rest = 0;
  for (std::uint32_t i = 16; i < 40; ++i) rest += 1000 - i;
  CHECK(layout.strips.front().bytes == rest);
  CHECK(layout.strips.back().bytes == 1000);
}

TEST_CASE("in lanes, allocations never overlap, and each pixel shows the one at its place") {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const SnapshotDevice device = kino_test::random_device(seed, 500);
    const kino::Allocations& of = device.history.allocations;
    const BandLayout layout = kino::band_layout(device, PlotLayout::lanes);
    const auto peak = device.history.curve(kino::MemoryCurve::requested).peak.bytes;
    CHECK(layout.height >= peak);
    for (const EventIndex moment : every(device, 37)) {
      std::map<std::uint64_t, std::uint64_t> taken;
      if (moment == kino::kNoMoment) continue;
      for (const AllocationId id : kino::live_at(device.history, moment)) {
        const auto i = static_cast<std::uint32_t>(id);
        CHECK(taken.emplace(layout.place_of[i], layout.place_of[i] + of.size[i]).second);
      }
      std::uint64_t end = 0;
      for (const auto& [begin, behind] : taken) {
        CHECK(begin >= end);
        end = behind;
      }
      CHECK(end <= layout.height);
    }
    const std::vector<EventIndex> moments = every(device, 37);
    const double per_row = static_cast<double>(layout.height) / 400;
    const MemoryRaster raster = raster_of(device, layout, moments, per_row, 400);
    std::size_t seen = 0;
    for (std::size_t c = 1; c < moments.size(); ++c) {
      for (std::uint32_t row = 0; row < 400; ++row) {
        const MemoryCell& cell = raster.at(c, row);
        if (cell.allocation == 0) continue;
        const std::uint32_t i = cell.allocation - 1;
        CHECK(of.begin[i] <= moments[c]);
        CHECK(of.end[i] > moments[c]);
        CHECK(((cell.key & MemoryCell::kPending) != 0) == (of.free_requested[i] <= moments[c]));
        const auto begin = static_cast<double>(layout.place_of[i]);
        CHECK(begin < (row + 1) * per_row);
        CHECK(begin + static_cast<double>(of.size[i]) >= row * per_row);
        ++seen;
      }
    }
    CHECK(seen > 1000);
  }
}

TEST_CASE("addresses keep their order over their segments, without holes between segments") {
  kino::SnapshotSegment segment;
  segment.addr = 0x9000;
  segment.size = 100;
  const SnapshotDevice device = device_of({{SnapshotAction::segment_alloc, 0x1000, 200},
                                           {SnapshotAction::alloc, 0x1000 + 50, 60},
                                           {SnapshotAction::segment_alloc, 0x9000, 100},
                                           {SnapshotAction::alloc, 0x9000, 100},
                                           {SnapshotAction::segment_free, 0x1000, 200}},
                                          {segment});
  const BandLayout layout = kino::band_layout(device, PlotLayout::addresses);
  REQUIRE(layout.strips.size() == 1);
  CHECK(layout.strips[0].bytes == 300);
  CHECK(layout.height == 300);
  CHECK(layout.place_of[0] == 50);
  CHECK(layout.place_of[1] == 200);
  const MemoryRaster raster = raster_of(device, layout, {0, 1, 3, 4}, 10, 30);
  CHECK(raster.at(0, 0) == MemoryCell{0, 1});
  CHECK(raster.at(0, 20) == MemoryCell{});
  CHECK(raster.at(1, 4) == MemoryCell{0, 1});
  CHECK(raster.at(1, 5).allocation == 1);
  CHECK(raster.at(1, 10).allocation == 1);
  CHECK(raster.at(1, 11) == MemoryCell{0, 1});
  CHECK(raster.at(2, 20).allocation == 2);
  CHECK(raster.at(3, 0) == MemoryCell{});
  CHECK(raster.at(3, 29).allocation == 2);
  CHECK(kino::band_layout(device, PlotLayout::by_segment).strips.size() == 2);
}

TEST_CASE("lays out only the found allocations") {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    const SnapshotDevice device = kino_test::random_device(seed, 400);
    const kino::Allocations& of = device.history.allocations;
    std::vector<AllocationId> only;
    for (std::uint32_t i = 0; i < of.count(); ++i) {
      if (of.size[i] % 3 == 0) only.push_back(AllocationId{i});
    }
    const auto bytes_at = [&](EventIndex moment) {
      std::uint64_t bytes = 0;
      for (const AllocationId id : kino::live_at(device.history, moment)) {
        const std::uint64_t size = of.size[static_cast<std::uint32_t>(id)];
        bytes += size % 3 == 0 ? size : 0;
      }
      return bytes;
    };
    const BandLayout pile = kino::band_layout(device, PlotLayout::stacked, only);
    std::uint64_t highest = 0;
    const auto count = static_cast<EventIndex>(device.entries.entry_count());
    for (EventIndex event = -1; event < count; ++event) {
      const std::uint64_t bytes = bytes_at(event);
      CHECK(kino::shown_over(device, &pile, event, event).highest == bytes);
      highest = std::max(highest, bytes);
    }
    CHECK(pile.height == highest);
    CHECK(bytes_at(pile.shown.peak.event) == highest);
    CHECK(kino::highest_event(device, -1, count - 1, &pile) == pile.shown.peak.event);
    const std::vector<EventIndex> moments = every(device, 29);
    const double per_row = static_cast<double>(highest) / 60;
    for (std::size_t kind = 0; kind < kino::kPlotLayoutCount; ++kind) {
      const BandLayout layout = kino::band_layout(device, static_cast<PlotLayout>(kind), only);
      const MemoryRaster raster = raster_of(device, layout, moments, per_row, 60);
      const bool clean = std::ranges::all_of(raster.cells, [&](const MemoryCell& cell) {
        return cell.allocation == 0 || of.size[cell.allocation - 1] % 3 == 0;
      });
      CHECK(clean);
      for (const kino::BandStrip& strip : layout.strips) {
        CHECK((kind == static_cast<std::size_t>(PlotLayout::addresses) || strip.bytes <= highest));
      }
    }
    const MemoryRaster raster = raster_of(device, pile, {pile.shown.peak.event}, per_row, 60);
    CHECK(std::ranges::none_of(raster.cells, [](const MemoryCell& cell) { return cell.allocation == 0; }));
  }
  const SnapshotDevice device = kino_test::random_device(9, 50);
  CHECK(kino::band_layout(device, PlotLayout::by_stack, std::vector<AllocationId>()).strips.empty());
}

TEST_CASE("allocations outside of segments have a separate strip") {
  const SnapshotDevice device =
      device_of({{SnapshotAction::alloc, 0x5000, 10}, {SnapshotAction::alloc, 0x7000, 20}});
  const BandLayout layout = kino::band_layout(device, PlotLayout::addresses);
  REQUIRE(layout.strips.size() == 1);
  CHECK(layout.strips[0].outside);
  CHECK(layout.height == 30);
  CHECK(layout.place_of[1] == 10);
  CHECK(kino::band_layout(device, PlotLayout::by_segment).strips.front().outside);
}

TEST_CASE("sums of huge sizes stay within bounds") {
  const std::uint64_t huge = ~std::uint64_t{0} - 5;
  const SnapshotDevice device = device_of({{SnapshotAction::alloc, 0x5000, huge},
                                           {SnapshotAction::alloc, 0x10, huge},
                                           {SnapshotAction::free_completed, 0x5000, huge},
                                           {SnapshotAction::alloc, huge, 20}});
  for (std::size_t kind = 0; kind < kino::kPlotLayoutCount; ++kind) {
    const BandLayout layout = kino::band_layout(device, static_cast<PlotLayout>(kind));
    const MemoryRaster raster = raster_of(device, layout, {0, 1, 2, 3}, 1e17, 50);
    CHECK(raster.cells.size() == 200);
  }
}

TEST_CASE("an empty layout has no height, and a stopped layout ends early") {
  for (std::size_t kind = 0; kind < kino::kPlotLayoutCount; ++kind) {
    const BandLayout layout = kino::band_layout(device_of({}), static_cast<PlotLayout>(kind));
    CHECK(layout.height == 0);
    CHECK(layout.strips.empty());
    std::stop_source stop;
    stop.request_stop();
    const SnapshotDevice device = kino_test::random_device(3, 100);
    const BandLayout stopped = kino::band_layout(device, static_cast<PlotLayout>(kind), stop.get_token());
    CHECK(stopped.strip_of.empty());
  }
}

}  // namespace
