// Covers: snapshot_history, snapshot, segment_spans, allocator_layout, snapshot_summary
// Replay of a snapshot: lifetimes, curves, live sets and layouts equal those of a naive replay, also for cut,
// filtered or damaged recordings.
#include <algorithm>
#include <map>
#include <optional>
#include <random>

#include <doctest/doctest.h>

#include "core/memory/segment_spans.hpp"
#include "core/memory/snapshot_summary.hpp"
#include "tests/fixtures/snapshot_fixture.hpp"

namespace {

using kino::AllocationId;
using kino::AllocationOrigin;
using kino::BlockState;
using kino::EventIndex;
using kino::kBeforeRecording;
using kino::kNever;
using kino::MemoryCurve;
using kino::SnapshotAction;
using kino::SnapshotBlock;
using kino::SnapshotDevice;
using kino::SnapshotSegment;
using kino_test::device_of;
using kino_test::EntryRow;

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;

/// Returns a segment that contains the first `blocks` blocks.
SnapshotSegment segment_of(std::uint64_t addr, std::uint64_t size, std::uint32_t blocks, bool small = true) {
  SnapshotSegment segment;
  segment.addr = addr;
  segment.size = size;
  segment.block_count = blocks;
  segment.small = small;
  return segment;
}

std::vector<std::uint64_t> sizes_of(const SnapshotDevice& device, const std::vector<AllocationId>& ids) {
  std::vector<std::uint64_t> sizes;
  for (const AllocationId id : ids) {
    sizes.push_back(device.history.allocations.size[static_cast<std::size_t>(id)]);
  }
  return sizes;
}

struct Naive {
  std::vector<std::uint64_t> active;  // after each event
  std::vector<std::uint64_t> allocated;
  std::vector<std::vector<std::uint64_t>> live;  // sizes, sorted
};

/// Replays forwards, starting with the older allocations.
Naive replay(const std::vector<EntryRow>& rows, const std::map<std::uint64_t, std::uint64_t>& before) {
  std::map<std::uint64_t, std::uint64_t> live = before;
  std::map<std::uint64_t, std::uint64_t> allocated = before;
  Naive naive;
  for (const EntryRow& row : rows) {
    if (row.action == SnapshotAction::alloc) live[row.addr] = allocated[row.addr] = row.size;
    if (row.action == SnapshotAction::free_requested) allocated.erase(row.addr);
    if (row.action == SnapshotAction::free_completed) {
      live.erase(row.addr);
      allocated.erase(row.addr);
    }
    std::uint64_t sum = 0;
    std::vector<std::uint64_t> sizes;
    for (const auto& [addr, size] : live) {
      sum += size;
      sizes.push_back(size);
    }
    std::ranges::sort(sizes);
    naive.active.push_back(sum);
    naive.live.push_back(sizes);
    sum = 0;
    for (const auto& [addr, size] : allocated) sum += size;
    naive.allocated.push_back(sum);
  }
  return naive;
}

/// Random allocations and frees at 64 addresses, some with older allocations, and the final segment.
struct RandomRun {
  std::vector<EntryRow> rows;
  std::map<std::uint64_t, std::uint64_t> before;
  std::vector<SnapshotBlock> blocks;

