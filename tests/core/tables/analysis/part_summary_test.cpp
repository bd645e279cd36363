// Covers: part_summary, range_summary, track_set
// Sums of parts of a trace by name, and their comparison.
#include "core/tables/analysis/part_summary.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <tuple>

#include "core/tables/analysis/range_summary.hpp"
#include "core/trace/timeline/stream_packing.hpp"
#include "tests/fixtures/event_fixture.hpp"

using namespace kino;

namespace {

using Sums = std::map<std::string, std::pair<std::uint64_t, std::int64_t>>;

Sums sums_of(const Trace& trace, const TracePart& part) {
  const auto names = summarize_part(trace, part);
  REQUIRE(names.ok());
  Sums sums;
  for (const NameStats& row : names.value())
    sums[std::string(trace.name_text(row.name))] = {row.stats.count, row.stats.total_ns};
  return sums;
}

SliceId slice_called(const Trace& trace, std::string_view name, std::uint32_t nth = 0) {
  for (std::uint32_t i = 0; i < trace.slice_count(); ++i) {
    if (trace.name_of(SliceId{i}) == name && nth-- == 0) return SliceId{i};
  }
  return kNoSlice;
}

std::uint32_t track_called(const Trace& trace, std::string_view tid) {
  for (std::uint32_t i = 0; i < trace.tracks.size(); ++i) {
    if (trace.tracks[i].tid == tid) return i;
  }
  return ~0U;
}

/// Two steps of one thread, the second with two launches, and a second thread within the first step.
std::shared_ptr<const Trace> two_steps() {
  EventFixture events;
  events.op("ProfilerStep#1", 0, 100).op("aten::mm", 10, 50).launch(20, 5, 1);
  events.op("ProfilerStep#2", 100, 100).op("aten::mm", 110, 60).launch(120, 5, 2).launch(130, 5, 3);
  events.op("backward", 30, 40, "2").launch(40, 5, 4, "2");
  events.kernel("gemm", 90, 30, 1).kernel("gemm", 150, 40, 2).kernel("relu", 400, 7, 3);
  events.kernel("gemm", 120, 11, 4);
  return events.build();
}

}  // namespace

TEST_CASE("clips a range on its tracks or on all") {
  const auto trace = two_steps();
  const Sums all = sums_of(*trace, {{95, 115}, std::nullopt, kNoSlice});
  CHECK(all.at("ProfilerStep#1") == std::pair<std::uint64_t, std::int64_t>{1, 5});
  CHECK(all.at("aten::mm") == std::pair<std::uint64_t, std::int64_t>{1, 5});
  CHECK(all.at("gemm") == std::pair<std::uint64_t, std::int64_t>{1, 20});
  const TrackSet stream{{track_called(*trace, "7")}, nullptr};
  CHECK(sums_of(*trace, {{95, 115}, stream, kNoSlice}) == Sums{{"gemm", {1, 20}}});
  CHECK(sums_of(*trace, {{95, 115}, TrackSet{}, kNoSlice}).empty());
}

TEST_CASE("includes all threads within a step and the GPU work they launch") {
  const auto trace = two_steps();
  const Sums first = sums_of(*trace, {{0, 100}, std::nullopt, slice_called(*trace, "ProfilerStep#1")});
  CHECK(first.at("gemm") == std::pair<std::uint64_t, std::int64_t>{2, 41});
  CHECK(first.at("backward") == std::pair<std::uint64_t, std::int64_t>{1, 40});
  CHECK_FALSE(first.contains("relu"));
  const Sums second = sums_of(*trace, {{100, 200}, std::nullopt, slice_called(*trace, "ProfilerStep#2")});
  CHECK(second.at("gemm") == std::pair<std::uint64_t, std::int64_t>{1, 40});
  CHECK(second.at("relu") == std::pair<std::uint64_t, std::int64_t>{1, 7});
  CHECK(second.at("cudaLaunchKernel") == std::pair<std::uint64_t, std::int64_t>{2, 10});
}

TEST_CASE("includes a slice, the slices within it and the work launched there") {
  const auto trace = two_steps();
  const SliceId first = slice_called(*trace, "aten::mm");
  const Sums sums = sums_of(*trace, {{10, 60}, std::nullopt, first});
  CHECK(sums == Sums{{"aten::mm", {1, 50}}, {"cudaLaunchKernel", {1, 5}}, {"gemm", {1, 30}}});
  const Sums kernel = sums_of(*trace, {{400, 407}, std::nullopt, slice_called(*trace, "relu")});
  CHECK(kernel == Sums{{"relu", {1, 7}}});
}

