// Covers: span_pairing
#include "core/trace/build/span_pairing.hpp"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

using kino::DamageReason;
using kino::PointRecord;

namespace {

PointRecord point(char phase, std::int64_t time_ns, std::uint32_t name, std::uint64_t id = 0,
                  std::uint32_t track = 0) {
  PointRecord record;
  record.phase = phase;
  record.time_ns = time_ns;
  record.name = name;
  record.async_id = id;
  record.track = track;
  record.source_offset = static_cast<std::uint64_t>(time_ns);
  return record;
}

struct Extent {
  std::uint32_t name = 0;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  auto operator<=>(const Extent&) const = default;
};
using Extents = std::vector<Extent>;

/// Sorted by name, then by begin.
Extents extents(const kino::SpanPairs& pairs) {
  Extents sorted;
  for (const kino::SliceRecord& slice : pairs.slices)
    sorted.push_back({slice.name, slice.start_ns, slice.start_ns + slice.duration_ns});
  std::ranges::sort(sorted);
  return sorted;
}

}  // namespace

TEST_CASE("an end closes the innermost begin of its track") {
  const std::vector<PointRecord> spans{point('B', 0, 1),  point('B', 10, 2),      point('E', 20, 0),
                                       point('E', 30, 0), point('B', 5, 3, 0, 1), point('E', 6, 3, 0, 1)};
  const kino::SpanPairs pairs = kino::pair_spans_of(spans, 100);
  REQUIRE(pairs.slices.size() == 3);
  CHECK(pairs.matched == 3);
  CHECK(pairs.slices[0].name == 2);
  CHECK(pairs.slices[0].duration_ns == 10);
  CHECK(pairs.slices[1].name == 1);
  CHECK(pairs.slices[1].duration_ns == 30);
  CHECK(pairs.slices[2].track == 1);
  CHECK(pairs.damage.empty());
}

TEST_CASE("a begin without an end ends with the enclosing slice and is counted") {
  const std::vector<PointRecord> spans{point('B', 0, 1), point('B', 10, 2), point('E', 20, 1),
                                       point('B', 30, 3), point('E', 40, 3)};
  const kino::SpanPairs pairs = kino::pair_spans_of(spans, 100);
  CHECK(extents(pairs) == Extents{{1, 0, 20}, {2, 10, 20}, {3, 30, 40}});
  CHECK(pairs.matched == 2);
  CHECK(pairs.damage.count(DamageReason::begin_without_end) == 1);
  CHECK(pairs.damage.total() == 1);
}

TEST_CASE("an end closes the begin of its name, and crossing spans keep their lengths") {
  const std::vector<PointRecord> spans{point('B', 0, 1),  point('B', 10, 2), point('B', 15, 3),
                                       point('E', 20, 1), point('B', 25, 4), point('E', 30, 3),
                                       point('E', 40, 4), point('E', 50, 2)};
  const kino::SpanPairs pairs = kino::pair_spans_of(spans, 100);
  CHECK(extents(pairs) == Extents{{1, 0, 20}, {2, 10, 50}, {3, 15, 30}, {4, 25, 40}});
  CHECK(pairs.matched == 4);
  CHECK(pairs.damage.empty());
}

TEST_CASE("of two open begins with one name, the inner one ends first") {
  const std::vector<PointRecord> spans{point('B', 0, 1),  point('B', 10, 2), point('B', 20, 2),
                                       point('E', 30, 1), point('E', 40, 2), point('E', 50, 2)};
  const kino::SpanPairs pairs = kino::pair_spans_of(spans, 100);
  CHECK(extents(pairs) == Extents{{1, 0, 30}, {2, 10, 50}, {2, 20, 40}});
  CHECK(pairs.damage.empty());
}

TEST_CASE("an end without a name closes a crossed begin only if nothing else is open") {
  const std::vector<PointRecord> spans{point('B', 0, 1),  point('B', 10, 2), point('B', 20, 3),
                                       point('E', 30, 2), point('E', 40, 0), point('E', 50, 0),
                                       point('E', 60, 0)};
  const kino::SpanPairs pairs = kino::pair_spans_of(spans, 100);
  CHECK(extents(pairs) == Extents{{1, 0, 40}, {2, 10, 30}, {3, 20, 50}});
  CHECK(pairs.damage.count(DamageReason::end_without_begin) == 1);
  CHECK(pairs.damage.total() == 1);
}

