// Covers: gpu_gaps, cpu_meanwhile, step_words
// Gaps of whole GPUs: they fill the window together with the work, and have causes and CPU activity.
#include "core/tables/gpu/gpu_gaps.hpp"

#include <random>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include "core/base/step_words.hpp"
#include "core/tables/gpu/cpu_meanwhile.hpp"
#include "tests/fixtures/event_fixture.hpp"

namespace {

using kino::EventFixture;
using kino::GapCause;
using kino::GapPosition;
using kino::GpuGap;
using kino::TimeRange;
using kino::Trace;
using kino::TrackClass;

constexpr std::int64_t kMicroNs = 1000;

std::vector<GpuGap> gaps_in(const Trace& trace, TimeRange window) {
  return kino::gpu_gaps(trace, kino::gpu_work_in(trace, window), window);
}

std::string_view why(const Trace& trace, const GpuGap& gap) {
  return kino::english(
      kino::cpu_meanwhile(trace, gap, kino::LaunchingThreads(trace), kino::gap_facts(trace)).meaning);
}

/// A step from 0 to 1000 us with GPU work from 100 to 300 on two streams, and from 500 to 600.
EventFixture step_of_one_gpu() {
  EventFixture fixture;
  fixture.slice(TrackClass::cpu, "user_annotation", "ProfilerStep#7", 0, 1000 * kMicroNs, "1")
      .launch(90 * kMicroNs, 5 * kMicroNs, 1)
      .launch(96 * kMicroNs, 3 * kMicroNs, 2)
      .op("aten::slow", 310 * kMicroNs, 150 * kMicroNs)
      .launch(480 * kMicroNs, 5 * kMicroNs, 3)
      .kernel("a", 100 * kMicroNs, 100 * kMicroNs, 1, "7")
      .kernel("b", 150 * kMicroNs, 150 * kMicroNs, 2, "20")
      .kernel("c", 500 * kMicroNs, 100 * kMicroNs, 3, "7");
  return fixture;
}

}  // namespace

TEST_CASE("finds the gaps of a whole GPU in a step, including both ends") {
  const auto trace = step_of_one_gpu().build();
  const kino::Steps steps = kino::find_steps(*trace);
  const kino::GpuWork work = kino::gpu_work_in(*trace, kino::whole_range(*trace));
  const TimeRange window = kino::gap_window(*trace, work, steps, kino::whole_range(*trace));
  CHECK(window == TimeRange{0, 1000 * kMicroNs});
  const std::vector<GpuGap> gaps = gaps_in(*trace, window);
  REQUIRE(gaps.size() == 3);
  CHECK(gaps[0].range == TimeRange{0, 100 * kMicroNs});
  CHECK(gaps[0].place == GapPosition::before_first);
  CHECK(gaps[0].cause == GapCause::host_wait);
  CHECK(gaps[1].range == TimeRange{300 * kMicroNs, 500 * kMicroNs});  // stream 20 is busy while 7 is idle
  CHECK(gaps[1].place == GapPosition::between);
  CHECK(gaps[1].cause == GapCause::host_wait);
  CHECK(trace->name_of(gaps[1].before) == "b");
  CHECK(trace->name_of(gaps[1].after) == "c");
  CHECK(gaps[2].range == TimeRange{600 * kMicroNs, 1000 * kMicroNs});
  CHECK(gaps[2].place == GapPosition::after_last);
  CHECK(gaps[2].cause == GapCause::end_of_work);
  const kino::CpuMeanwhile did = kino::cpu_meanwhile(*trace, gaps[1], kino::LaunchingThreads(*trace));
  CHECK(trace->names[kino::index_of(did.name)] == "aten::slow");
  CHECK(did.share == doctest::Approx(150.0 / 200));
  CHECK(kino::english(did.meaning) ==
        "The CPU was busy with operators and calls, so it launched the next work late.");

  const kino::Table table =
      kino::gap_table(*trace, work, steps, kino::whole_range(*trace), kino::GapGrouping::gpu, {});
  REQUIRE(table.row_count() == 3);
  REQUIRE(table.row_count() == 3);
  const kino::RowLink* const range = table.link_of(0, kino::RowLink::Kind::range);
  REQUIRE(range != nullptr);
  CHECK(range->range() == TimeRange{600 * kMicroNs, 1000 * kMicroNs});  // longest first
  CHECK(std::get<kino::TableColumn::Texts>(table.find("step")->values)[1] == "7");
}

