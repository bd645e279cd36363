#include "core/build/span_pairing.hpp"

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

TEST_CASE("an end that names an outer begin closes what lies in it too, and says so") {
  const std::vector<PointRecord> spans{point('B', 0, 1), point('B', 10, 2), point('E', 20, 1)};
  const kino::SpanPairs pairs = kino::pair_spans_of(spans, 100);
  REQUIRE(pairs.slices.size() == 2);
  CHECK(pairs.matched == 1);
  CHECK(pairs.slices[0].name == 2);
  CHECK(pairs.slices[0].duration_ns == 10);
  CHECK(pairs.slices[1].name == 1);
  CHECK(pairs.damage.count(DamageReason::begin_without_end) == 1);
}

TEST_CASE("what stays open ends with the trace, an end without a begin is counted") {
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
  REQUIRE(pairs.instants.size() == 2);  // the step, and the end that nothing began
  CHECK(pairs.damage.count(DamageReason::async_without_begin) == 1);
  CHECK(pairs.damage.count(DamageReason::async_without_end) == 1);
}

TEST_CASE("nothing pairs to nothing") {
  const kino::SpanPairs pairs = kino::pair_spans_of({}, 0);
  CHECK(pairs.slices.empty());
  CHECK(pairs.instants.empty());
}
