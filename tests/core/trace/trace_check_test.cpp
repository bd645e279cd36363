// Covers: trace_check
#include "core/trace/trace_check.hpp"

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "tests/fixtures/event_fixture.hpp"

using kino::CategoryId;
using kino::NameId;
using kino::SliceId;
using kino::Trace;

namespace {

bool holds(const Trace& trace) { return kino::is_consistent(trace, 2, {}); }

/// 300 operators with a launch in each, 600 kernels of these launches, flows.
std::shared_ptr<Trace> made() {
  kino::EventFixture events;
  for (int i = 0; i < 300; ++i) {
    const auto id = static_cast<std::uint32_t>(i + 1);
    events.op("outer", 1000 * i, 900).launch(1000 * i + 10, 50, id);
    events.kernel("a", 1000 * i + 100, 400, id).kernel("b", 1000 * i + 500, 300, id);
  }
  for (std::uint64_t id = 1; id < 10; ++id) {
    const auto at = static_cast<std::int64_t>(1000 * id);
    events.flow('s', id, at + 5).flow('f', id, at + 3005);
  }
  return std::const_pointer_cast<Trace>(events.build());
}

}  // namespace

TEST_CASE("built traces are valid, also empty ones") {
  const auto trace = made();
  REQUIRE(trace->flows.size() > 3);
  REQUIRE(trace->flows.launched.size() == 600);
  REQUIRE(trace->lod.longest.size() > 60);
  CHECK(holds(*trace));
  CHECK(holds(*kino::EventFixture().build()));
}

TEST_CASE("any invalid number is detected") {
  const SliceId nowhere{1200};
  const std::vector<std::function<void(Trace&)>> harms = {
      [](Trace& t) { t.slices.name[5] = NameId{t.names.size()}; },
      [](Trace& t) { t.slices.category[5] = CategoryId{99}; },
      [](Trace& t) { t.slices.kind[5] = kino::SliceKind{kino::kSliceKindCount}; },
      [](Trace& t) { t.slices.link[5] = SliceId{1200}; },
      [](Trace& t) { t.slices.parent[5] = SliceId{5}; },
      [](Trace& t) { t.slices.parent[5] = SliceId{1199}; },
      [](Trace& t) { t.slices.parent[t.rows.back().first_slice] = SliceId{0}; },  // on another track
      [](Trace& t) { t.slices.duration_ns[5] = -1; },
      [](Trace& t) { t.slices.duration_ns[5] = INT64_MAX; },
      [](Trace& t) { t.slices.start_ns[5] = t.slices.start_ns[6]; },
      [](Trace& t) { t.slices.start_ns[0] = INT64_MIN; },
      [](Trace& t) { t.slices.name = {}; },
      [](Trace& t) { t.slices.kind = kino::Column<kino::SliceKind>(3); },
      [](Trace& t) {
        t.range = {5, 4};
      },
      [](Trace& t) {
        t.range = {INT64_MIN, INT64_MAX};
      },
      [](Trace& t) { t.range.end_ns = 10; },
      [](Trace& t) { t.content.end_ns = t.range.end_ns + 1; },
      [](Trace& t) { t.rows[0].track = kino::TrackId{2}; },
      [](Trace& t) { t.rows[0].lane = 1; },
      [](Trace& t) { ++t.rows[0].slice_count; },
      [](Trace& t) { ++t.rows[1].first_slice; },
      [](Trace& t) { ++t.rows[1].lod.longest_offset; },
      [](Trace& t) { ++t.rows[1].lod.busy_offset; },
      [](Trace& t) { t.rows.pop_back(); },
      [](Trace& t) { t.rows.push_back(t.rows.back()); },
      [](Trace& t) { t.tracks[0].kind = kino::TrackKind{77}; },
      [](Trace& t) { t.tracks[0].process = 2; },
      [](Trace& t) { ++t.tracks[0].row_count; },
      [](Trace& t) { ++t.tracks[0].first_row; },
      [](Trace& t) { t.tracks[0].instant_count = 1; },
      [](Trace& t) { t.tracks[0].first_sample = 1; },
      [](Trace& t) { t.tracks.pop_back(); },
      [](Trace& t) { ++t.processes[0].track_count; },
      [](Trace& t) { t.processes[1].first_track = 0; },
      [](Trace& t) { t.processes.pop_back(); },
      [](Trace& t) { t.name_kind[0] = kino::SliceKind{200}; },
      [](Trace& t) { t.name_kind.pop_back(); },
      [](Trace& t) { t.lod.longest[3] = 0; },
      [](Trace& t) { t.lod.longest[3] = 400; },
      [](Trace& t) { t.lod.busy_prefix_ns[0] = 1; },
      [](Trace& t) { ++t.lod.busy_prefix_ns[2]; },
      [](Trace& t) { t.lod.longest = kino::Column<std::uint32_t>(2); },
      [](Trace& t) { t.flows.from[t.flows.size() - 1] = nowhere; },
      [](Trace& t) { t.flows.to[0] = nowhere; },
      [](Trace& t) { std::swap(t.flows.from[0], t.flows.from[1]); },
      [](Trace& t) { t.flows.category[0] = CategoryId{99}; },
      [](Trace& t) { t.flows.by_to[0] = 1000; },
      [](Trace& t) { std::swap(t.flows.by_to[0], t.flows.by_to[1]); },
      [](Trace& t) { t.flows.launched[0] = nowhere; },
      [](Trace& t) { std::swap(t.flows.launched[0], t.flows.launched[599]); },
  };
  for (std::size_t i = 0; i < harms.size(); ++i) {
    CAPTURE(i);
    const auto trace = made();
    harms[i](*trace);
    CHECK_FALSE(holds(*trace));
  }
}

