// Covers: paint_keys
// Color keys of slices.
#include "core/trace/timeline/paint_keys.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include "tests/fixtures/event_fixture.hpp"
#include "tests/fixtures/trace_fixture.hpp"

using kino::EventFixture;
using kino::index_of;
using kino::paint_keys;
using kino::PaintBy;
using kino::PaintKeys;
using kino::slice_named;
using kino::SliceId;
using kino::SliceKind;
using kino::TrackClass;

namespace {

std::uint32_t key(const PaintKeys& paint, SliceId slice) { return (*paint.keys)[index_of(slice)]; }

EventFixture& module(EventFixture& events, const char* name, std::int64_t start, std::int64_t duration) {
  return events.slice(TrackClass::cpu, "python_function", name, start, duration, "1");
}

}  // namespace

TEST_CASE("keys by kind and by track are correct, with counts") {
  EventFixture events;
  events.op("aten::mm", 0, 100).launch(10, 5, 1).kernel("gemm", 50, 200, 1).kernel("gemm", 300, 10);
  const auto trace = events.build();
  const PaintKeys kinds = paint_keys(*trace, PaintBy::kind);
  REQUIRE(kinds.keys->size() == 4);
  CHECK(key(kinds, slice_named(*trace, "gemm")) == static_cast<std::uint32_t>(SliceKind::compute));
  CHECK(kinds.groups[static_cast<std::size_t>(SliceKind::compute)].slices == 2);
  CHECK(kinds.groups[static_cast<std::size_t>(SliceKind::compute)].gpu_ns == 210);
  CHECK(kinds.groups[static_cast<std::size_t>(SliceKind::cpu_op)].gpu_ns == 0);
  const PaintKeys tracks = paint_keys(*trace, PaintBy::track);
  for (std::uint32_t i = 0; i < trace->slice_count(); ++i) {
    CHECK(key(tracks, SliceId{i}) == index_of(trace->track_of(SliceId{i})));
  }
}

TEST_CASE("a slice has the innermost module around it, GPU work its launch's, backward its forward's") {
  EventFixture events;
  module(events, "nn.Module: Net_0", 0, 500);
  module(events, "nn.Module: Linear_0", 100, 200);
  events.op("addmm", 110, 150).launch(120, 10, 1);
  events.op("loss", 400, 50).launch(410, 10, 2);
  events.op("outside", 600, 50);
  events.op("AddmmBackward0", 700, 100, "2").op("mm", 710, 50, "2").launch(720, 10, 3, "2");
  events.flow('s', 1, 110).flow('f', 1, 700, "2");
  events.kernel("gemm", 200, 90, 1)
      .kernel("nll", 420, 30, 2)
      .kernel("gemm_dx", 800, 60, 3)
      .kernel("lone", 900, 5);
  const auto trace = events.build();
  const PaintKeys paint = paint_keys(*trace, PaintBy::module);
  const auto of = [&](const char* name) { return key(paint, slice_named(*trace, name)); };
  const std::uint32_t linear = of("nn.Module: Linear_0");
  const std::uint32_t net = of("nn.Module: Net_0");
  CHECK(linear != net);
  CHECK(trace->name_text(paint.groups[linear].name) == "nn.Module: Linear_0");
  for (const char* name : {"addmm", "gemm", "AddmmBackward0", "mm", "gemm_dx"}) CHECK(of(name) == linear);
  for (const char* name : {"loss", "nll"}) CHECK(of(name) == net);
  for (const char* name : {"outside", "lone"}) CHECK(of(name) == kino::kNoModuleKey);
  CHECK(paint.groups[linear].gpu_ns == 150);
}

TEST_CASE("without modules, annotations are used, except those of the profiler") {
  EventFixture events;
  events.slice(TrackClass::cpu, "user_annotation", "ProfilerStep#1", 0, 1000, "1");
  events.slice(TrackClass::cpu, "user_annotation", "## forward ##", 100, 500, "1");
  events.op("addmm", 110, 150).launch(120, 10, 1).kernel("gemm", 200, 90, 1);
  events.op("after", 700, 50);
  const auto trace = events.build();
  const PaintKeys paint = paint_keys(*trace, PaintBy::module);
  CHECK(paint.groups.size() == 2);
  CHECK(key(paint, slice_named(*trace, "gemm")) == 1);
  CHECK(key(paint, slice_named(*trace, "addmm")) == 1);
  CHECK(key(paint, slice_named(*trace, "after")) == kino::kNoModuleKey);
}

TEST_CASE("a duration's key is its percentile among slices of its name") {
  kino::TraceFixture fixture;
  std::vector<kino::FixtureSlice> slices;
  slices.reserve(254);
  for (int i = 0; i < 200; ++i) slices.push_back({i * 1000, (i * 37) % 200 + 1, 1});
  for (int i = 0; i < 50; ++i) slices.push_back({1'000'000 + i * 100, 7, 2});
  for (int i = 0; i < 4; ++i) slices.push_back({2'000'000 + i * 100, i, 3});
  fixture.add_row(slices);
  const auto trace = fixture.build();
  const PaintKeys paint = paint_keys(*trace, PaintBy::duration);
  for (std::uint32_t i = 0; i < 200; ++i) {
    const auto rank = static_cast<std::uint32_t>(trace->slices.duration_ns[i]);  // 1 to 200
    CHECK(key(paint, SliceId{i}) == (2 * rank - 1) * 100 / 400);
  }
  for (std::uint32_t i = 200; i < 250; ++i) CHECK(key(paint, SliceId{i}) == 50);
  for (std::uint32_t i = 250; i < 254; ++i) CHECK(key(paint, SliceId{i}) == kino::kTooFewKey);
}

TEST_CASE("percentiles of a frequent name are close to exact ones") {
  kino::TraceFixture fixture;
  std::mt19937 random(7);
  std::vector<kino::FixtureSlice> slices;
  slices.reserve(100'000);
  for (int i = 0; i < 100'000; ++i) {
    slices.push_back({i * std::int64_t{1'000'000}, static_cast<std::int64_t>(random() % 900'000), 0});
  }
  fixture.add_row(slices);
  const auto trace = fixture.build();
  std::vector<std::int64_t> sorted(trace->slices.duration_ns.begin(), trace->slices.duration_ns.end());
  std::sort(sorted.begin(), sorted.end());
  const PaintKeys paint = paint_keys(*trace, PaintBy::duration);
  for (std::uint32_t i = 0; i < trace->slice_count(); i += 101) {
    const auto below = std::lower_bound(sorted.begin(), sorted.end(), trace->slices.duration_ns[i]);
    const double exact =
        100.0 * static_cast<double>(below - sorted.begin()) / static_cast<double>(sorted.size());
    CHECK(static_cast<double>(key(paint, SliceId{i})) == doctest::Approx(exact).epsilon(0.01).scale(300));
  }
}

TEST_CASE("an empty trace has no keys, and a stopped call returns none") {
  const auto trace = kino::TraceFixture().build();
  for (const PaintBy by : {PaintBy::kind, PaintBy::track, PaintBy::module, PaintBy::duration}) {
    CHECK(paint_keys(*trace, by).keys->empty());
    std::stop_source stop;
    stop.request_stop();
    CHECK(paint_keys(*trace, by, stop.get_token()).keys == nullptr);
  }
}