  explicit RandomRun(unsigned seed, std::size_t steps) {
    std::mt19937 random(seed);
    std::map<std::uint64_t, std::uint64_t> live;
    std::map<std::uint64_t, std::uint64_t> pending;
    for (std::uint64_t place = 0; place < 64; ++place) {
      if (random() % 3 == 0) before[place * 1024] = live[place * 1024] = 1 + random() % 1024;
    }
    for (std::size_t i = 0; i < steps; ++i) {
      const std::uint64_t addr = random() % 64 * 1024;
      if (pending.contains(addr)) {
        rows.push_back({SnapshotAction::free_completed, addr, pending[addr]});
        pending.erase(addr);
      } else if (live.contains(addr)) {
        rows.push_back({SnapshotAction::free_requested, addr, live[addr]});
        if (random() % 4 == 0) {
          pending[addr] = live[addr];
        } else {
          rows.push_back({SnapshotAction::free_completed, addr, live[addr]});
        }
        live.erase(addr);
      } else {
        live[addr] = 1 + random() % 1024;
        rows.push_back({SnapshotAction::alloc, addr, live[addr]});
      }
    }
    for (std::uint64_t place = 0; place < 64; ++place) {
      const std::uint64_t addr = place * 1024;
      SnapshotBlock block;
      block.addr = addr;
      block.size = 1024;
      if (live.contains(addr)) {
        block.state = BlockState::allocated;
        block.requested = live[addr];
      } else if (pending.contains(addr)) {
        block.state = BlockState::pending_free;
        block.requested = pending[addr];
      }
      blocks.push_back(block);
    }
  }
};

TEST_CASE("a device without entries and segments has an empty history") {
  const SnapshotDevice device = device_of({});
  CHECK(device.history.allocations.count() == 0);
  CHECK(device.history.curve(MemoryCurve::requested).peak.event == kBeforeRecording);
  CHECK(kino::curve_at(device, MemoryCurve::requested, 5) == 0);
  CHECK(kino::curve_over(device, MemoryCurve::reserved, 0, 100).highest == 0);
  CHECK(kino::live_at(device.history, 0).empty());
  CHECK(kino::layout_at(device, 0).segments.empty());
  CHECK(kino::event_at_time(device, 7) == kBeforeRecording);
}

TEST_CASE("an allocation lives from its alloc to its free_completed, pending from free_requested on") {
  const SnapshotDevice device = device_of({{SnapshotAction::alloc, 0x1000, 600},
                                           {SnapshotAction::alloc, 0x2000, 100},
                                           {SnapshotAction::free_requested, 0x1000, 600},
                                           {SnapshotAction::annotate, 0x2000, 0},
                                           {SnapshotAction::free_completed, 0x1000, 600}});
  const kino::Allocations& all = device.history.allocations;
  REQUIRE(all.count() == 2);
  CHECK(all.begin[0] == 0);
  CHECK(all.free_requested[0] == 2);
  CHECK(all.end[0] == 4);
  CHECK(all.end[1] == kNever);
  CHECK(all.origin[0] == AllocationOrigin::recorded);
  CHECK(device.history.allocation_of_entry[3] == AllocationId{1});
  CHECK(kino::curve_at(device, MemoryCurve::requested, 3) == 700);
  CHECK(kino::curve_at(device, MemoryCurve::requested, 4) == 100);
  CHECK(device.history.curve(MemoryCurve::requested).peak.bytes == 700);
  CHECK(device.history.curve(MemoryCurve::requested).peak.event == 1);
  CHECK(kino::next_on_address(device, 0, 0x1000) == 2);
  CHECK(kino::previous_on_address(device, 4, 0x1000) == 2);
  CHECK(kino::next_on_address(device, 4, 0x1000) == kNever);
}

TEST_CASE("older allocations are below, the longest-lived at the bottom") {
  // One older allocation is freed first, one last, and one is never freed.
  SnapshotBlock ghost;
  ghost.addr = 0x3000;
  ghost.size = 512;
  ghost.requested = 30;
  ghost.state = BlockState::allocated;
  const SnapshotDevice device = device_of({{SnapshotAction::alloc, 0x4000, 40},
                                           {SnapshotAction::free_requested, 0x1000, 10},
                                           {SnapshotAction::free_completed, 0x1000, 10},
                                           {SnapshotAction::free_completed, 0x2000, 20}},
                                          {segment_of(0x3000, 512, 1)}, {ghost});
  CHECK(sizes_of(device, kino::live_at(device.history, kBeforeRecording)) ==
        std::vector<std::uint64_t>{30, 20, 10});
  CHECK(sizes_of(device, kino::live_at(device.history, 0)) == std::vector<std::uint64_t>{30, 20, 10, 40});
  CHECK(sizes_of(device, kino::live_at(device.history, 3)) == std::vector<std::uint64_t>{30, 40});
  const kino::Allocations& all = device.history.allocations;
  CHECK(all.origin[0] == AllocationOrigin::ghost);
  CHECK(all.origin[1] == AllocationOrigin::freed_only);
  CHECK(all.free_requested[1] == kBeforeRecording);  // requested before the recording
  CHECK(all.free_requested[2] == 1);
  CHECK(device.history.allocation_of_entry[1] == AllocationId{2});
  CHECK(device.trust.freed_without_alloc == 2);
  CHECK(device.trust.unseen_in_segments == 1);
  CHECK(device.trust.not_in_segments == 1);
  CHECK(device.trust.begins_late());
}

TEST_CASE("allocating an address twice ends the first allocation") {
  const SnapshotDevice device = device_of({{SnapshotAction::alloc, 0x1000, 10},
                                           {SnapshotAction::alloc, 0x1000, 7},
                                           {SnapshotAction::free_requested, 0x1000, 7},
                                           {SnapshotAction::alloc, 0x1000, 5},
                                           {SnapshotAction::alloc, 0x9000, 1},
                                           {SnapshotAction::free_completed, 0x9000, 1}});
  CHECK(device.trust.allocated_twice == 2);
  CHECK(kino::curve_at(device, MemoryCurve::requested, 1) == 7);
  CHECK(kino::curve_at(device, MemoryCurve::requested, 3) == 5);
}

TEST_CASE("without any free_completed, allocations end at their free request, which is reported") {
  const SnapshotDevice device = device_of({{SnapshotAction::alloc, 0x1000, 10},
                                           {SnapshotAction::free_requested, 0x1000, 10},
                                           {SnapshotAction::free_requested, 0x2000, 20}});
  CHECK(device.trust.ends_at_request);
  CHECK(device.trust.missing_actions == std::vector{SnapshotAction::free_completed});
  CHECK(kino::curve_at(device, MemoryCurve::requested, kBeforeRecording) == 20);
  CHECK(kino::curve_at(device, MemoryCurve::requested, 2) == 0);
}

TEST_CASE("curves, live sets and layouts equal a naive replay at every event") {
  for (const unsigned seed : {1U, 2U, 3U, 4U}) {
    const RandomRun run(seed, 700);
    const SnapshotDevice device = device_of(run.rows, {segment_of(0, 64 * 1024, 64)}, run.blocks);
    const Naive naive = replay(run.rows, run.before);
    CAPTURE(seed);
    for (std::size_t i = 0; i < run.rows.size(); ++i) {
      const auto event = static_cast<EventIndex>(i);
      REQUIRE(kino::curve_at(device, MemoryCurve::requested, event) == naive.active[i]);
      const auto live = kino::live_at(device.history, event);
      REQUIRE(std::ranges::is_sorted(live));
      std::vector<std::uint64_t> sizes = sizes_of(device, live);
      std::ranges::sort(sizes);
      REQUIRE(sizes == naive.live[i]);
      const kino::AllocatorLayout layout = kino::layout_at(device, event);
      REQUIRE(layout.segments.size() == 1);
      REQUIRE(layout.outside.empty());
      std::uint64_t at = 0;
      std::uint64_t requested = 0;
      std::uint64_t pending = 0;
      for (const kino::LayoutBlock& block : layout.blocks) {
        REQUIRE(block.addr == at);
        at += block.size;
        requested += block.requested;
        if (block.kind == kino::LayoutKind::pending) pending += block.requested;
      }
      REQUIRE(at == 64 * 1024);
      REQUIRE(requested == naive.active[i]);
      REQUIRE(pending == naive.active[i] - naive.allocated[i]);
    }
    const auto highest = std::ranges::max_element(naive.active);
    const kino::CurvePeak peak = device.history.curve(MemoryCurve::requested).peak;
    if (*highest > kino::curve_at(device, MemoryCurve::requested, kBeforeRecording)) {
      CHECK(peak.bytes == *highest);
      CHECK(peak.event == highest - naive.active.begin());
    }
    CHECK(device.trust.not_in_segments == 0);
  }
}

TEST_CASE("the extent of a curve over events is that of the values after them") {
  const RandomRun run(7, 3000);
  const SnapshotDevice device = device_of(run.rows, {segment_of(0, 64 * 1024, 64)}, run.blocks);
  const Naive naive = replay(run.rows, run.before);
  const auto count = static_cast<EventIndex>(run.rows.size());
  std::mt19937 random(5);
  for (int i = 0; i < 2000; ++i) {
    const auto first = static_cast<EventIndex>(random() % count);
    const auto last = static_cast<EventIndex>(first + random() % (count - first));
    const kino::CurveExtent extent = kino::curve_over(device, MemoryCurve::requested, first, last);
    const auto [low, high] =
        std::minmax_element(naive.active.begin() + first, naive.active.begin() + last + 1);
    REQUIRE(extent.lowest == *low);
    REQUIRE(extent.highest == *high);
    REQUIRE(extent.last == naive.active[static_cast<std::size_t>(last)]);
  }
  const auto whole = kino::curve_over(device, MemoryCurve::requested, kBeforeRecording, kNever);
  CHECK(whole.highest == device.history.curve(MemoryCurve::requested).peak.bytes);
}

TEST_CASE("reserved memory is anchored at its end, and segments live as long as their addresses") {
  // There is one segment at the end, and an older one that was freed.
  const SnapshotDevice device = device_of({{SnapshotAction::segment_alloc, 20 * kMiB, 2 * kMiB},
                                           {SnapshotAction::segment_free, 50 * kMiB, 20 * kMiB}},
                                          {segment_of(20 * kMiB, 2 * kMiB, 0)});
  CHECK(kino::curve_at(device, MemoryCurve::reserved, kBeforeRecording) == 20 * kMiB);
  CHECK(kino::curve_at(device, MemoryCurve::reserved, 0) == 22 * kMiB);
  CHECK(kino::curve_at(device, MemoryCurve::reserved, 1) == 2 * kMiB);
  REQUIRE(device.history.segments.size() == 2);
  CHECK(device.history.segments[0].addr == 50 * kMiB);
  CHECK(device.history.segments[0].end == 1);
  CHECK_FALSE(device.history.segments[0].small);
  CHECK(device.history.segments[1].begin == 0);
  CHECK(device.history.segments[1].end == kNever);
  CHECK(kino::segments_at(device.history, 0).size() == 2);
  CHECK(kino::segments_at(device.history, 1).size() == 1);
}

TEST_CASE("maps, cuts and merges runs of an expandable segment") {
  std::vector<SnapshotSegment> segments{segment_of(0, 20 * kMiB, 0, false),
                                        segment_of(40 * kMiB, 20 * kMiB, 0, false)};
  for (SnapshotSegment& segment : segments) segment.expandable = true;
  const SnapshotDevice device = device_of({{SnapshotAction::segment_map, 0, 40 * kMiB},
                                           {SnapshotAction::segment_map, 40 * kMiB, 20 * kMiB},
                                           {SnapshotAction::segment_unmap, 20 * kMiB, 20 * kMiB}},
                                          segments);
  CHECK(kino::layout_at(device, kBeforeRecording).segments.empty());
  const kino::AllocatorLayout mapped = kino::layout_at(device, 1);
  REQUIRE(mapped.segments.size() == 1);
  CHECK(mapped.segments[0].size == 60 * kMiB);
  const kino::AllocatorLayout cut = kino::layout_at(device, 2);
  REQUIRE(cut.segments.size() == 2);
  CHECK(cut.segments[1].addr == 40 * kMiB);
  CHECK(kino::fragmentation_of(cut).reserved == 40 * kMiB);
}

TEST_CASE("segments equal a naive replay of maps and unmaps") {
  constexpr std::uint64_t kPage = 2 * kMiB;
  for (const unsigned seed : {11U, 12U, 13U}) {
    std::mt19937 random(seed);
    std::vector<bool> mapped(32);
    for (std::size_t i = 0; i < mapped.size(); ++i) mapped[i] = random() % 3 == 0;
    std::vector<EntryRow> rows;
    std::vector<std::vector<bool>> after;
    for (int step = 0; step < 300; ++step) {
      // The longest run of equal pages from a random page on, cut at random.
      const std::size_t first = random() % mapped.size();
      std::size_t last = first + 1;
      while (last < mapped.size() && mapped[last] == mapped[first] && random() % 4 != 0) ++last;
      rows.push_back({mapped[first] ? SnapshotAction::segment_unmap : SnapshotAction::segment_map,
                      first * kPage, (last - first) * kPage});
      for (std::size_t i = first; i < last; ++i) mapped[i] = !mapped[i];
      after.push_back(mapped);
    }
    std::vector<SnapshotSegment> segments;
    for (std::size_t i = 0; i < mapped.size(); ++i) {
      if (!mapped[i]) continue;
      if (!segments.empty() && segments.back().addr + segments.back().size == i * kPage) {
        segments.back().size += kPage;
      } else {
        segments.push_back(segment_of(i * kPage, kPage, 0));
        segments.back().expandable = true;
      }
    }
    const SnapshotDevice device = device_of(rows, segments);
    for (std::size_t event = 0; event < rows.size(); ++event) {
      std::vector<bool> now(mapped.size());
      for (const std::uint32_t i : kino::segments_at(device.history, static_cast<EventIndex>(event))) {
        const kino::SegmentSpan& span = device.history.segments[i];
        for (std::uint64_t at = span.addr; at < span.addr + span.size; at += kPage) {
          REQUIRE_FALSE(now[at / kPage]);
          now[at / kPage] = true;
        }
      }
      REQUIRE(now == after[event]);
    }
  }
}

TEST_CASE("the segment of an allocation is the one that was reserved at its begin") {
  constexpr std::uint64_t kPage = 2 * kMiB;
  for (const unsigned seed : {21U, 22U, 23U}) {
    std::mt19937 random(seed);
    std::vector<bool> mapped(16);
    std::vector<EntryRow> rows;
    for (int step = 0; step < 400; ++step) {
      const std::size_t page = random() % mapped.size();
      if (random() % 3 == 0) {
        rows.push_back({mapped[page] ? SnapshotAction::segment_unmap : SnapshotAction::segment_map,
                        page * kPage, kPage});
        mapped[page] = !mapped[page];
      } else {
        rows.push_back({SnapshotAction::alloc, page * kPage + random() % kPage, 1});
      }
    }
    std::vector<SnapshotSegment> segments;
    for (std::size_t i = 0; i < mapped.size(); ++i) {
      if (mapped[i]) segments.push_back(segment_of(i * kPage, kPage, 0));
    }
    const SnapshotDevice device = device_of(rows, segments);
    const kino::AllocationHistory& history = device.history;
    const std::vector<std::uint32_t> found = kino::segments_of_allocations(history);
    REQUIRE(found.size() == history.allocations.count());
    std::size_t in_none = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      std::uint32_t expected = kino::kNoSegment;
      for (const std::uint32_t at : kino::segments_at(history, history.allocations.begin[i])) {
        const std::uint64_t addr = history.allocations.addr[i];
        if (history.segments[at].addr <= addr && addr < history.segments[at].addr + history.segments[at].size)
          expected = at;
      }
      REQUIRE(found[i] == expected);
      in_none += expected == kino::kNoSegment ? 1 : 0;
    }
    CHECK(in_none > 0);
    CHECK(in_none < found.size());
  }
}