TEST_CASE("instants and samples are in order and in range") {
  const auto with_points = [] {
    auto trace = std::make_shared<Trace>();
    trace->names.intern("");
    trace->name_kind = {kino::SliceKind::other};
    trace->categories.intern("c");
    trace->range = trace->content = {0, 100};
    trace->instants.time_ns = kino::Column<std::int64_t>(3);
    trace->instants.source_offset = kino::Column<std::uint64_t>(3);
    trace->instants.name = kino::Column<NameId>(3);
    trace->instants.category = kino::Column<CategoryId>(3);
    trace->samples.time_ns = kino::Column<std::int64_t>(3);
    trace->samples.value = kino::Column<double>(3);
    for (int i = 0; i < 3; ++i) trace->instants.time_ns[i] = trace->samples.time_ns[i] = 10 * i;
    kino::Track track;
    track.instant_count = track.sample_count = 3;
    trace->tracks.push_back(track);
    trace->processes.push_back({.pid = "1", .title = "p", .track_count = 1});
    return trace;
  };
  CHECK(holds(*with_points()));
  const std::vector<std::function<void(Trace&)>> harms = {
      [](Trace& t) { t.instants.time_ns[0] = 15; },
      [](Trace& t) { t.instants.time_ns[2] = 101; },
      [](Trace& t) { t.instants.name[0] = NameId{1}; },
      [](Trace& t) { t.instants.category[0] = CategoryId{1}; },
      [](Trace& t) { t.samples.time_ns[0] = 15; },
      [](Trace& t) { t.samples.time_ns[0] = -1; },
      [](Trace& t) { t.tracks[0].instant_count = 4; },
      [](Trace& t) { t.tracks[0].first_sample = 1; },
      [](Trace& t) { t.samples.value = {}; },
  };
  for (std::size_t i = 0; i < harms.size(); ++i) {
    CAPTURE(i);
    const auto trace = with_points();
    harms[i](*trace);
    CHECK_FALSE(holds(*trace));
  }
}
