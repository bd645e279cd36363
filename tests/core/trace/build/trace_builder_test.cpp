// Covers: trace_builder, event_batch, launch_links, track_records, track_lanes, track_placing,
//   slice_writer
#include "core/trace/build/trace_builder.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

using kino::BuildInput;
using kino::EventBatch;
using kino::SliceId;
using kino::SliceRecord;
using kino::Trace;
using kino::TrackClass;

namespace {

void add_slice(EventBatch& batch, TrackClass track_class, const char* category, const std::string& name,
               std::int64_t start_ns, std::int64_t duration_ns, std::uint64_t offset,
               std::uint32_t correlation = 0, const std::string& tid = "7") {
  SliceRecord record;
  record.start_ns = start_ns;
  record.duration_ns = duration_ns;
  record.source_offset = offset;
  record.name = batch.names.intern(name);
  record.category = static_cast<std::uint16_t>(batch.categories.intern(category));
  record.track = batch.tracks.intern(track_class, "0", tid);
  record.correlation = correlation;
  batch.slices.push_back(record);
}

std::shared_ptr<const Trace> build(std::vector<EventBatch> batches, unsigned threads = 2) {
  BuildInput input;
  input.batches = std::move(batches);
  input.threads = threads;
  auto built = kino::build_trace(std::move(input), {});
  REQUIRE(built.ok());
  return *built;
}

}  // namespace

TEST_CASE("slices of several batches are ordered by row and start, with parents and relative times") {
  std::vector<EventBatch> batches(2);
  add_slice(batches[0], TrackClass::cpu, "cpu_op", "child", 1'000'010, 20, 300);
  add_slice(batches[1], TrackClass::cpu, "cpu_op", "parent", 1'000'000, 100, 100);
  add_slice(batches[1], TrackClass::cpu, "cpu_op", "next", 1'000'200, 5, 400);
  const auto trace = build(std::move(batches));
  REQUIRE(trace->slice_count() == 3);
  REQUIRE(trace->rows.size() == 2);
  CHECK(trace->origin_unix_ns == 1'000'000);
  CHECK(trace->range == kino::TimeRange{0, 205});
  CHECK(trace->name_of(SliceId{0}) == "parent");
  CHECK(trace->name_of(SliceId{1}) == "next");
  CHECK(trace->name_of(SliceId{2}) == "child");
  CHECK(trace->slices.parent[2] == SliceId{0});
  CHECK(trace->slices.parent[1] == kino::kNoSlice);
  CHECK(trace->slices.start_ns[2] == 10);
  CHECK(trace->slices.source_offset[2] == 300);
  CHECK(trace->row_of(SliceId{2}) == kino::RowId{1});
  CHECK(trace->slice_at(kino::RowId{0}, 99) == SliceId{0});
  CHECK(trace->slice_at(kino::RowId{0}, 100) == kino::kNoSlice);
  CHECK(trace->slice_at(kino::RowId{0}, -1) == kino::kNoSlice);
}

TEST_CASE("launches and GPU work are linked by correlation id, and one launch may have many kernels") {
  std::vector<EventBatch> batches(1);
  add_slice(batches[0], TrackClass::cpu, "cuda_runtime", "cudaGraphLaunch", 0, 10, 1, 5, "1");
  add_slice(batches[0], TrackClass::cpu, "cuda_runtime", "cudaLaunchKernel", 20, 10, 2, 6, "1");
  add_slice(batches[0], TrackClass::gpu, "kernel", "late", 60, 10, 3, 5);
  add_slice(batches[0], TrackClass::gpu, "kernel", "early", 50, 10, 4, 5);
  add_slice(batches[0], TrackClass::gpu, "kernel", "launched before the window", 80, 10, 5, 99);
  const auto trace = build(std::move(batches));
  std::map<std::string, SliceId> id;
  for (std::uint32_t i = 0; i < trace->slice_count(); ++i)
    id[std::string(trace->name_of(SliceId{i}))] = SliceId{i};
  const auto link = [&](const char* name) { return trace->slices.link[kino::index_of(id[name])]; };
  CHECK(link("early") == id["cudaGraphLaunch"]);
  CHECK(link("late") == id["cudaGraphLaunch"]);
  CHECK(link("cudaGraphLaunch") == id["early"]);
  CHECK(link("cudaLaunchKernel") == kino::kNoSlice);
  CHECK(link("launched before the window") == kino::kNoSlice);
  CHECK(trace->launches_linked == 1);
  CHECK(trace->processes[0].gpu);
}