TEST_CASE(
    "a gap of up to 1 MiB after a block of a large segment is rounding, and a larger gap is free memory") {
  SnapshotSegment segment = segment_of(0, 20 * kMiB, 0, false);
  const std::vector<EntryRow> rows{{SnapshotAction::alloc, 0, 4 * kMiB - 5},
                                   {SnapshotAction::alloc, 5 * kMiB, 14 * kMiB},
                                   {SnapshotAction::free_completed, 5 * kMiB, 14 * kMiB},
                                   {SnapshotAction::free_completed, 0, 4 * kMiB - 5}};
  const SnapshotDevice device = device_of(rows, {segment});
  const kino::AllocatorLayout full = kino::layout_at(device, 1);
  REQUIRE(full.blocks.size() == 2);
  CHECK(full.blocks[0].size == 5 * kMiB);
  CHECK(full.blocks[1].size == 15 * kMiB);
  const kino::AllocatorLayout half = kino::layout_at(device, 2);
  REQUIRE(half.blocks.size() == 2);
  CHECK(half.blocks[0].size == 4 * kMiB);
  const kino::Fragmentation parts = kino::fragmentation_of(half);
  CHECK(parts.free == 16 * kMiB);
  CHECK(parts.largest_free == 16 * kMiB);
  CHECK(parts.rounding == 5);
  CHECK(parts.free_squares == doctest::Approx(0.64));
  CHECK(kino::fragmentation_of(kino::layout_at(device, 3)).free_segments == 1);
}

