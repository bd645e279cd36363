// Covers: segment_map
#include "core/memory/segment_map.hpp"

#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include "core/memory/snapshot.hpp"
#include "tests/fixtures/random_device.hpp"

namespace {

using kino::AllocatorLayout;
using kino::LayoutBlock;
using kino::LayoutKind;
using kino::MapBox;
using kino::SegmentMap;

struct Part {
  LayoutKind kind;
  std::uint64_t size;
  std::uint64_t requested;
};

void add_segment(AllocatorLayout& layout, const std::vector<Part>& parts, std::uint16_t pool = 0,
                 bool small = false) {
  kino::LayoutSegment segment;
  segment.addr = 0x1000 * (layout.segments.size() + 1);
  segment.pool = pool;
  segment.small = small;
  segment.first_block = static_cast<std::uint32_t>(layout.blocks.size());
  segment.block_count = static_cast<std::uint32_t>(parts.size());
  for (const Part& part : parts) {
    LayoutBlock block;
    block.addr = segment.addr + segment.size;
    block.size = part.size;
    block.requested = part.requested;
    block.kind = part.kind;
    layout.blocks.push_back(block);
    segment.size += part.size;
  }
  layout.segments.push_back(segment);
}

constexpr LayoutKind kUsed = LayoutKind::allocated;
constexpr LayoutKind kFree = LayoutKind::free;

TEST_CASE("segments of one pool are side by side at one scale, other kinds in separate rows") {
  AllocatorLayout layout;
  add_segment(layout, {{kUsed, 400, 300}, {kFree, 600, 0}}, 1);
  add_segment(layout, {{kUsed, 1000, 1000}});
  add_segment(layout, {{kFree, 500, 0}}, 1);
  add_segment(layout, {{kUsed, 100, 100}}, 0, true);
  const SegmentMap map = kino::segment_map(layout, 1000, 10);
  REQUIRE(map.groups.size() == 3);
  CHECK(map.groups[0].pool == 0);
  CHECK(map.groups[1].small);
  CHECK(map.groups[2].pool == 1);
  CHECK(map.groups[2].segments == 2);
  CHECK(map.groups[2].reserved == 1500);
  CHECK(map.groups[2].used == 400);
  CHECK(map.groups[2].largest_free == 600);
  REQUIRE(map.rows() == 3);
  const auto row = map.row(map.groups[2].first_row);
  REQUIRE(row.size() == 3);
  CHECK(row[0].end_px == doctest::Approx(40));
  CHECK(row[0].requested_end_px == doctest::Approx(30));
  CHECK(row[0].first);
  CHECK_FALSE(row[0].last);
  CHECK(row[1].last);
  CHECK(row[1].requested_end_px == row[1].end_px);
  CHECK(row[2].begin_px == doctest::Approx(103));
  CHECK(kino::box_at(map, map.groups[2].first_row, 102) == nullptr);
  CHECK(kino::box_at(map, map.groups[2].first_row, 104)->block == 3);
  CHECK(kino::box_at(map, 9, 0) == nullptr);
}

TEST_CASE("a segment longer than a row continues in the next one, and narrow blocks share a pixel") {
  AllocatorLayout layout;
  add_segment(layout, {{kUsed, 2500, 2500}});
  const SegmentMap map = kino::segment_map(layout, 100, 10);
  REQUIRE(map.rows() == 3);
  CHECK(map.row(0)[0].first);
  CHECK_FALSE(map.row(0)[0].last);
  CHECK(map.row(2)[0].last);
  CHECK(map.row(2)[0].end_px == doctest::Approx(50));

  AllocatorLayout narrow;
  std::vector<Part> parts;
  parts.reserve(128);
  for (int i = 0; i < 128; ++i) parts.push_back({i % 4 == 0 ? kFree : kUsed, 8, 8});
  add_segment(narrow, parts);
  const SegmentMap shared = kino::segment_map(narrow, 100, 64);
  REQUIRE(shared.boxes.size() == 16);
  for (const MapBox& box : shared.boxes) {
    CHECK(box.count == 8);
    CHECK(box.used_share == doctest::Approx(0.75));
  }
}

TEST_CASE("draws empty and tiny segments") {
  CHECK(kino::segment_map({}, 100, 10).rows() == 0);
  AllocatorLayout layout;
  for (int i = 0; i < 50; ++i) add_segment(layout, {{kUsed, 1, 1}});
  const SegmentMap map = kino::segment_map(layout, 40, 1e9);
  CHECK(map.boxes.size() == 50);
  CHECK(map.rows() == 5);
  for (const MapBox& box : map.boxes) CHECK(box.end_px <= 40);
}

TEST_CASE("every byte of random layouts has its width, in rows that do not overlap") {
  for (std::uint32_t seed = 1; seed <= 6; ++seed) {
    const kino::SnapshotDevice device = kino_test::random_device(seed, 300);
    const AllocatorLayout layout = kino::layout_at(device, 200);
    if (layout.segments.empty()) continue;
    const double scale = kino::bytes_per_px_to_fit(device.history, 300, 20);
    const SegmentMap map = kino::segment_map(layout, 300, scale);
    std::map<std::uint32_t, double> widths;
    std::map<std::uint32_t, int> ends;
    for (std::size_t r = 0; r < map.rows(); ++r) {
      double x = 0;
      for (const MapBox& box : map.row(r)) {
        CHECK(box.begin_px >= x - 1e-9);
        CHECK(box.end_px <= 300 + 1e-9);
        CHECK(box.requested_end_px <= box.end_px + 1e-9);
        x = box.end_px;
        widths[box.segment] += box.end_px - box.begin_px;
        ends[box.segment] += (box.first ? 1 : 0) + (box.last ? 1 : 0);
      }
    }
    REQUIRE(widths.size() == layout.segments.size());
    for (const auto& [segment, width] : widths) {
      const double wanted = std::max(1.0, static_cast<double>(layout.segments[segment].size) / scale);
      CHECK(width == doctest::Approx(wanted));
      CHECK(ends[segment] == 2);
    }
    CHECK(map.groups.size() <= kino::group_count(device.history));
  }
}

}  // namespace
