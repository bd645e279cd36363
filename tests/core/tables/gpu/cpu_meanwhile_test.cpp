// Covers: cpu_meanwhile
// Reasons for gaps, from CPU activity during the gap and from the recorded kinds.
#include "core/tables/gpu/cpu_meanwhile.hpp"

#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "core/tables/table.hpp"
#include "tests/fixtures/event_fixture.hpp"

namespace {

using kino::EventFixture;
using kino::GapCause;
using kino::GpuGap;
using kino::TimeRange;
using kino::Trace;
using kino::TrackClass;

constexpr std::int64_t kMicro = 1000;

struct Reason {
  GapCause cause{};
  std::string meaning;
};

/// Returns the reason for the longest gap of the window.
Reason longest_in(const Trace& trace, TimeRange window) {
  std::vector<GpuGap> gaps = kino::gpu_gaps(trace, kino::gpu_work_in(trace, window), window);
  const kino::GapFacts facts = kino::gap_facts(trace);
  kino::mark_lost_work(trace, gaps, facts);
  const GpuGap* longest = nullptr;
  for (const GpuGap& gap : gaps) {
    if (longest == nullptr || gap.range.length_ns() > longest->range.length_ns()) longest = &gap;
  }
  REQUIRE(longest != nullptr);
  const kino::LaunchingThreads launching(trace);
  return {longest->cause,
          std::string(kino::english(kino::cpu_meanwhile(trace, *longest, launching, facts).meaning))};
}

/// Two kernels with a gap from 100 us to 4 ms; the second launch returns right before the second kernel.
EventFixture late_launch() {
  EventFixture events;
  events.launch(0, 5 * kMicro, 1)
      .kernel("a", 10 * kMicro, 90 * kMicro, 1)
      .launch(3'990 * kMicro, 5 * kMicro, 2)
      .kernel("b", 4'000 * kMicro, 10 * kMicro, 2);
  return events;
}

constexpr TimeRange kLateWindow{50 * kMicro, 4'005 * kMicro};

EventFixture call(EventFixture events, const char* name, std::int64_t start_us, std::int64_t length_us) {
  events.slice(TrackClass::cpu, "cuda_runtime", name, start_us * kMicro, length_us * kMicro, "1");
  return events;
}

}  // namespace

TEST_CASE("reports an unknown launch for a gap of any length before such work") {
  for (const std::int64_t start_us : {105, 400}) {
    const auto trace = EventFixture()
                           .launch(0, 5 * kMicro, 1)
                           .kernel("a", 10 * kMicro, 90 * kMicro, 1)
                           .kernel("b", start_us * kMicro, 10 * kMicro)
                           .build();
    const Reason reason = longest_in(*trace, {50 * kMicro, start_us * kMicro + 5 * kMicro});
    CHECK(reason.cause == GapCause::unknown_launch);
    CHECK(kino::english(kino::text_of(reason.cause)) == "unknown launch");
    CHECK(reason.meaning == "The launch of the next work is not in the trace.");
  }
}

TEST_CASE("names Python only for PyTorch traces without Python frames") {
  CHECK(longest_in(*late_launch().build(), kLateWindow).meaning ==
        "No single kind of recorded CPU activity fills half of the gap.");
  CHECK(
      longest_in(*late_launch().op("aten::add", 1'000 * kMicro, 10 * kMicro).build(), kLateWindow).meaning ==
      "The CPU has few recorded events. It ran Python without recorded frames, or it waited.");
  const auto with_frames =
      late_launch()
          .op("aten::add", 1'000 * kMicro, 10 * kMicro)
          .slice(TrackClass::cpu, "python_function", "train.py(3): log", 900 * kMicro, 20 * kMicro, "1")
          .build();
  CHECK(longest_in(*with_frames, kLateWindow).meaning ==
        "No single kind of recorded CPU activity fills half of the gap.");
}

TEST_CASE("does not blame slow launches if the CPU waits, builds graphs or is in a long call") {
  CHECK(longest_in(*call(late_launch(), "cudaDeviceSynchronize", 200, 3'700).build(), kLateWindow).meaning ==
        "The CPU waited for the GPU in a synchronizing call for most of the gap. The awaited work may not "
        "have been recorded.");
  CHECK(longest_in(*call(late_launch(), "hipGraphInstantiate", 200, 3'700).build(), kLateWindow).meaning ==
        "The CPU captured graphs or prepared them for execution.");
  const auto captured =
      call(call(late_launch(), "cudaStreamBeginCapture", 200, 5), "cudaStreamEndCapture", 3'800, 5)
          .op("aten::mm", 210 * kMicro, 3'500 * kMicro)
          .build();
  CHECK(longest_in(*captured, kLateWindow).meaning ==
        "The CPU captured graphs or prepared them for "
        "execution.");
  CHECK(longest_in(*call(late_launch(), "cudaDeviceGetStreamPriorityRange", 200, 3'700).build(), kLateWindow)
            .meaning ==
        "One long runtime or driver call takes most of the gap. This is typical at start-up.");
  EventFixture many = late_launch();
  for (std::int64_t i = 0; i < 37; ++i) many = call(std::move(many), "cudaEventRecord", 200 + 100 * i, 95);
  CHECK(longest_in(*many.build(), kLateWindow).meaning ==
        "The CPU was busy with operators and calls, so it launched the next work late.");
}

TEST_CASE("names the largest part of a gap after a wait for the GPU") {
  const auto waited = [](std::int64_t until_us) {
    return call(late_launch(), "cudaStreamSynchronize", 20, until_us - 20);
  };
  CHECK(longest_in(*waited(3'000).build(), kLateWindow).meaning ==
        "The CPU had waited for the GPU, so the queue was empty.");
  CHECK(longest_in(*waited(200).build(), kLateWindow).meaning ==
        "The CPU had waited for the GPU, so the queue was empty. Most of the gap follows that wait.");
  CHECK(longest_in(*waited(200).op("aten::nonzero", 300 * kMicro, 3'600 * kMicro).build(), kLateWindow)
            .meaning ==
        "The CPU waited for the GPU. Then it was busy with operators and calls before the next launch.");
  const auto python =
      waited(200)
          .slice(TrackClass::cpu, "python_function", "train.py(3): log", 300 * kMicro, 3'600 * kMicro, "1")
          .build();
  CHECK(longest_in(*python, kLateWindow).meaning ==
        "The CPU waited for the GPU. Then it ran Python outside of operators before the next launch.");
}

TEST_CASE("marks a gap with unrecorded work as unknown") {
  constexpr const char* kNotRecorded =
      "Some launched work was not recorded, so the device may have been busy in the gap.";
  EventFixture lost = late_launch();
  for (std::int64_t i = 0; i < 37; ++i) lost.launch((200 + 100 * i) * kMicro, 95 * kMicro, 0);
  const Reason kernels = longest_in(*lost.build(), kLateWindow);
  CHECK(kernels.cause == GapCause::unknown);
  CHECK(kernels.meaning == kNotRecorded);
  // The work of the graph was launched before `a` ended.
  EventFixture events;
  events.launch(0, 5 * kMicro, 1)
      .kernel("a", 30 * kMicro, 70 * kMicro, 1)
      .launch(200 * kMicro, 5 * kMicro, 2)
      .kernel("b", 4'000 * kMicro, 10 * kMicro, 2);
  const auto graph = call(std::move(events), "hipGraphLaunch", 10, 5).build();
  const Reason reason = longest_in(*graph, kLateWindow);
  CHECK(reason.cause == GapCause::unknown);
  CHECK(reason.meaning == kNotRecorded);
}

TEST_CASE("considers unrecorded work before the first recorded work") {
  const auto trace =
      EventFixture().launch(0, 5 * kMicro, 1).kernel("a", 4'000 * kMicro, 10 * kMicro, 1).build();
  const Reason first = longest_in(*trace, {0, 4'005 * kMicro});
  CHECK(first.cause == GapCause::other);
  CHECK(first.meaning ==
        "The next work was already queued, perhaps after work that was launched before the recording.");
}