TEST_CASE("a time maps to the last event that is not later") {
  const SnapshotDevice ascending = device_of({{SnapshotAction::alloc, 1, 1, 100},
                                              {SnapshotAction::alloc, 2, 1, 100},
                                              {SnapshotAction::alloc, 3, 1, 300}});
  CHECK(kino::event_at_time(ascending, 99) == kBeforeRecording);
  CHECK(kino::event_at_time(ascending, 100) == 1);
  CHECK(kino::event_at_time(ascending, 299) == 1);
  CHECK(kino::event_at_time(ascending, 1000) == 2);
  const SnapshotDevice mixed = device_of({{SnapshotAction::alloc, 1, 1, 100},
                                          {SnapshotAction::alloc, 2, 1, 50},
                                          {SnapshotAction::alloc, 3, 1, 300}});
  CHECK(mixed.trust.time_backwards == 1);
  CHECK(kino::event_at_time(mixed, 120) == 1);
  CHECK(kino::event_at_time(device_of({{SnapshotAction::alloc, 1, 1}}), 5) == kBeforeRecording);
}

TEST_CASE("checks the last snapshot entry against the segments") {
  SnapshotSegment segment = segment_of(0, 2 * kMiB, 0);
  segment.active = 1000;
  CHECK(device_of({{SnapshotAction::snapshot, 0, 1512}}, {segment}).trust.residual_bytes == 512);
  CHECK_FALSE(device_of({}, {segment}).trust.residual_bytes);
}

