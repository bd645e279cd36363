// Covers: event_pick, event_steps
#include "app/ui/view/event_pick.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include "app/ui/view/event_steps.hpp"

using namespace kino;

namespace {

struct Span {
  std::int64_t start;
  std::int64_t duration;
  std::uint32_t parent = 0xffffffffU;
};

/// One track whose lanes are the given rows of disjoint slices.
Trace trace_of(const std::vector<std::vector<Span>>& rows) {
  Trace trace;
  std::size_t count = 0;
  for (const auto& row : rows) count += row.size();
  trace.slices.start_ns = Column<std::int64_t>(count);
  trace.slices.duration_ns = Column<std::int64_t>(count);
  trace.slices.parent = Column<SliceId>(count);
  std::uint32_t next = 0;
  std::uint64_t longest = 0;
  std::uint64_t busy = 0;
  for (const auto& spans : rows) {
    Row row;
    row.first_slice = next;
    row.slice_count = static_cast<std::uint32_t>(spans.size());
    row.lane = static_cast<std::uint32_t>(trace.rows.size());
    row.lod = {longest, busy};
    longest += LodIndex::longest_size(spans.size());
    busy += LodIndex::busy_size(spans.size());
    for (const Span& span : spans) {
      trace.slices.start_ns[next] = span.start;
      trace.slices.duration_ns[next] = span.duration;
      trace.slices.parent[next] = SliceId{span.parent};
      ++next;
    }
    trace.rows.push_back(row);
  }
  trace.lod.longest = Column<std::uint32_t>(longest);
  trace.lod.busy_prefix_ns = Column<std::int64_t>(busy);
  for (const Row& row : trace.rows) {
    trace.lod.build_row(row.lod, trace.slices.duration_ns.sub(row.first_slice, row.slice_count));
  }
  Track track;
  track.row_count = static_cast<std::uint32_t>(rows.size());
  trace.tracks.push_back(track);
  return trace;
}

}  // namespace

TEST_CASE("a slice of a pixel or more is picked anywhere on it") {
  const Trace trace = trace_of({{{0, 100}, {100, 50}, {300, 100}}});
  const TimeView view{0, 10, 100};
  CHECK(pick_slice(trace, RowId{0}, view, 5, 2).event.slice == SliceId{0});
  CHECK(pick_slice(trace, RowId{0}, view, 12, 2).event.slice == SliceId{1});
  CHECK(pick_slice(trace, RowId{0}, view, 12, 2).count == 1);
  CHECK_FALSE(pick_slice(trace, RowId{0}, view, 22, 2).event.any());
}

TEST_CASE("narrow slices are found within the tolerance, the nearest first") {
  const Trace trace = trace_of({{{1000, 1}, {1030, 1}}});
  const TimeView view{0, 10, 200};
  CHECK(pick_slice(trace, RowId{0}, view, 98.2, 2).event.slice == SliceId{0});
  CHECK(pick_slice(trace, RowId{0}, view, 101.0, 2).event.slice == SliceId{0});
  CHECK(pick_slice(trace, RowId{0}, view, 102.2, 2).event.slice == SliceId{1});
  CHECK_FALSE(pick_slice(trace, RowId{0}, view, 97, 2).event.any());
}

TEST_CASE("the longest of many slices in one pixel is picked, with their number") {
  const Trace trace = trace_of({{{1000, 1}, {1002, 3}, {1006, 2}, {2000, 1}}});
  const EventPick pick = pick_slice(trace, RowId{0}, TimeView{0, 100, 100}, 10, 2);
  CHECK(pick.event.slice == SliceId{1});
  CHECK(pick.count == 3);
}

TEST_CASE("picking agrees with checking every slice (brute force)") {
  std::mt19937 random(17);
  for (int round = 0; round < 200; ++round) {
    std::vector<Span> spans;
    std::int64_t time = 0;
    for (int i = 0; i < 60; ++i) {
      time += random() % 40;
      const std::int64_t length = random() % 30;
      spans.push_back({time, length});
      time += length;
    }
    const Trace trace = trace_of({spans});
    const TimeView view{-50, 0.5 + random() % 40, 400};
    for (int k = 0; k < 40; ++k) {
      const double px = random() % 400;
      const EventPick pick = pick_slice(trace, RowId{0}, view, px, 2);
      std::int64_t longest = -1;
      bool reachable = false;
      for (const Span& span : spans) {
        const double left = view.px_from_ns(static_cast<double>(span.start));
        const double right = view.px_from_ns(static_cast<double>(span.start + span.duration));
        if (left <= px + 0.49 && right >= px - 0.49) longest = std::max(longest, span.duration);
        if (left <= px + 1.99 && right >= px - 1.99) reachable = true;
      }
      if (reachable) CHECK(pick.event.any());
      if (!pick.event.any()) continue;
      const Span& found = spans[index_of(pick.event.slice)];
      CHECK(view.px_from_ns(static_cast<double>(found.start)) <= px + 2.01);
      CHECK(view.px_from_ns(static_cast<double>(found.start + found.duration)) >= px - 2.01);
      const bool wide = static_cast<double>(found.duration) >= view.ns_per_px;
      if (longest >= 0 && !wide) CHECK(found.duration >= longest);
    }
  }
}

TEST_CASE("an empty row has nothing to pick") {
  const Trace trace = trace_of({{}});
  CHECK_FALSE(pick_slice(trace, RowId{0}, TimeView{0, 1, 100}, 5, 2).event.any());
}

TEST_CASE("a counter shows its last value, and its range if samples share a pixel") {
  Trace trace = trace_of({{}});
  trace.samples.time_ns = Column<std::int64_t>(4);
  trace.samples.value = Column<double>(4);
  const std::int64_t times[] = {100, 200, 203, 206};
  const double values[] = {5, 9, 1, 4};
  for (std::size_t i = 0; i < 4; ++i) {
    trace.samples.time_ns[i] = times[i];
    trace.samples.value[i] = values[i];
  }
  trace.tracks[0].sample_count = 4;
  const TimeView view{0, 10, 100};
  CHECK_FALSE(read_counter(kino::ShownRows(trace).counter_at(0), view, 5).valid);
  CHECK(read_counter(kino::ShownRows(trace).counter_at(0), view, 15).value == 5);
  const CounterReading reading = read_counter(kino::ShownRows(trace).counter_at(0), view, 20.4);
  CHECK(reading.value == 4);
  CHECK(reading.min_value == 1);
  CHECK(reading.max_value == 9);
}

TEST_CASE("keys move to neighbors, parents and the first child, and stop at the ends") {
  const Trace trace = trace_of({{{0, 100}, {200, 100}}, {{210, 10, 1}, {230, 10, 1}}, {{231, 2, 3}}});
  const auto event = [](std::uint32_t slice) { return EventRef{SliceId{slice}, kNoInstant}; };
  CHECK(neighbor_of(trace, event(0), 1) == event(1));
  CHECK(neighbor_of(trace, event(1), 1) == event(1));
  CHECK(neighbor_of(trace, event(0), -1) == event(0));
  CHECK(parent_of(trace, SliceId{4}) == SliceId{3});
  CHECK(parent_of(trace, SliceId{0}) == SliceId{0});
  CHECK(first_child_of(trace, SliceId{1}) == SliceId{2});
  CHECK(first_child_of(trace, SliceId{3}) == SliceId{4});
  CHECK(first_child_of(trace, SliceId{0}) == SliceId{0});
  CHECK(range_of(trace, event(2)) == TimeRange{210, 220});
}
