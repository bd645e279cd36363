// Covers: row_instances, duration_histogram
#include "app/ui/tables/row_instances.hpp"

#include <doctest/doctest.h>

#include "app/ui/tables/table_grid.hpp"
#include "core/tables/analysis/trace_tables.hpp"
#include "core/tables/table_request.hpp"
#include "tests/fixtures/event_fixture.hpp"

namespace {

using kino::EventFixture;
using kino::kNoSlice;
using kino::RowInstances;
using kino::SliceId;
using kino::TableResultQuery;
using kino::Trace;

std::shared_ptr<const Trace> kernels() {
  EventFixture events;
  for (std::int64_t i = 0; i < 5; ++i) {
    events.kernel("gemm<1>", 100 * i, i == 3 ? 90 : 10, 0, i % 2 == 0 ? "7" : "20");
    events.kernel("relu", 100 * i + 95, 4, 0, "7");
    events.op("aten::mm", 20 * i, 5);
  }
  return events.build();
}

TableResultQuery question(std::string_view kind, std::size_t group = 0) {
  TableResultQuery asked;
  asked.group = group;
  asked.kind = kino::kind_named(kino::table_kinds(), kind);
  REQUIRE(asked.kind != nullptr);
  return asked;
}

std::vector<std::int64_t> starts(const Trace& trace, const std::vector<SliceId>& slices) {
  std::vector<std::int64_t> times;
  times.reserve(slices.size());
  for (const SliceId slice : slices) times.push_back(trace.slices.start_ns[kino::index_of(slice)]);
  return times;
}

/// Returns the instances of the row that refers to a slice with the name of `example`; empty if there is no
/// such row.
RowInstances instances_of(const kino::RangeAnalyses& analyses, const TableResultQuery& asked,
                          SliceId example) {
  kino::TableRequest request;
  request.name = asked.kind->name;
  const auto& groups = asked.kind->groups;
  if (!groups.empty()) request.group = groups[asked.group];
  request.range = asked.range;
  const auto table = kino::compute_table(analyses, request);
  REQUIRE(table.ok());
  const kino::TableResult answer{asked, table.value(), ""};
  for (std::uint32_t row = 0; row < answer.table.row_count(); ++row) {
    const SliceId leads_to = answer.table.slice_of(row);
    if (leads_to == kNoSlice || example == kNoSlice) continue;
    if (analyses.trace().name_of(leads_to) == analyses.trace().name_of(example))
      return kino::row_instances(analyses, answer, row, {});
  }
  return {};
}

/// Two steps of modules, operators, copies and collectives on a GPU, with allocations.
std::shared_ptr<const Trace> training() {
  EventFixture events;
  std::uint32_t id = 0;
  const auto work = [&](const char* category, const char* name, std::int64_t at, std::int64_t length) {
    ++id;
    events.launch(at, 2, id).slice(kino::TrackClass::gpu, category, name, at + 3, length, "7", id);
  };
  for (std::int64_t at = 0; at < 2000; at += 1000) {
    events.slice(kino::TrackClass::cpu, "user_annotation", "ProfilerStep#" + std::to_string(at), at, 900,
                 "1");
    events.slice(kino::TrackClass::cpu, "user_annotation", "forward", at + 5, 650, "1");
    for (int module = 0; module < 2; ++module) {
      const std::int64_t from = at + 10 + 300 * module;
      events.slice(kino::TrackClass::cpu, "python_function", "nn.Module: Linear_" + std::to_string(module),
                   from, 250, "1");
      events.op("aten::linear", from + 5, 200).told({{'I', "[[2, 3]]"}});
      events.op("aten::mm", from + 10, 100).told({{'I', "[[2, 3], [3, 4]]"}, {'S', "net.py(3);run.py(1)"}});
      work("kernel", "gemm", from + 20, 30 + module);
      events.memory(from + 15, 100, static_cast<std::uint64_t>(from));
      work("gpu_memcpy", module == 0 ? "Memcpy HtoD (Pageable -> Device)" : "Memcpy HtoD (Pinned -> Device)",
           from + 60, 8);
    }
    events.op("aten::relu", at + 620, 30).told({{'I', "[[2, 3]]"}});  // has no formula for its FLOPs
    work("kernel", "relu", at + 622, 5);
    work("kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", at + 700, 50);
    work("kernel", "ncclDevKernel_AllGather_RING_LL", at + 800, 40);
  }
  return events.build();
}

}  // namespace

TEST_CASE("a row of kernels has its instances on all streams in order of time") {
  const auto trace = kernels();
  const auto analyses = kino::analyses_of(trace);
  const SliceId gemm = kino::slice_named(*trace, "gemm<1>");
  const RowInstances found = instances_of(*analyses, question("kernels"), gemm);
  CHECK(starts(*trace, found.slices) == std::vector<std::int64_t>{0, 100, 200, 300, 400});
  CHECK(found.histogram.median_ns == 10);
  REQUIRE(found.set != nullptr);
  CHECK(found.set->count() == 5);
  TableResultQuery part = question("kernels");
  part.range = kino::TimeRange{150, 350};
  CHECK(starts(*trace, instances_of(*analyses, part, gemm).slices) == std::vector<std::int64_t>{200, 300});
  CHECK(instances_of(*analyses, question("operators"), kino::slice_named(*trace, "aten::mm")).slices.size() ==
        5);
  CHECK(instances_of(*analyses, question("kernels"), kNoSlice).slices.empty());
}