TEST_CASE("a stop request ends the replay without a history") {
  SnapshotDevice device = device_of({{SnapshotAction::alloc, 1, 1}});
  std::stop_source stop;
  stop.request_stop();
  kino::build_history(device, stop.get_token());
  CHECK(device.history.allocations.count() == 0);
}

TEST_CASE("sorts the largest allocations by size, then in the order of the file") {
  const SnapshotDevice device = device_of({{SnapshotAction::alloc, 0x1000, 5},
                                           {SnapshotAction::alloc, 0x2000, 9},
                                           {SnapshotAction::alloc, 0x3000, 5}});
  CHECK(kino::largest_at(device, 2, 2) == std::vector{AllocationId{1}, AllocationId{0}});
  CHECK(kino::largest_at(device, 2, 9).size() == 3);
  CHECK(kino::is_library_file("/opt/venv/lib/python3.12/site-packages/torch/nn/modules/linear.py",
                              kino::default_libraries()));
  CHECK_FALSE(kino::is_library_file("/home/me/train.py", kino::default_libraries()));
}

}  // namespace

TEST_CASE("only entries that change memory are a history") {
  CHECK_FALSE(kino::has_history(device_of({})));
  CHECK_FALSE(kino::has_history(device_of({{SnapshotAction::oom, 100, 4096}, {SnapshotAction::snapshot}})));
  CHECK(kino::has_history(device_of({{SnapshotAction::oom, 100, 4096}, {SnapshotAction::alloc, 0x10, 64}})));
  CHECK(kino::has_history(device_of({{SnapshotAction::segment_map, 0x10, 64}})));
}

