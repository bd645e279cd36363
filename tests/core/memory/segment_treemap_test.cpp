// Covers: segment_treemap
#include "core/memory/segment_treemap.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include "tests/fixtures/snapshot_fixture.hpp"

namespace {

using kino::AllocatorLayout;
using kino::LayoutKind;
using kino::SegmentTreemap;
using kino::TreemapBox;

double area_of(const TreemapBox& box) { return (box.right - box.left) * (box.bottom - box.top); }

/// Segments with blocks of these sizes; every third block is free.
AllocatorLayout layout_of(const std::vector<std::vector<std::uint64_t>>& segments) {
  AllocatorLayout layout;
  std::uint64_t addr = 0x1000;
  for (const auto& sizes : segments) {
    kino::LayoutSegment segment;
    segment.addr = addr;
    segment.first_block = static_cast<std::uint32_t>(layout.blocks.size());
    segment.block_count = static_cast<std::uint32_t>(sizes.size());
    for (const std::uint64_t size : sizes) {
      const bool free = layout.blocks.size() % 3 == 2;
      layout.blocks.push_back({addr, size, free ? 0 : size, kino::kNoAllocation,
                               free ? LayoutKind::free : LayoutKind::allocated});
      segment.size += size;
      addr += size;
    }
    layout.segments.push_back(segment);
  }
  return layout;
}

TEST_CASE("areas of segments and blocks are in proportion to their bytes, the largest first") {
  const SegmentTreemap map = kino::segment_treemap(layout_of({{100}, {400, 200, 200}, {100}}), 50, 20, 0);
  REQUIRE(map.segments.size() == 3);
  CHECK(map.segments[0].segment == 1);
  CHECK(map.segments[0].bytes == 800);
  CHECK(map.segments[0].used == 600);
  CHECK(area_of(map.segments[0]) == doctest::Approx(800));
  REQUIRE(map.blocks.size() == 5);
  for (const TreemapBox& box : map.blocks)
    CHECK(area_of(box) == doctest::Approx(static_cast<double>(box.bytes)));
  CHECK(map.blocks[0].block == 1);
  // The example of the paper: 6, 6, 4, 3, 2, 2, 1 in 6 x 4.
  const SegmentTreemap paper = kino::segment_treemap(layout_of({{6, 6, 4, 3, 2, 2, 1}}), 6, 4, 0);
  REQUIRE(paper.blocks.size() == 7);
  CHECK(paper.blocks[0].right == doctest::Approx(3));
  CHECK(paper.blocks[0].bottom == doctest::Approx(2));
  CHECK(paper.blocks[1].top == doctest::Approx(2));
  CHECK(paper.blocks[2].left == doctest::Approx(3));
  CHECK(paper.blocks[2].bottom - paper.blocks[2].top == doctest::Approx(7.0 / 3));
}

TEST_CASE("boxes cover the whole area, inside of their segments, without overlap") {
  std::mt19937 random(3);
  for (int round = 0; round < 20; ++round) {
    std::vector<std::vector<std::uint64_t>> sizes(1 + random() % 12);
    for (auto& segment : sizes) {
      segment.resize(1 + random() % 30);
      for (auto& size : segment) size = std::uint64_t{1} << (random() % 24);
    }
    const AllocatorLayout layout = layout_of(sizes);
    const double width = 100 + static_cast<double>(random() % 900);
    const double height = 100 + static_cast<double>(random() % 400);
    const SegmentTreemap map = kino::segment_treemap(layout, width, height, round % 2 == 0 ? 0 : 12);
    double area = 0;
    std::uint64_t bytes = 0;
    std::uint32_t blocks = 0;
    for (const TreemapBox& box : map.blocks) {
      CHECK(box.left >= -1e-6);
      CHECK(box.top >= -1e-6);
      CHECK(box.right <= width + 1e-6);
      CHECK(box.bottom <= height + 1e-6);
      area += area_of(box);
      bytes += box.bytes;
    }
    for (const TreemapBox& box : map.segments) blocks += box.count;
    CHECK(blocks == layout.segments.size());
    std::uint64_t wanted = 0;
    for (const auto& block : layout.blocks) wanted += block.size;
    CHECK(bytes == wanted);
    CHECK(area == doctest::Approx(width * height));
    // Since the areas add up, points that are in one box only show that boxes do not overlap.
    for (int i = 0; i < 100; ++i) {
      const double x = width * static_cast<double>(random() % 1000) / 1000;
      const double y = height * static_cast<double>(random() % 1000) / 1000;
      const auto over = std::ranges::count_if(map.blocks, [&](const auto& b) { return b.contains(x, y); });
      CHECK(over <= 1);
      const TreemapBox* box = kino::box_at(map, x, y);
      CHECK((box != nullptr) == (over == 1));
    }
  }
}

TEST_CASE("items too small for a box share one, which has their number and used bytes") {
  const SegmentTreemap map = kino::segment_treemap(layout_of({{1000000, 1, 1, 1}, {2}, {3}}), 100, 100, 4);
  REQUIRE(map.segments.size() == 2);
  CHECK(map.segments[1].count == 2);
  CHECK(map.segments[1].bytes == 5);
  REQUIRE(map.blocks.size() == 3);
  CHECK(map.blocks[1].count == 3);
  CHECK(map.blocks[1].bytes == 3);
  CHECK(map.blocks[1].used == 2);
}

TEST_CASE("without memory or area there are no boxes") {
  CHECK(kino::segment_treemap({}, 100, 100, 4).blocks.empty());
  CHECK(kino::segment_treemap(layout_of({{5}}), 0, 100, 4).blocks.empty());
  CHECK(kino::segment_treemap(layout_of({{0, 0}}), 10, 100, 4).segments.empty());
}

TEST_CASE("a device has only segments if its entries contain no action") {
  kino::SnapshotSegment segment;
  segment.size = 512;
  using kino::SnapshotAction;
  CHECK(kino::has_only_segments(kino_test::device_of({}, {segment})));
  CHECK(kino::has_only_segments(kino_test::device_of({{SnapshotAction::snapshot, 0, 5}}, {segment})));
  CHECK_FALSE(kino::has_only_segments(kino_test::device_of({{SnapshotAction::alloc, 0, 5}}, {segment})));
  CHECK_FALSE(kino::has_only_segments(kino_test::device_of({})));
}

}  // namespace