TEST_CASE("has one row per name of any part, with differences from the first") {
  const auto trace = two_steps();
  std::vector<ComparedPart> parts;
  for (const char* step : {"ProfilerStep#1", "ProfilerStep#2"}) {
    const SliceId slice = slice_called(*trace, step);
    parts.push_back({step, summarize_part(*trace, {{}, std::nullopt, slice}).value()});
  }
  PartWords words;
  words.name = "Name";
  words.count = "count";
  const Table table = part_comparison(*trace, parts, words);
  const auto& names = std::get<TableColumn::Texts>(table.find("name")->values);
  const auto integer = [&](const char* key, std::string_view name) {
    const auto row = std::ranges::find(names, name) - names.begin();
    return std::get<TableColumn::Integers>(table.find(key)->values)[static_cast<std::size_t>(row)];
  };
  CHECK(table.row_count() == 7);
  CHECK(table.links.size() == 7);
  CHECK(integer("count_1", "aten::mm") == 1);
  CHECK(integer("change_2_ns", "aten::mm") == 10);
  CHECK(integer("count_change_2", "gemm") == -1);
  CHECK(integer("change_2_ns", "gemm") == -1);
  CHECK(integer("total_1_ns", "relu") == 0);
  CHECK(integer("change_2_ns", "relu") == 7);
  const auto& shares = std::get<TableColumn::Numbers>(table.find("change_share_2")->values);
  const auto mm = static_cast<std::size_t>(std::ranges::find(names, "aten::mm") - names.begin());
  CHECK(shares[mm] == doctest::Approx(0.2));
  // The annotation of the second step is not in the first part, so there is no share.
  const auto step = static_cast<std::size_t>(std::ranges::find(names, "ProfilerStep#2") - names.begin());
  CHECK(shares[step] != shares[step]);
  // The largest difference first.
  CHECK((names[0] == "ProfilerStep#1" || names[0] == "ProfilerStep#2"));
  CHECK(table.find("count_2")->title == "ProfilerStep#2 count");
}

TEST_CASE("agrees with the range summary on all tracks of random traces") {
  std::mt19937 random(11);  // NOLINT(cert-msc32-c,cert-msc51-cpp)
  EventFixture events;
  for (int i = 0; i < 400; ++i) {
    const auto start = static_cast<std::int64_t>(random() % 5000);
    const auto length = static_cast<std::int64_t>(random() % 300);
    const std::string name = "n" + std::to_string(random() % 9);
    if (random() % 2 == 0) {
      events.op(name, start, length, std::to_string(random() % 3));
    } else {
      events.kernel(name, start, length, 0, std::to_string(random() % 4));
    }
  }
  const auto trace = events.build();
  for (int i = 0; i < 20; ++i) {
    const auto begin = static_cast<std::int64_t>(random() % 5000);
    const TimeRange range{begin, begin + 1 + static_cast<std::int64_t>(random() % 900)};
    const auto parts = summarize_part(*trace, {range, std::nullopt, kNoSlice});
    const auto summary = summarize_range(*trace, range, std::nullopt);
    REQUIRE(parts.ok());
    REQUIRE(summary.ok());
    std::map<std::tuple<NameId, SliceKind>, DurationTotals> expected;
    for (const NameStats& row : summary.value().names) expected[{row.name, row.kind}] = row.stats;
    CHECK(parts.value().size() == expected.size());
    for (const NameStats& row : parts.value()) {
      const DurationTotals& stats = expected[{row.name, row.kind}];
      CHECK(row.stats.count == stats.count);
      CHECK(row.stats.total_ns == stats.total_ns);
      CHECK(row.stats.max_ns == stats.max_ns);
    }
  }
}

TEST_CASE("sums packed tracks by their content, and once if their stream is selected, too") {
  EventFixture events;
  events.kernel("gemm", 0, 100, 0, "1").kernel("ncclDevKernel_AllReduce", 200, 50, 0, "1");
  events.kernel("relu", 40, 30, 0, "2").op("aten::mm", 0, 10);
  const auto trace = events.build();
  const auto packed = std::make_shared<const PackedStreams>(pack_streams(*trace, {}, {}));
  std::uint32_t compute = 0;
  for (std::uint32_t i = 0; i < packed->tracks.size(); ++i) {
    if (packed->tracks[i].name == "compute") compute = packed->first_track + i;
  }
  const auto totals = [&](TrackSet tracks) {
    const auto summary = summarize_range(*trace, {0, 1000}, tracks);
    REQUIRE(summary.ok());
    std::map<std::string, std::int64_t> sums;
    for (const NameStats& row : summary.value().names)
      sums[std::string(trace->name_text(row.name))] = row.stats.total_ns;
    return sums;
  };
  using Totals = std::map<std::string, std::int64_t>;
  CHECK(totals({{compute}, packed}) == Totals{{"gemm", 100}, {"relu", 30}});
  const std::uint32_t first = track_called(*trace, "1");
  CHECK(totals({{first, compute}, packed}) ==
        Totals{{"gemm", 100}, {"ncclDevKernel_AllReduce", 50}, {"relu", 30}});
  CHECK(totals({{first}, nullptr}) == Totals{{"gemm", 100}, {"ncclDevKernel_AllReduce", 50}});
  const auto summary = summarize_range(*trace, {0, 1000}, TrackSet{{compute}, packed});
  std::int64_t busy = 0;
  for (const StreamBusy& stream : summary.value().streams) busy += stream.busy_ns;
  CHECK(busy == 130);
}