TEST_CASE("clips gaps at the edge of a range, with the work outside it") {
  const auto trace = step_of_one_gpu().build();
  const std::vector<GpuGap> gaps = gaps_in(*trace, {350 * kMicroNs, 450 * kMicroNs});
  REQUIRE(gaps.size() == 1);
  CHECK(gaps[0].range == TimeRange{350 * kMicroNs, 450 * kMicroNs});
  CHECK(gaps[0].ran_dry_ns == 300 * kMicroNs);
  CHECK(trace->name_of(gaps[0].before) == "b");
  CHECK(trace->name_of(gaps[0].after) == "c");
  CHECK(gaps[0].cause == GapCause::host_wait);
  CHECK(gaps_in(*trace, {120 * kMicroNs, 180 * kMicroNs}).empty());
}

TEST_CASE("explains gaps by the CPU's activity") {
  const auto one = [](const char* category, const char* name) {
    return EventFixture()
        .launch(0, 5 * kMicroNs, 1)
        .slice(TrackClass::cpu, category, name, 110 * kMicroNs, 280 * kMicroNs, "1")
        .launch(395 * kMicroNs, 5 * kMicroNs, 2)
        .kernel("a", 10 * kMicroNs, 90 * kMicroNs, 1)
        .kernel("b", 400 * kMicroNs, 10 * kMicroNs, 2)
        .build();
  };
  const auto reason = [&](const char* category, const char* name) {
    const auto trace = one(category, name);
    const std::vector<GpuGap> gaps = gaps_in(*trace, {50 * kMicroNs, 405 * kMicroNs});
    REQUIRE(gaps.size() == 1);
    CHECK(gaps[0].cause == GapCause::host_wait);
    return std::string(why(*trace, gaps[0]));
  };
  CHECK(reason("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__") ==
        "The CPU waited for the next batch of the data loader.");
  CHECK(reason("cuda_runtime", "cudaMalloc") == "The CPU allocated or freed GPU memory.");
  CHECK(reason("python_function", "train.py(3): log") == "The CPU ran Python outside of operators.");
  CHECK(reason("overhead", "Activity Buffer Request") == "The profiler itself was running.");
  CHECK(reason("user_annotation", "ProfilerStep#3") ==
        "The CPU has few recorded events. It ran Python without recorded frames, or it waited.");
  const auto synchronized =
      EventFixture()
          .launch(0, 5 * kMicroNs, 1)
          .slice(TrackClass::cpu, "cuda_runtime", "cudaStreamSynchronize", 20 * kMicroNs, 85 * kMicroNs, "1")
          .launch(395 * kMicroNs, 5 * kMicroNs, 2)
          .kernel("a", 10 * kMicroNs, 90 * kMicroNs, 1)
          .kernel("b", 400 * kMicroNs, 10 * kMicroNs, 2)
          .build();
  CHECK(why(*synchronized, gaps_in(*synchronized, {50 * kMicroNs, 405 * kMicroNs})[0]) ==
        "The CPU had waited for the GPU, so the queue was empty. Most of the gap follows that wait.");
}