TEST_CASE("each row of a table that counts slices has as many instances as its count") {
  const auto trace = training();
  const auto analyses = kino::analyses_of(trace);
  const std::vector<std::pair<std::string_view, std::string_view>> counts{
      {"operators", "calls"}, {"modules", "calls"},     {"key-averages", "count"}, {"kernels", "calls"},
      {"launch", "count"},    {"collectives", "count"}, {"copies", "count"},       {"flops", "calls"}};
  for (const auto& [kind, column] : counts) {
    const TableResultQuery any = question(kind);
    const std::size_t groups = any.kind->groups.size();
    for (std::size_t group = 0; group < std::max<std::size_t>(1, groups); ++group) {
      TableResultQuery asked = question(kind, group);
      for (const bool cut : {false, true}) {
        if (cut) asked.range = kino::TimeRange{150, 1750};
        kino::TableRequest request;
        request.name = kind;
        if (groups > 0) request.group = any.kind->groups[group];
        request.range = asked.range;
        const kino::TableResult answer{asked, kino::compute_table(*analyses, request).value(), ""};
        CAPTURE(kind);
        CAPTURE(group);
        REQUIRE(answer.table.row_count() > 0);
        const kino::TableColumn* counted = answer.table.find(column);
        REQUIRE(counted != nullptr);
        for (std::uint32_t row = 0; row < answer.table.row_count(); ++row) {
          CAPTURE(row);
          if (answer.table.slice_of(row) == kNoSlice) continue;
          const RowInstances found = kino::row_instances(*analyses, answer, row, {});
          const auto& numbers = std::get<kino::TableColumn::Integers>(counted->values);
          CHECK(static_cast<std::int64_t>(found.slices.size()) == numbers[row]);
          CHECK(found.place_of(*trace, answer.table.slice_of(row)));
        }
      }
    }
  }
}

TEST_CASE("rows of memory have the allocating calls, and rows of outliers the slices of the same group") {
  const auto trace = training();
  const auto analyses = kino::analyses_of(trace);
  const RowInstances memory =
      instances_of(*analyses, question("memory", 1), kino::slice_named(*trace, "aten::mm"));
  CHECK(starts(*trace, memory.slices) == std::vector<std::int64_t>{20, 320, 1020, 1320});
  // Rows of intervals or of a single slice do not aggregate slices.
  CHECK(
      instances_of(*analyses, question("steps"), kino::slice_named(*trace, "ProfilerStep#0")).slices.empty());
  EventFixture events;
  for (std::uint32_t i = 0; i < 8; ++i) {
    events.op("aten::mm", 100 * i, 50).told({{'I', "[[8, 8], [8, 8]]"}}).launch(100 * i + 1, 1, i + 1);
    events.kernel("gemm", 100 * i + 5, i == 5 ? 90 : 3, i + 1);
  }
  const auto slow = events.build();
  const auto outlier =
      instances_of(*kino::analyses_of(slow), question("outliers"), kino::slice_named(*slow, "gemm", 5));
  CHECK(outlier.slices.size() == 8);
}

TEST_CASE("steps wrap around the ends, and start at neighbors from a slice that is not an instance") {
  const auto trace = kernels();
  const auto analyses = kino::analyses_of(trace);
  const RowInstances found =
      instances_of(*analyses, question("kernels"), kino::slice_named(*trace, "gemm<1>"));
  REQUIRE(found.slices.size() == 5);
  CHECK(found.place_of(*trace, found.slices[3]) == 3);
  CHECK(found.step(*trace, found.slices[4], 1) == found.slices[0]);
  CHECK(found.step(*trace, found.slices[0], -1) == found.slices[4]);
  CHECK(found.step(*trace, kNoSlice, 1) == found.slices[0]);
  CHECK(found.step(*trace, kNoSlice, -1) == found.slices[4]);
  const SliceId relu = kino::slice_named(*trace, "relu", 1);  // at 195
  CHECK_FALSE(found.place_of(*trace, relu));
  CHECK(found.step(*trace, relu, 1) == found.slices[2]);
  CHECK(found.step(*trace, relu, -1) == found.slices[1]);
  // The one long call has its own bucket, the others share one.
  const std::size_t longest = found.histogram.counts.size() - 1;
  CHECK(found.histogram.counts[longest] == 1);
  CHECK(found.next_in(*trace, longest, kNoSlice) == found.slices[3]);
  CHECK(found.next_in(*trace, longest, found.slices[3]) == found.slices[3]);
  CHECK(found.next_in(*trace, 0, found.slices[2]) == found.slices[4]);
  CHECK(found.next_in(*trace, 0, found.slices[4]) == found.slices[0]);
}

TEST_CASE("buckets of a histogram are at powers of ten and contain every duration") {
  std::vector<std::int64_t> durations{0, 1, 9, 10, 99, 1000, 1'000'000'000};
  const kino::DurationHistogram histogram = kino::duration_histogram(durations);
  CHECK(histogram.first == 0);
  CHECK(histogram.counts.size() == 9 * kino::DurationHistogram::kPerDecade + 1);
  CHECK(histogram.counts.front() == 2);
  CHECK(histogram.counts[histogram.bucket_of(10)] == 1);
  CHECK(histogram.edge_ns(histogram.bucket_of(10)) == doctest::Approx(10));
  CHECK(histogram.counts.back() == 1);
  CHECK(histogram.place_of(10) == doctest::Approx(kino::DurationHistogram::kPerDecade));
  CHECK(histogram.median_ns == 10);
  std::uint64_t sum = 0;
  for (const std::uint64_t count : histogram.counts) sum += count;
  CHECK(sum == durations.size());
  CHECK(kino::duration_histogram({}).counts.empty());
}
