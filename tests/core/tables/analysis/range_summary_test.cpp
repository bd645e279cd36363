// Covers: range_summary
#include "core/tables/analysis/range_summary.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/fixtures/event_fixture.hpp"

using kino::DurationTotals;
using kino::EventFixture;
using kino::NameStats;
using kino::SliceKind;
using kino::TimeRange;
using kino::Trace;
using kino::TrackId;

namespace {

kino::RangeSummary summarize(const Trace& trace, TimeRange range,
                             std::optional<std::span<const TrackId>> tracks = std::nullopt) {
  auto summary = kino::summarize_range(trace, range, tracks, {}, 2);
  REQUIRE(summary.ok());
  return std::move(summary.value());
}

DurationTotals stats_of(const Trace& trace, const kino::RangeSummary& summary, std::string_view name) {
  for (const NameStats& row : summary.names) {
    if (trace.names[kino::index_of(row.name)] == name) return row.stats;
  }
  return {};
}

std::int64_t clipped(const Trace& trace, std::uint32_t slice, TimeRange range) {
  const std::int64_t start = std::max(range.begin_ns, trace.slices.start_ns[slice]);
  return std::max<std::int64_t>(0, std::min(range.end_ns, trace.end_ns(kino::SliceId{slice})) - start);
}

}  // namespace

TEST_CASE("sums a range by name, kind and stream") {
  EventFixture events;
  events.op("outer", 0, 100).op("inner", 20, 30).op("inner", 60, 20);
  events.kernel("k", 10, 40).kernel("k", 70, 20).kernel("ncclDevKernel_AllReduce", 30, 50, 0, "8");
  const auto trace = events.build();
  const auto summary = summarize(*trace, {10, 80});
  const DurationTotals outer = stats_of(*trace, summary, "outer");
  CHECK(outer.count == 1);
  CHECK(outer.total_ns == 70);
  CHECK(outer.self_ns == 20);
  const DurationTotals k = stats_of(*trace, summary, "k");
  CHECK(k.count == 2);
  CHECK(k.total_ns == 50);
  CHECK(k.mean_ns() == 25);
  CHECK(k.min_ns == 10);
  CHECK(k.max_ns == 40);
  CHECK(trace->name_of(k.longest) == "k");
  CHECK(trace->slices.start_ns[kino::index_of(k.longest)] == 10);
  CHECK(summary.kinds[static_cast<std::size_t>(SliceKind::communication)].total_ns == 50);
  CHECK(summary.kinds[static_cast<std::size_t>(SliceKind::cpu_op)].self_ns == 70);
  CHECK(summary.gpu_work_ns == 100);
  CHECK(summary.share_of_gpu(k.total_ns) == 0.5);
  CHECK(summary.share_of_range(summary.streams[0].busy_ns) == doctest::Approx(50.0 / 70));
  REQUIRE(summary.streams.size() == 2);
  CHECK(summary.streams[0].busy_ns == 50);
  CHECK(summary.streams[0].idle_ns == 20);
}

TEST_CASE("counts a slice that extends beyond the range with the range's length") {
  EventFixture events;
  events.kernel("k", 0, 1000);
  const auto trace = events.build();
  const auto summary = summarize(*trace, {400, 500});
  const DurationTotals k = stats_of(*trace, summary, "k");
  CHECK(k.count == 1);
  CHECK(k.total_ns == 100);
  CHECK(k.min_ns == 100);
  CHECK(k.max_ns == 100);
  CHECK(summary.streams[0].idle_ns == 0);
}

TEST_CASE("sums an empty range to 0, not to NaN") {
  EventFixture events;
  events.kernel("k", 0, 10).kernel("k", 100, 10);
  const auto trace = events.build();
  for (const TimeRange range : {TimeRange{5, 5}, TimeRange{9, 5}, TimeRange{10, 100}}) {
    const auto summary = summarize(*trace, range);
    CHECK(summary.names.empty());
    CHECK(summary.all.count == 0);
    CHECK(summary.all.mean_ns() == 0);
    CHECK(summary.share_of_gpu(0) == 0);
    CHECK(summary.streams[0].busy_ns == 0);
    CHECK(summary.streams[0].idle_ns == std::max<std::int64_t>(0, range.length_ns()));
  }
  CHECK(summarize(*trace, {5, 5}).share_of_range(0) == 0);
  CHECK(summarize(Trace{}, {0, 100}).names.empty());
}