TEST_CASE("reports a host wait if most of the gap passed before the launch call returned") {
  const auto gap_of = [](std::int64_t call_us, std::int64_t call_length_us) {
    const auto trace = EventFixture()
                           .launch(0, 5 * kMicroNs, 1)
                           .kernel("a", 10 * kMicroNs, 90 * kMicroNs, 1)
                           .launch(call_us * kMicroNs, call_length_us * kMicroNs, 2)
                           .kernel("b", 2'100 * kMicroNs, 10 * kMicroNs, 2)
                           .build();
    const std::vector<GpuGap> gaps = gaps_in(*trace, {50 * kMicroNs, 2'105 * kMicroNs});
    REQUIRE(gaps.size() == 1);
    return std::pair(gaps[0].cause, std::string(why(*trace, gaps[0])));
  };
  CHECK(gap_of(110, 5).first == GapCause::other);  // launched 15 us after the GPU ran dry
  CHECK(gap_of(2'000, 5).first == GapCause::host_wait);
  const auto [cause, meaning] = gap_of(90, 2'005);  // the call began while the GPU was busy
  CHECK(cause == GapCause::host_wait);
  CHECK(meaning.starts_with("One long launch call takes most of the gap"));
}

TEST_CASE("fills the window with work and gaps, and agrees with the idle index") {
  std::mt19937 random(11);
  for (int round = 0; round < 60; ++round) {
    EventFixture fixture;
    std::vector<std::uint8_t> busy(400, 0);
    const int kernels = static_cast<int>(random() % 30) + 1;
    for (int i = 0; i < kernels; ++i) {
      const auto start = static_cast<std::int64_t>(random() % 380);
      const auto length = static_cast<std::int64_t>(random() % 20) + 1;
      fixture.kernel("k", start, length, 0, std::to_string(random() % 3));
      for (std::int64_t t = start; t < start + length; ++t) busy[static_cast<std::size_t>(t)] = 1;
    }
    fixture.op("aten::zero", 0, 1).op("aten::end", 399, 1);
    const auto trace = fixture.build();
    const auto begin = static_cast<std::int64_t>(random() % 200);
    const TimeRange window{begin, begin + 1 + static_cast<std::int64_t>(random() % 200)};
    std::vector<std::uint8_t> idle(400, 0);
    for (const GpuGap& gap : gaps_in(*trace, window)) {
      for (std::int64_t t = gap.range.begin_ns; t < gap.range.end_ns; ++t)
        ++idle[static_cast<std::size_t>(t)];
    }
    for (std::int64_t t = window.begin_ns; t < window.end_ns; ++t) {
      const auto at = static_cast<std::size_t>(t);
      REQUIRE(idle[at] + busy[at] == 1);
    }
  }
}

TEST_CASE("recognizes the names of steps") {
  CHECK(kino::step_number("ProfilerStep#12") == 12);
  CHECK(kino::step_number("ProfilerStep#12a") == std::nullopt);
  CHECK(kino::step_number("ProfilerStep") == std::nullopt);
  CHECK(kino::is_step_name("ProfilerStep#12a"));
  CHECK_FALSE(kino::is_step_name("MyProfilerStep#1"));
  CHECK(kino::step_title(3) == "ProfilerStep#3");
  CHECK(kino::all_steps_title() == "ProfilerStep*");
  CHECK(kino::is_data_loading("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"));
  CHECK_FALSE(kino::is_data_loading("DataLoader"));
}

TEST_CASE("names the activity of another launching thread if the first has no events") {
  const auto trace =
      EventFixture()
          .launch(0, 5 * kMicroNs, 1, "1")
          .launch(100 * kMicroNs, 5 * kMicroNs, 2, "2")
          .slice(TrackClass::cpu, "cpu_op", "aten::copy_", 150 * kMicroNs, 300 * kMicroNs, "1")
          .slice(TrackClass::cpu, "cpu_op", "aten::unrelated", 150 * kMicroNs, 300 * kMicroNs, "3")
          .launch(480 * kMicroNs, 5 * kMicroNs, 3, "2")
          .kernel("a", 10 * kMicroNs, 10 * kMicroNs, 1)
          .kernel("b", 110 * kMicroNs, 10 * kMicroNs, 2)
          .kernel("c", 490 * kMicroNs, 10 * kMicroNs, 3)
          .build();
  const std::vector<GpuGap> gaps = gaps_in(*trace, {115 * kMicroNs, 495 * kMicroNs});
  REQUIRE(gaps.size() == 1);
  const kino::LaunchingThreads launching(*trace);
  CHECK(launching.threads().size() == 2);
  const kino::CpuMeanwhile did = kino::cpu_meanwhile(*trace, gaps[0], launching);
  CHECK(did.share == doctest::Approx(300.0 / 370));
  CHECK(trace->names[kino::index_of(did.name)] == "aten::copy_");
}

TEST_CASE("describes only the longest gaps below very deep stacks, with a note") {
  EventFixture events;
  constexpr std::int64_t kDeep = 15'000;
  for (std::int64_t i = 0; i < kDeep; ++i) events.op("aten::deep", i, 2 * (kDeep - i));
  events.launch(2 * kDeep + 1, 1, 1);
  constexpr std::size_t kKernels = 2000;
  for (std::size_t i = 0; i < kKernels; ++i)
    events.kernel("k", 3 * kDeep + 10 * static_cast<std::int64_t>(i), 5, i == 0 ? 1 : 0);
  const auto trace = events.build();
  const TimeRange whole = kino::whole_range(*trace);
  const kino::GpuWork work = kino::gpu_work_in(*trace, whole);
  const kino::Table table = kino::gap_table(*trace, work, {}, whole, kino::GapGrouping::gpu, {});
  CHECK(table.row_count() == kKernels);
  REQUIRE(!table.notes.empty());
  CHECK(table.notes.back() == "CPU activity is shown only for the 1 333 longest gaps.");
  const auto& why = std::get<kino::TableColumn::Texts>(table.find("why")->values);
  CHECK_FALSE(why[1332].empty());
  CHECK(why[1333].empty());
}

TEST_CASE("translates places, causes and reasons of gaps, and not names of work") {
  const auto trace = step_of_one_gpu().build();
  const TimeRange whole = kino::whole_range(*trace);
  const kino::Table table = kino::gap_table(*trace, kino::gpu_work_in(*trace, whole),
                                            kino::find_steps(*trace), whole, kino::GapGrouping::gpu, {});
  REQUIRE(table.row_count() > 0);
  for (const char* key : {"place", "cause", "why"}) {
    const kino::TableColumn& column = *table.find(key);
    CHECK(column.words.size() == table.row_count());
    for (const kino::Message& word : column.words) CHECK(word.id().has_value());
  }
  CHECK(table.find("next")->words.empty());
}
