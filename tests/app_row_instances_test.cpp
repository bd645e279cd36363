// The slices that a row of a table sums up, and steps through them.
#include <doctest/doctest.h>

#include "app/row_instances.hpp"
#include "app/table_command.hpp"
#include "tests/event_fixture.hpp"

namespace {

using kino::EventFixture;
using kino::kNoSlice;
using kino::RowInstances;
using kino::SliceId;
using kino::TableQuestion;
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

TableQuestion question(std::string_view kind, std::size_t group = 0) {
  TableQuestion asked;
  asked.group = group;
  for (std::size_t i = 0; i < kino::table_kinds().size(); ++i) {
    if (kino::table_kinds()[i].name == kind) asked.kind = i;
  }
  return asked;
}

std::vector<std::int64_t> starts(const Trace& trace, const std::vector<SliceId>& slices) {
  std::vector<std::int64_t> times;
  times.reserve(slices.size());
  for (const SliceId slice : slices) times.push_back(trace.slices.start_ns[kino::index_of(slice)]);
  return times;
}

}  // namespace

TEST_CASE("a row of kernels has its instances of all streams in order of time") {
  const auto trace = kernels();
  const auto analyses = kino::analyses_of(trace);
  const SliceId gemm = kino::slice_named(*trace, "gemm<1>");
  const RowInstances found = kino::row_instances(*analyses, question("kernels"), gemm, {});
  CHECK(starts(*trace, found.slices) == std::vector<std::int64_t>{0, 100, 200, 300, 400});
  CHECK(found.histogram.median_ns == 10);
  REQUIRE(found.set != nullptr);
  CHECK(found.set->count() == 5);
  TableQuestion part = question("kernels");
  part.range = kino::TimeRange{150, 350};
  CHECK(starts(*trace, kino::row_instances(*analyses, part, gemm, {}).slices) ==
        std::vector<std::int64_t>{200, 300});
  CHECK(kino::row_instances(*analyses, question("operators"), kino::slice_named(*trace, "aten::mm"), {})
            .slices.size() == 5);
  CHECK(kino::row_instances(*analyses, question("steps"), gemm, {}).slices.empty());
  CHECK(kino::row_instances(*analyses, question("kernels"), kNoSlice, {}).slices.empty());
}

TEST_CASE("steps go around the ends, and from a slice that is no instance to its neighbours") {
  const auto trace = kernels();
  const auto analyses = kino::analyses_of(trace);
  const RowInstances found =
      kino::row_instances(*analyses, question("kernels"), kino::slice_named(*trace, "gemm<1>"), {});
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
  // The one long call is alone in its bucket, the others follow each other in theirs.
  const std::size_t longest = found.histogram.counts.size() - 1;
  CHECK(found.histogram.counts[longest] == 1);
  CHECK(found.next_in(*trace, longest, kNoSlice) == found.slices[3]);
  CHECK(found.next_in(*trace, longest, found.slices[3]) == found.slices[3]);
  CHECK(found.next_in(*trace, 0, found.slices[2]) == found.slices[4]);
  CHECK(found.next_in(*trace, 0, found.slices[4]) == found.slices[0]);
}

TEST_CASE("buckets of a histogram stand on powers of ten and hold every duration") {
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