TEST_CASE("counts only selected tracks, and fails with 'cancelled' after a stop request") {
  EventFixture events;
  events.kernel("a", 0, 10).kernel("b", 0, 10, 0, "8");
  const auto trace = events.build();
  const std::vector<TrackId> one{TrackId{1}, TrackId{1}};
  const auto summary = summarize(*trace, {0, 10}, one);
  CHECK(summary.names.size() == 1);
  CHECK(summary.streams.size() == 1);
  CHECK(summarize(*trace, {0, 10}, std::span<const TrackId>{}).names.empty());
  std::stop_source stop;
  stop.request_stop();
  const auto stopped = kino::summarize_range(*trace, {0, 10}, std::nullopt, stop.get_token());
  REQUIRE_FALSE(stopped.ok());
  CHECK(stopped.error().kind == kino::Error::Kind::cancelled);
}

TEST_CASE("agrees with counting nanoseconds on random traces") {
  std::mt19937 random(31);
  for (int round = 0; round < 300; ++round) {
    EventFixture events;
    const int span = 200;
    for (int i = 0; i < 50; ++i) {
      const auto start = static_cast<std::int64_t>(random() % span);
      const auto duration = static_cast<std::int64_t>(random() % 80);
      const std::string name = "n" + std::to_string(random() % 5);
      if (random() % 2 == 0) {
        events.op(name, start, duration, std::to_string(random() % 2));
      } else {
        events.kernel(name, start, duration, 0, std::to_string(random() % 2));
      }
    }
    const auto built = events.build();
    const Trace& trace = *built;
    const auto a = static_cast<std::int64_t>(random() % (span + 80));
    const TimeRange range{a, a + static_cast<std::int64_t>(random() % 150) + 1};

    std::map<std::pair<kino::NameId, SliceKind>, DurationTotals> expected;
    std::map<TrackId, std::vector<bool>> busy;
    for (std::uint32_t i = 0; i < trace.slice_count(); ++i) {
      const std::int64_t start = trace.slices.start_ns[i];
      const std::int64_t end = trace.end_ns(kino::SliceId{i});
      const TrackId track = trace.rows[kino::index_of(trace.row_of(kino::SliceId{i}))].track;
      if (start >= range.end_ns || (end <= range.begin_ns && start < range.begin_ns)) continue;
      std::int64_t self = 0;
      for (std::int64_t t = std::max(start, range.begin_ns); t < std::min(end, range.end_ns); ++t) {
        bool own = true;
        for (std::uint32_t j = 0; j < trace.slice_count() && own; ++j) {
          own = trace.slices.parent[j] != kino::SliceId{i} || t < trace.slices.start_ns[j] ||
                t >= trace.end_ns(kino::SliceId{j});
        }
        self += own ? 1 : 0;
        if (trace.tracks[kino::index_of(track)].kind != kino::TrackKind::gpu_stream) continue;
        auto& marks = busy[track];
        marks.resize(static_cast<std::size_t>(range.length_ns()));
        marks[static_cast<std::size_t>(t - range.begin_ns)] = true;
      }
      const std::int64_t ns = clipped(trace, i, range);
      DurationTotals& stats = expected[{trace.slices.name[i], trace.slices.kind[i]}];
      stats.merge({1, ns, self, ns, ns});
    }
    const auto summary = summarize(trace, range);
    REQUIRE(summary.names.size() == expected.size());
    for (const NameStats& row : summary.names) {
      const DurationTotals& want = expected.at({row.name, row.kind});
      REQUIRE(std::tuple(row.stats.count, row.stats.total_ns, row.stats.self_ns, row.stats.min_ns,
                         row.stats.max_ns) ==
              std::tuple(want.count, want.total_ns, want.self_ns, want.min_ns, want.max_ns));
    }
    for (const kino::StreamBusy& stream : summary.streams) {
      const auto& marks = busy[stream.track];
      REQUIRE(stream.busy_ns == std::count(marks.begin(), marks.end(), true));
      REQUIRE(stream.busy_ns + stream.idle_ns == range.length_ns());
    }
  }
}
