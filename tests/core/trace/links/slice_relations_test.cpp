// Covers: slice_relations
#include "core/trace/links/slice_relations.hpp"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "tests/fixtures/event_fixture.hpp"

using kino::EventFixture;
using kino::slice_named;
using kino::SliceId;
using kino::Trace;

namespace {

using Slices = std::vector<SliceId>;

}  // namespace

TEST_CASE("parents, children, self time, launch, operator and autograd of a small training step") {
  EventFixture events;
  events.op("step", 0, 1000)
      .op("linear", 100, 200)
      .op("addmm", 110, 150)
      .launch(120, 10, 1)
      .launch(140, 10, 2);
  events.op("AddmmBackward0", 600, 100, "2").op("mm", 610, 50, "2").launch(620, 10, 3, "2");
  events.flow('s', 1, 110).flow('f', 1, 600, "2");
  events.kernel("gemm", 200, 90, 1).kernel("add", 290, 30, 2).kernel("gemm_dx", 700, 90, 3);
  const auto built = events.build();
  const Trace& trace = *built;
  const auto id = [&](const char* name, int nth = 0) { return slice_named(trace, name, nth); };
  CHECK(kino::parents_of(trace, id("addmm")) == Slices{id("step"), id("linear")});
  CHECK(kino::parents_of(trace, id("step")).empty());
  CHECK(kino::children_of(trace, id("addmm")) ==
        Slices{id("cudaLaunchKernel", 0), id("cudaLaunchKernel", 1)});
  CHECK(kino::children_of(trace, id("gemm")).empty());
  CHECK(kino::self_ns(trace, id("addmm")) == 130);
  CHECK(kino::self_ns(trace, id("step")) == 800);
  CHECK(kino::cpu_side_of(trace, id("add")) == id("cudaLaunchKernel", 1));
  CHECK(kino::operator_of(trace, id("add")) == id("addmm"));
  CHECK(kino::operator_of(trace, id("addmm")) == id("linear"));
  CHECK(kino::operator_of(trace, id("step")) == kino::kNoSlice);
  CHECK(kino::backward_of(trace, id("gemm")) == Slices{id("AddmmBackward0")});
  CHECK(kino::forward_of(trace, id("gemm_dx")) == Slices{id("addmm")});
  CHECK(kino::forward_of(trace, id("step")).empty());
  CHECK(kino::launch_delay_ns(trace, id("gemm")) == 70);
  CHECK_FALSE(kino::launch_delay_ns(trace, id("addmm")).has_value());
  const auto queue = kino::queue_position(trace, id("add"));
  REQUIRE(queue.has_value());
  CHECK(queue->ahead == 1);
  CHECK(queue->length == 2);
  const auto below = kino::gpu_work_below(trace, id("linear"));
  CHECK(below.slices == Slices{id("gemm"), id("add")});
  CHECK(below.device_ns == 120);
  CHECK(below.range == kino::TimeRange{200, 320});
  CHECK(kino::gpu_work_below(trace, id("cudaLaunchKernel", 1)).slices == Slices{id("add")});
  CHECK(kino::gpu_work_below(trace, id("gemm")).slices.empty());
}

TEST_CASE("children that overlap are in further lanes and count once in self time") {
  EventFixture events;
  events.op("parent", 0, 100).op("first", 10, 40).op("second", 30, 40).op("grandchild", 35, 5);
  const auto trace = events.build();
  const auto id = [&](const char* name) { return slice_named(*trace, name); };
  CHECK(kino::children_of(*trace, id("parent")) == Slices{id("first"), id("second")});
  CHECK(kino::self_ns(*trace, id("parent")) == 40);
}

TEST_CASE("a kernel without a launch has no relations to the CPU") {
  EventFixture events;
  events.kernel("orphan", 0, 10, 5);
  const auto trace = events.build();
  const SliceId orphan{0};
  CHECK(kino::cpu_side_of(*trace, orphan) == kino::kNoSlice);
  CHECK(kino::operator_of(*trace, orphan) == kino::kNoSlice);
  CHECK(kino::forward_of(*trace, orphan).empty());
  CHECK_FALSE(kino::launch_delay_ns(*trace, orphan).has_value());
  CHECK_FALSE(kino::queue_position(*trace, orphan).has_value());
}

