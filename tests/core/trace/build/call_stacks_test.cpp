// Covers: call_stacks, slice_relations
// Calls end with their callers, whatever is recorded; other slices may cross.
#include "core/trace/build/call_stacks.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "core/trace/links/slice_relations.hpp"
#include "tests/fixtures/event_fixture.hpp"

namespace {

using kino::EventFixture;
using kino::SliceId;
using kino::SliceKind;
using kino::Trace;
using kino::TrackClass;

constexpr std::int64_t kTickNs = 1000;  // times are in us for legibility

struct Call {
  std::int64_t start_ns;
  std::int64_t end_ns;
};

/// Slices of one track by start, the longer first.
std::vector<Call> random_calls(std::mt19937& random, std::int64_t tick_ns) {
  std::vector<Call> calls(1 + random() % 30);
  for (Call& call : calls) {
    call.start_ns = tick_ns * static_cast<std::int64_t>(random() % 40);
    call.end_ns = call.start_ns + tick_ns * static_cast<std::int64_t>(random() % 20);
  }
  std::ranges::sort(calls, [](const Call& a, const Call& b) {
    return a.start_ns != b.start_ns ? a.start_ns < b.start_ns : a.end_ns > b.end_ns;
  });
  return calls;
}

bool cross(const Call& a, const Call& b) {
  return a.start_ns < b.start_ns && b.start_ns < a.end_ns && a.end_ns < b.end_ns;
}

}  // namespace

TEST_CASE("a C function without a return ends with its caller, and there are as many lanes as stack levels") {
  EventFixture events;
  const auto python = [&](const char* name, std::int64_t at_us, std::int64_t end_us) {
    events.slice(TrackClass::cpu, "python_function", name, at_us * kTickNs, (end_us - at_us) * kTickNs, "1");
  };
  python("module", 0, 5000);
  python("step", 10, 4990);
  for (std::int64_t call = 0; call < 5; ++call) {
    python("forward", 100 + 980 * call, 1000 + 980 * call);
    python("<built-in>", 120 + 980 * call, 5000);  // the profiler stopped before the return
    events.op("mylib::op", (150 + 980 * call) * kTickNs, 14 * kTickNs);
  }
  const auto trace = events.build();
  REQUIRE(trace->tracks.size() == 1);
  CHECK(trace->tracks[0].row_count == 5);
  CHECK(trace->tracks[0].spilled_count == 0);
  CHECK(trace->damage.count(kino::DamageReason::overlap_spilled) == 5);
  for (int call = 0; call < 5; ++call) {
    const SliceId built_in = kino::slice_named(*trace, "<built-in>", call);
    CHECK(trace->slices.duration_ns[kino::index_of(built_in)] == 880 * kTickNs);
    CHECK(trace->slices.parent[kino::index_of(built_in)] == kino::slice_named(*trace, "forward", call));
  }
  CHECK(kino::self_ns(*trace, kino::slice_named(*trace, "module")) == 20 * kTickNs);
  CHECK(kino::self_ns(*trace, kino::slice_named(*trace, "step")) == 480 * kTickNs);
}

TEST_CASE("an operator that outlasts the operator around it ends with it") {
  const auto trace = EventFixture()
                         .op("Torch-Compiled Region: 0/0", 0, 100 * kTickNs)
                         .op("record_param_comms", 40 * kTickNs, 500 * kTickNs)
                         .build();
  CHECK(trace->slices.duration_ns[kino::index_of(kino::slice_named(*trace, "record_param_comms"))] ==
        60 * kTickNs);
}

TEST_CASE("annotations and Python functions may cross, and calls may cross other slices") {
  const auto trace = EventFixture()
                         .slice(TrackClass::cpu, "python_function", "__enter__", 0, 10 * kTickNs, "1")
                         .slice(TrackClass::cpu, "user_annotation", "step", 5 * kTickNs, 500 * kTickNs, "1")
                         .op("aten::mm", 600 * kTickNs, 10 * kTickNs)
                         .launch(605 * kTickNs, 50 * kTickNs, 1)
                         .build();
  CHECK(trace->slices.duration_ns[kino::index_of(kino::slice_named(*trace, "step"))] == 500 * kTickNs);
  CHECK(trace->slices.duration_ns[kino::index_of(kino::slice_named(*trace, "cudaLaunchKernel"))] ==
        50 * kTickNs);
  CHECK(trace->damage.count(kino::DamageReason::overlap_spilled) == 2);
}

TEST_CASE("a call in the last tick of the previous one follows it, and keeps its length") {
  const auto trace =
      EventFixture()
          .slice(TrackClass::cpu, "python_function", "first", 0, 100 * kTickNs, "1")
          .slice(TrackClass::cpu, "python_function", "second", 99 * kTickNs + 500, 900 * kTickNs, "1")
          .build();
  CHECK(trace->slices.duration_ns[kino::index_of(kino::slice_named(*trace, "second"))] == 900 * kTickNs);
}

TEST_CASE("calls never cross on their stack, are never lengthened, and change only if necessary") {
  std::mt19937 random(38);
  for (int round = 0; round < 500; ++round) {
    const std::vector<Call> recorded = random_calls(random, 10 * kTickNs);
    kino::CallStacks stacks;
    std::vector<Call> calls;
    for (const Call& call : recorded) {
      calls.push_back({call.start_ns, stacks.end_ns(SliceKind::python, call.start_ns, call.end_ns)});
      CHECK(stacks.end_ns(SliceKind::annotation, call.start_ns, call.end_ns) == call.end_ns);
    }
    for (std::size_t i = 0; i < calls.size(); ++i) {
      CHECK(calls[i].end_ns <= recorded[i].end_ns);
      bool crosses = false;
      for (std::size_t before = 0; before < i; ++before) {
        CHECK_FALSE(cross(calls[before], calls[i]));
        crosses = crosses || cross(calls[before], recorded[i]);
      }
      CHECK((calls[i].end_ns != recorded[i].end_ns) == crosses);
    }
  }
}
