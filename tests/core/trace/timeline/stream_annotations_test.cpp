// Covers: stream_annotations
#include "core/trace/timeline/stream_annotations.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "core/base/step_words.hpp"
#include "tests/fixtures/event_fixture.hpp"

using namespace kino;

namespace {

EventFixture& annotate(EventFixture& events, const std::string& name, std::int64_t start, std::int64_t length,
                       const char* stream = "7") {
  return events.slice(TrackClass::gpu_annotation, "gpu_user_annotation", name, start, length, stream);
}

std::vector<std::string> names(const Trace& trace, const std::vector<SliceId>& slices) {
  std::vector<std::string> found;
  for (const SliceId slice : slices) found.emplace_back(trace.name_of(slice));
  return found;
}

std::uint32_t track_of_kind(const Trace& trace, TrackKind kind) {
  const auto found = std::ranges::find(trace.tracks, kind, &Track::kind);
  REQUIRE(found != trace.tracks.end());
  return static_cast<std::uint32_t>(found - trace.tracks.begin());
}

}  // namespace

TEST_CASE("annotations are in two lanes without steps, and those of one kernel belong to the kernel") {
  EventFixture events;
  events.kernel("a", 10, 10, 1).kernel("b", 30, 10, 2).kernel("ncclDevKernel_AllReduce", 50, 10, 3);
  events.kernel("c", 70, 10, 4);
  annotate(events, "ProfilerStep#3", 10, 80);
  annotate(events, "forward", 10, 50);
  annotate(events, "layer", 10, 30);
  annotate(events, "third", 10, 30);
  annotate(events, "nccl:all_reduce", 50, 10);
  annotate(events, "empty", 62, 3);
  annotate(events, "elsewhere", 0, 90, "8");
  const auto trace = events.build();
  const StreamAnnotations found = stream_annotations(*trace);
  REQUIRE(found.streams.size() == 1);  // stream 8 has no work
  const StreamBrackets& brackets = found.streams.front();
  CHECK(trace->tracks[brackets.stream].kind == TrackKind::gpu_stream);
  CHECK(trace->tracks[brackets.annotations].tid == trace->tracks[brackets.stream].tid);
  CHECK(names(*trace, brackets.lanes[0]) == std::vector<std::string>{"forward", "empty"});
  REQUIRE(brackets.lanes[1].size() == 1);
  CHECK(brackets.left_out == 1);
  CHECK(brackets.lane_count() == 2);
  REQUIRE(found.of_work.size() == 1);
  const auto of_nccl = found.of(found.of_work.front().work);
  REQUIRE(of_nccl.size() == 1);
  CHECK(trace->name_of(of_nccl.front().work) == "ncclDevKernel_AllReduce");
  CHECK(trace->name_of(of_nccl.front().annotation) == "nccl:all_reduce");
  CHECK(found.of_stream(brackets.stream) == &brackets);
  CHECK(found.of_annotations(brackets.annotations) == &brackets);
  CHECK(found.of_stream(brackets.annotations) == nullptr);
  CHECK(bracket_lane(*trace, brackets, brackets.lanes[0][1]) == 0);
  CHECK(bracket_lane(*trace, brackets, brackets.lanes[1][0]) == 1);
  CHECK_FALSE(bracket_lane(*trace, brackets, of_nccl.front().annotation).has_value());
  const StreamAnnotations pending = annotated_streams(*trace);
  REQUIRE(pending.streams.size() == 1);
  CHECK(pending.streams.front().annotations == brackets.annotations);
  CHECK(pending.streams.front().lane_count() == 0);
}

TEST_CASE("a trace without annotations on the GPU has none") {
  const auto trace = EventFixture().kernel("a", 0, 10, 1).build();
  const StreamAnnotations found = stream_annotations(*trace);
  CHECK(found.streams.empty());
  CHECK(found.of_work.empty());
  CHECK(found.of_stream(track_of_kind(*trace, TrackKind::gpu_stream)) == nullptr);
}

TEST_CASE("each annotation is a bracket, a step, left out, or that of one kernel (brute force)") {
  std::mt19937 random(9);
  const auto below = [&](int limit) {
    return static_cast<std::int64_t>(random() % static_cast<unsigned>(limit));
  };
  for (int round = 0; round < 50; ++round) {
    EventFixture events;
    for (int i = 1; i <= 20; ++i) events.kernel("k", below(200), below(20), i);
    for (int i = 0; i < 20; ++i)
      annotate(events, below(8) == 0 ? "ProfilerStep#1" : "a" + std::to_string(i), below(200), below(60));
    const auto trace = events.build();
    const StreamAnnotations found = stream_annotations(*trace);
    REQUIRE(found.streams.size() == 1);
    const StreamBrackets& brackets = found.streams.front();
    std::size_t single = 0;
    std::size_t steps = 0;
    for (std::uint32_t i = 0; i < trace->slice_count(); ++i) {
      const SliceId annotation{i};
      if (trace->kind(annotation) != SliceKind::gpu_annotation) continue;
      if (is_step_name(trace->name_of(annotation))) {
        ++steps;
        continue;
      }
      const auto inside = [&](std::uint32_t work) {
        return trace->kind(SliceId{work}) == SliceKind::compute &&
               trace->start_ns(SliceId{work}) >= trace->start_ns(annotation) &&
               trace->end_ns(SliceId{work}) <= trace->end_ns(annotation);
      };
      int works = 0;
      for (std::uint32_t work = 0; work < trace->slice_count(); ++work) works += inside(work) ? 1 : 0;
      single += works == 1 ? 1 : 0;
      if (works == 1) CHECK_FALSE(bracket_lane(*trace, brackets, annotation).has_value());
    }
    CHECK(found.of_work.size() == single);
    CHECK(brackets.lanes[0].size() + brackets.lanes[1].size() + brackets.left_out + single + steps == 20);
    for (const std::vector<SliceId>& lane : brackets.lanes) {
      for (std::size_t i = 1; i < lane.size(); ++i)
        CHECK(trace->end_ns(lane[i - 1]) <= trace->start_ns(lane[i]));
    }
  }
}
