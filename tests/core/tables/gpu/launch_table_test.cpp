// Covers: launch_table
// Reasons for work that starts before its launch call returns, and the note that counts them.
#include "core/tables/gpu/launch_table.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "core/trace/links/gpu_work.hpp"
#include "tests/fixtures/event_fixture.hpp"

namespace {

using kino::EventFixture;
using kino::GpuWork;
using kino::Trace;
using kino::TrackClass;

GpuWork all_work(const Trace& trace) { return kino::gpu_work_in(trace, kino::whole_range(trace)); }

}  // namespace

TEST_CASE("gives the reason for a negative launch delay") {
  using kino::EarlyStart;
  const auto call = [](EventFixture& events, const char* name, std::int64_t at, std::int64_t length,
                       std::uint32_t correlation) {
    events.slice(TrackClass::cpu, "cuda_runtime", name, at, length, "1", correlation);
  };
  const auto copy = [](EventFixture& events, const char* name, std::int64_t at, std::uint32_t correlation) {
    events.slice(TrackClass::gpu, "gpu_memcpy", name, at, 10, "7", correlation);
  };
  EventFixture events;
  call(events, "cudaMemcpyAsync", 0, 100, 1);
  copy(events, "Memcpy DtoH (Device -> Pageable)", 50, 1);
  call(events, "cudaMemcpy", 200, 100, 2);
  copy(events, "Memcpy DtoH (Device -> Pinned)", 250, 2);
  call(events, "cudaGraphLaunch", 400, 100, 3);
  events.kernel("gemm", 450, 10, 3);
  call(events, "cudaLaunchKernel", 600, 10, 4);
  events.kernel("gemm", 590, 5, 4);
  call(events, "cudaLaunchKernel", 700, 10, 5);
  events.kernel("gemm", 720, 5, 5);
  const auto trace = events.build();
  std::vector<EarlyStart> why;
  for (const kino::StreamWork& stream : all_work(*trace).streams) {
    for (const kino::SliceId slice : stream.slices) why.push_back(kino::early_start(*trace, slice));
  }
  CHECK(why == std::vector<EarlyStart>{EarlyStart::pageable_copy, EarlyStart::waiting_copy,
                                       EarlyStart::during_call, EarlyStart::before_call, EarlyStart::none});
  CHECK(kino::english(kino::text_of(EarlyStart::none)).empty());
  const GpuWork work = all_work(*trace);
  const kino::Table table = kino::launch_table(*trace, kino::launch_rows(*trace, work), work.size());
  REQUIRE(table.notes.size() == 2);
  CHECK(table.notes[1] ==
        "4 pieces of GPU work start before their launch calls return. Copies of pageable memory among them "
        "(their call waits while the data is staged): 1. Work among them that starts before its call begins "
        "(the clocks of CPU and GPU disagree): 1.");
}

TEST_CASE("omits empty parts of the note on early work, and names unknown memory") {
  const auto note = [](const char* copy) {
    const auto trace = EventFixture()
                           .slice(TrackClass::cpu, "cuda_runtime", "hipMemcpyAsync", 0, 100, "1", 1)
                           .slice(TrackClass::gpu, "gpu_memcpy", copy, 50, 10, "7", 1)
                           .build();
    const GpuWork work = all_work(*trace);
    return kino::launch_table(*trace, kino::launch_rows(*trace, work), work.size()).notes.back();
  };
  const std::string early = "1 piece of GPU work starts before its launch call returns.";
  CHECK(note("Memcpy HtoD (Pinned -> Device)") == early);
  CHECK(note("Memcpy DtoD (Device -> Device)") == early);
  const std::string unknown = early + " Copies of host memory among them that may be pageable: 1.";
  CHECK(note("Memcpy HtoD (Host -> Device)") == unknown);
  CHECK(note("CopyHostToDevice") == unknown);
}