TEST_CASE("children, self time, queue and GPU work agree with the definitions on random traces") {
  std::mt19937 random(21);
  for (int round = 0; round < 200; ++round) {
    EventFixture events;
    events.op("origin", 0, 400);
    for (int i = 0; i < 40; ++i) {
      const auto start = static_cast<std::int64_t>(random() % 300);
      const auto correlation = static_cast<std::uint32_t>(random() % 12);
      switch (random() % 3) {
        case 0:
          events.op("op", start, static_cast<std::int64_t>(random() % 90));
          break;
        case 1:
          events.launch(start, static_cast<std::int64_t>(random() % 5), correlation);
          break;
        default:
          events.kernel("k", start, static_cast<std::int64_t>(random() % 30), correlation,
                        std::to_string(random() % 2));
      }
    }
    const auto built = events.build();
    const Trace& trace = *built;
    const auto start_of = [&](SliceId id) { return trace.slices.start_ns[kino::index_of(id)]; };
    const auto track_of = [&](SliceId id) { return trace.rows[kino::index_of(trace.row_of(id))].track; };
    const auto lane_of = [&](SliceId id) { return trace.rows[kino::index_of(trace.row_of(id))].lane; };
    const auto by_start = [&](SliceId a, SliceId b) {
      return std::pair(start_of(a), a) < std::pair(start_of(b), b);
    };
    const std::vector<std::uint32_t> lengths = kino::queue_lengths(trace);
    for (std::uint32_t i = 0; i < trace.slice_count(); ++i) {
      const SliceId id{i};
      Slices children;
      std::vector<bool> covered(static_cast<std::size_t>(trace.slices.duration_ns[i]), false);
      Slices below;
      kino::QueuePosition queue;
      const SliceId launch = kino::is_on_gpu(trace, id) ? trace.slices.link[i] : kino::kNoSlice;
      for (std::uint32_t j = 0; j < trace.slice_count(); ++j) {
        const SliceId other{j};
        if (trace.slices.parent[j] == id) {
          children.push_back(other);
          for (std::int64_t t = start_of(other); t < trace.end_ns(other); ++t)
            covered[static_cast<std::size_t>(t - start_of(id))] = true;
        }
        if (!kino::is_on_gpu(trace, other) || trace.slices.link[j] == kino::kNoSlice) continue;
        const SliceId others_launch = trace.slices.link[j];
        const bool within =
            others_launch == id ||
            (track_of(others_launch) == track_of(id) && lane_of(others_launch) > lane_of(id) &&
             start_of(others_launch) >= start_of(id) && start_of(others_launch) < trace.end_ns(id));
        if (!kino::is_on_gpu(trace, id) && within) below.push_back(other);
        if (launch == kino::kNoSlice || track_of(other) != track_of(id)) continue;
        if (start_of(others_launch) > start_of(launch) || start_of(other) < start_of(launch)) continue;
        ++queue.length;
        if (by_start(other, id)) ++queue.ahead;
      }
      std::sort(children.begin(), children.end(), by_start);
      std::sort(below.begin(), below.end(), by_start);
      REQUIRE(kino::children_of(trace, id) == children);
      REQUIRE(kino::self_ns(trace, id) == std::count(covered.begin(), covered.end(), false));
      REQUIRE(kino::gpu_work_below(trace, id).slices == below);
      const auto found = kino::queue_position(trace, id);
      REQUIRE(lengths[i] == (found ? found->length : kino::kNoQueue));
      REQUIRE(found.has_value() == (launch != kino::kNoSlice));
      if (found) {
        REQUIRE(found->ahead == queue.ahead);
        REQUIRE(found->length == queue.length);
      }
    }
  }
}

TEST_CASE("GPU work has the module and annotation of its launch, in the backward pass of the forward") {
  EventFixture events;
  events.slice(kino::TrackClass::cpu, "user_annotation", "ProfilerStep#1", 0, 1000, "1")
      .slice(kino::TrackClass::cpu, "python_function", "train.py(3): main", 10, 900, "1")
      .slice(kino::TrackClass::cpu, "python_function", "nn.Module: Linear_0", 50, 400, "1")
      .op("addmm", 110, 150)
      .launch(120, 10, 1);
  events.op("AddmmBackward0", 600, 100, "2").op("mm", 610, 50, "2").launch(620, 10, 3, "2");
  events.flow('s', 1, 110).flow('f', 1, 600, "2");
  events.kernel("gemm", 200, 90, 1).kernel("gemm_dx", 700, 90, 3).kernel("lone", 800, 5);
  const auto built = events.build();
  const Trace& trace = *built;
  const auto id = [&](const char* name, int nth = 0) { return slice_named(trace, name, nth); };
  const Slices forward{id("ProfilerStep#1"), id("nn.Module: Linear_0"), id("addmm")};
  Slices launched = forward;
  launched.push_back(id("cudaLaunchKernel", 0));
  CHECK(kino::launch_chain(trace, id("gemm")) == launched);
  CHECK(kino::launch_chain(trace, id("gemm_dx")) ==
        Slices{id("AddmmBackward0"), id("mm"), id("cudaLaunchKernel", 1)});
  CHECK(kino::forward_chain(trace, id("gemm_dx")) == forward);
  CHECK(kino::forward_chain(trace, id("gemm")).empty());
  CHECK(kino::launch_chain(trace, id("lone")).empty());
  CHECK(kino::launch_chain(trace, id("addmm")).empty());
}
