// Covers: lane_classes
#include "app/ui/view/lane_classes.hpp"

#include <doctest/doctest.h>

#include "tests/fixtures/event_fixture.hpp"

using namespace kino;

namespace {

LaneClass class_of_slice(const Trace& trace, const char* name) {
  return lane_classes(trace)[index_of(trace.row_of(slice_named(trace, name)))];
}

}  // namespace

TEST_CASE("lanes are classified by the kind that takes most of their time") {
  EventFixture events;
  events.slice(TrackClass::cpu, "user_annotation", "ProfilerStep#1", 0, 10'000, "1");
  events.op("stray", 10'100, 100);
  events.slice(TrackClass::cpu, "python_function", "train.py(1): step", 10, 9000, "1");
  events.op("aten::mm", 20, 800);
  events.slice(TrackClass::cpu, "user_annotation", "half", 0, 500, "2").op("aten::add", 600, 500, "2");
  events.kernel("gemm", 50, 9000, 0, "7").kernel("rare", 100, 10, 0, "8");
  events.kernel("ncclDevKernel_AllReduce(int)", 100, 3000, 0, "9");
  events.slice(TrackClass::gpu, "gpu_memcpy", "Memcpy HtoD", 100, 3000, "10");
  const auto trace = events.build();
  CHECK(class_of_slice(*trace, "ProfilerStep#1") == LaneClass::annotations);
  CHECK(class_of_slice(*trace, "train.py(1): step") == LaneClass::python);
  CHECK(class_of_slice(*trace, "aten::mm") == LaneClass::operators);
  CHECK(class_of_slice(*trace, "half") == LaneClass::operators);
  CHECK(class_of_slice(*trace, "gemm") == LaneClass::kernels);
  CHECK(class_of_slice(*trace, "ncclDevKernel_AllReduce(int)") == LaneClass::kernels);
  CHECK(class_of_slice(*trace, "rare") == LaneClass::other_stream);
  CHECK(class_of_slice(*trace, "Memcpy HtoD") == LaneClass::other_stream);
}