TEST_CASE("records in discarded ranges do not count, except those of repaired batches") {
  BuildInput input;
  input.batches.resize(2);
  add_slice(input.batches[0], TrackClass::cpu, "c", "kept", 0, 1, 99);
  add_slice(input.batches[0], TrackClass::cpu, "c", "wrong", 5, 1, 100);
  add_slice(input.batches[0], TrackClass::cpu, "c", "behind", 9, 1, 200);
  add_slice(input.batches[1], TrackClass::cpu, "c", "right", 6, 1, 100);
  input.batches[1].repaired = true;
  input.discarded = {{100, 200}};
  const auto built = kino::build_trace(std::move(input), {});
  REQUIRE(built.ok());
  const Trace& trace = *built.value();
  REQUIRE(trace.slice_count() == 3);
  CHECK(trace.name_of(SliceId{0}) == "kept");
  CHECK(trace.name_of(SliceId{1}) == "right");
  CHECK(trace.name_of(SliceId{2}) == "behind");
}

TEST_CASE("the result does not depend on the distribution of events over batches and threads") {
  std::mt19937 random(5);
  for (int round = 0; round < 60; ++round) {
    struct Event {
      std::int64_t start, duration;
      int name, tid;
    };
    std::vector<Event> events(200);
    for (Event& event : events) {
      event = {static_cast<std::int64_t>(random() % 1000), static_cast<std::int64_t>(random() % 50),
               static_cast<int>(random() % 9), static_cast<int>(random() % 4)};
    }
    const auto make = [&](std::size_t batch_count, unsigned threads) {
      std::vector<EventBatch> batches(batch_count);
      for (std::size_t i = 0; i < events.size(); ++i) {
        const Event& event = events[i];
        add_slice(batches[random() % batch_count], TrackClass::cpu, "c", "n" + std::to_string(event.name),
                  event.start, event.duration, i, 0, std::to_string(event.tid));
      }
      return build(std::move(batches), threads);
    };
    const auto one = make(1, 1);
    const auto many = make(5, 3);
    REQUIRE(one->slice_count() == many->slice_count());
    REQUIRE(one->rows.size() == many->rows.size());
    for (std::uint32_t i = 0; i < one->slice_count(); ++i) {
      REQUIRE(one->slices.start_ns[i] == many->slices.start_ns[i]);
      REQUIRE(one->slices.duration_ns[i] == many->slices.duration_ns[i]);
      REQUIRE(one->slices.source_offset[i] == many->slices.source_offset[i]);
      REQUIRE(one->slices.parent[i] == many->slices.parent[i]);
      REQUIRE(one->name_of(SliceId{i}) == many->name_of(SliceId{i}));
    }
    for (const kino::Row& row : one->rows) {
      for (std::uint32_t i = row.first_slice + 1; i < row.first_slice + row.slice_count; ++i) {
        REQUIRE(one->end_ns(SliceId{i - 1}) <= one->slices.start_ns[i]);
      }
    }
  }
}

TEST_CASE("a trace without events is empty, not an error") {
  const auto trace = build({});
  CHECK(trace->slice_count() == 0);
  CHECK(trace->tracks.empty());
  CHECK(trace->content.length_ns() == 0);
}

TEST_CASE("a stop request ends the build with 'cancelled'") {
  std::stop_source source;
  source.request_stop();
  BuildInput input;
  input.batches.resize(1);
  add_slice(input.batches[0], TrackClass::cpu, "c", "n", 0, 1, 0);
  const auto built = kino::build_trace(std::move(input), source.get_token());
  REQUIRE_FALSE(built.ok());
  CHECK(built.error().kind == kino::Error::Kind::cancelled);
}
