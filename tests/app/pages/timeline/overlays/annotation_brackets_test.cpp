// Covers: annotation_brackets
#include "app/pages/timeline/overlays/annotation_brackets.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "core/trace/timeline/stream_annotations.hpp"
#include "tests/fixtures/event_fixture.hpp"

using namespace kino;

namespace {

/// A stream with annotations that contain no work.
std::shared_ptr<const Trace> annotated(const std::vector<TimeRange>& ranges) {
  EventFixture events;
  events.kernel("k", 0, 1, 1);
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    events.slice(TrackClass::gpu_annotation, "gpu_user_annotation", "a" + std::to_string(i),
                 ranges[i].begin_ns, ranges[i].length_ns(), "7");
  }
  return events.build();
}

}  // namespace

TEST_CASE("brackets in view are visited once per px, and wide ones always") {
  const auto trace = annotated({{10, 20}, {100, 101}, {102, 103}, {104, 160}, {400, 500}});
  const StreamAnnotations found = stream_annotations(*trace);
  REQUIRE(found.streams.size() == 1);
  std::vector<std::string> visited;
  visit_brackets(*trace, found.streams.front().lanes[0], {50, 10, 20},
                 [&](SliceId slice, double left, double right) {
                   visited.emplace_back(trace->name_of(slice));
                   CHECK(left <= right);
                 });
  CHECK(visited == std::vector<std::string>{"a1", "a3"});
  visited.clear();
  visit_brackets(*trace, found.streams.front().lanes[0], {0, 1, 1000},
                 [&](SliceId slice, double, double) { visited.emplace_back(trace->name_of(slice)); });
  CHECK(visited.size() == 5);
}

TEST_CASE("the longest bracket near a px is picked") {
  const auto trace = annotated({{10, 20}, {100, 101}, {104, 160}});
  const StreamAnnotations found = stream_annotations(*trace);
  REQUIRE(found.streams.size() == 1);
  const std::vector<SliceId>& lane = found.streams.front().lanes[0];
  const TimeView view{0, 1, 1000};
  CHECK(trace->name_of(pick_bracket(*trace, lane, view, 15, 0).event.slice) == "a0");
  const EventPick near = pick_bracket(*trace, lane, view, 102, 3);
  CHECK(trace->name_of(near.event.slice) == "a2");
  CHECK(near.count == 2);
  CHECK_FALSE(pick_bracket(*trace, lane, view, 50, 3).event.any());
  CHECK_FALSE(pick_bracket(*trace, {}, view, 50, 3).event.any());
}