TEST_CASE("an end whose name no begin has closes the innermost begin") {
  const std::vector<PointRecord> spans{point('B', 0, 1), point('B', 10, 2), point('E', 20, 7),
                                       point('E', 30, 8)};
  const kino::SpanPairs pairs = kino::pair_spans_of(spans, 100);
  CHECK(extents(pairs) == Extents{{1, 0, 30}, {2, 10, 20}});
  CHECK(pairs.damage.empty());
}

TEST_CASE("thousands of spans that end in the order of their begins keep their lengths") {
  constexpr std::uint32_t kSpans = 5000;
  std::vector<PointRecord> spans;
  Extents expected;
  for (std::uint32_t i = 1; i <= kSpans; ++i) {
    spans.push_back(point('B', i, i));
    expected.push_back({i, i, kSpans + i});
  }
  for (std::uint32_t i = 1; i <= kSpans; ++i) spans.push_back(point('E', kSpans + i, i));
  const kino::SpanPairs pairs = kino::pair_spans_of(spans, 2 * kSpans);
  CHECK(extents(pairs) == expected);
  CHECK(pairs.damage.empty());
}

TEST_CASE("begins of another track are not closed") {
  const std::vector<PointRecord> spans{point('B', 0, 1), point('B', 10, 2), point('E', 20, 1),
                                       point('E', 30, 2, 0, 1)};
  const kino::SpanPairs pairs = kino::pair_spans_of(spans, 100);
  CHECK(extents(pairs) == Extents{{1, 0, 20}, {2, 10, 20}});
  CHECK(pairs.damage.count(DamageReason::begin_without_end) == 1);
  CHECK(pairs.damage.count(DamageReason::end_without_begin) == 1);
}

TEST_CASE("open spans end with the trace, and an end without a begin is counted") {
  const std::vector<PointRecord> spans{point('E', 0, 0), point('B', 10, 2)};
  const kino::SpanPairs pairs = kino::pair_spans_of(spans, 100);
  REQUIRE(pairs.slices.size() == 1);
  CHECK(pairs.slices[0].duration_ns == 90);
  CHECK(pairs.damage.count(DamageReason::end_without_begin) == 1);
  CHECK(pairs.damage.count(DamageReason::begin_without_end) == 1);
  CHECK(pairs.matched == 0);
}

TEST_CASE("asynchronous events pair by id and may overlap") {
  const std::vector<PointRecord> spans{point('b', 0, 1, 7),  point('b', 5, 2, 8),  point('n', 6, 3, 8),
                                       point('e', 10, 1, 7), point('e', 20, 2, 8), point('e', 30, 2, 9),
                                       point('S', 40, 4, 1)};
  const kino::SpanPairs pairs = kino::pair_spans_of(spans, 100);
  REQUIRE(pairs.slices.size() == 3);
  CHECK(pairs.async_matched == 2);
  CHECK(pairs.slices[0].duration_ns == 10);
  CHECK(pairs.slices[1].duration_ns == 15);
  CHECK(pairs.slices[2].duration_ns == 60);
  REQUIRE(pairs.instants.size() == 2);  // the step, and the end without a begin
  CHECK(pairs.damage.count(DamageReason::async_without_begin) == 1);
  CHECK(pairs.damage.count(DamageReason::async_without_end) == 1);
}

TEST_CASE("an empty list of events has no pairs") {
  const kino::SpanPairs pairs = kino::pair_spans_of({}, 0);
  CHECK(pairs.slices.empty());
  CHECK(pairs.instants.empty());
}

TEST_CASE("an end that follows its begin in the file with an earlier time is a negative duration") {
  std::vector<PointRecord> spans{point('B', 0, 1), point('E', 0, 1), point('E', 0, 2), point('B', 218, 2)};
  spans[0].source_offset = 10;
  spans[1].source_offset = 30;
  spans[2].source_offset = 40;
  spans[3].source_offset = 20;
  const kino::SpanPairs pairs = kino::pair_spans_of(spans, 1000);
  CHECK(extents(pairs) == Extents{{1, 0, 0}, {2, 218, 218}});
  CHECK(pairs.matched == 2);
  CHECK(pairs.damage.count(DamageReason::negative_duration) == 1);
  CHECK(pairs.damage.total() == 1);
  // An end that precedes the begin in the file belongs to a span that began before the recording.
  spans[2].source_offset = 5;
  const kino::SpanPairs apart = kino::pair_spans_of(spans, 1000);
  CHECK(extents(apart) == Extents{{1, 0, 0}, {2, 218, 1000}});
  CHECK(apart.damage.count(DamageReason::end_without_begin) == 1);
  CHECK(apart.damage.count(DamageReason::begin_without_end) == 1);
}