TEST_CASE("reports a peak above reserved memory, with allocations outside of all segments") {
  const SnapshotBlock block{.addr = 0x1000, .size = kMiB, .requested = kMiB, .state = BlockState::allocated};
  const SnapshotSegment segment = segment_of(0x1000, 2 * kMiB, 1);
  const SnapshotDevice sound = device_of({{SnapshotAction::alloc, 0x1000, kMiB}}, {segment}, {block});
  CHECK_FALSE(kino::reserved_gap(sound));
  // Memory timelines have no segments.
  CHECK_FALSE(kino::reserved_gap(device_of({{SnapshotAction::alloc, 0x1000, kMiB}})));
  const SnapshotDevice odd =
      device_of({{SnapshotAction::alloc, 0x1000, kMiB}, {SnapshotAction::alloc, 0x90000000, 5 * kMiB}},
                {segment}, {block});
  const auto gap = kino::reserved_gap(odd);
  REQUIRE(gap);
  CHECK(gap->requested == 6 * kMiB);
  CHECK(gap->reserved == 2 * kMiB);
  CHECK(gap->live == 2);
  CHECK(gap->outside == 1);
  CHECK(gap->outside_bytes == 5 * kMiB);
  CHECK(kino::text_of(*gap, kino::ByteUnits::decimal) ==
        "At the peak, 6.29 MB are requested but only 2.10 MB are reserved, which no allocator allows. The "
        "reserved memory is incomplete. Of 2 allocations that were live at the peak, 1 (5.24 MB) are in no "
        "segment of the file.");
}
