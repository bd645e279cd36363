// Covers: recorded_kinds
// Kinds of events in a trace.
#include "core/trace/links/recorded_kinds.hpp"

#include <doctest/doctest.h>

#include "tests/fixtures/event_fixture.hpp"

using kino::EventFixture;
using kino::TrackClass;

TEST_CASE("a kind of events is recorded if the trace has one of them") {
  const kino::RecordedKinds none =
      kino::recorded_kinds(*EventFixture().slice(TrackClass::cpu, "build", "link", 0, 9, "1").build());
  CHECK(none.has_no_roles());
  CHECK_FALSE(none.python);
  const kino::RecordedKinds gpu = kino::recorded_kinds(*EventFixture().kernel("gemm", 0, 9).build());
  CHECK(gpu.gpu_work);
  CHECK(gpu.kernels);
  CHECK_FALSE(gpu.launches);
  CHECK_FALSE(gpu.calls);
  CHECK_FALSE(gpu.operators);
  CHECK_FALSE(gpu.has_no_roles());
  EventFixture events;
  events.slice(TrackClass::cpu, "python_function", "f", 0, 90, "1")
      .op("aten::mm", 0, 20)
      .launch(5, 5, 1)
      .kernel("gemm", 30, 9, 1);
  const kino::RecordedKinds all = kino::recorded_kinds(*events.build());
  CHECK(all.launches);
  CHECK(all.calls);
  CHECK(all.operators);
  CHECK(all.python);
}

TEST_CASE("kernels are unknown in a trace with only copies if launches lost theirs") {
  const auto kernels = [](bool launched) {
    EventFixture events;
    events.slice(TrackClass::cpu, "cuda_runtime", "cudaMemcpyAsync", 0, 5, "1", 1)
        .slice(TrackClass::gpu, "gpu_memcpy", "Memcpy HtoD", 10, 5, "7", 1);
    if (launched) events.launch(20, 5, 2);
    return kino::recorded_kinds(*events.build()).kernels;
  };
  CHECK(kernels(false));
  CHECK_FALSE(kernels(true));
}
