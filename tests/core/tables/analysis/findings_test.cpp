// Covers: findings, finding_texts, step_costs, idle_calls
// Findings: sums of the ledger's causes over the used steps, their order, and the verdict on a trace.
#include "core/tables/analysis/findings.hpp"

#include <memory>
#include <string>

#include <doctest/doctest.h>

#include "core/base/time_text.hpp"
#include "core/tables/analysis/range_analysis.hpp"
#include "tests/fixtures/event_fixture.hpp"
#include "tests/fixtures/findings_fixture.hpp"

namespace {

using kino::add_profiler_step;
using kino::EventFixture;
using kino::Finding;
using kino::FindingKind;
using kino::Findings;
using kino::findings_of;
using kino::kMs;
using kino::of_kind;
using kino::TimeRange;
using kino::Trace;
using kino::TrackClass;

constexpr const char* kOneProcess = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__";
constexpr const char* kWorkers = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__";

/// Steps of 100 ms: the loader takes `loader_ms`, launches are `late_ms` late, and the GPU computes until the
/// end of the step.
std::shared_ptr<const Trace> steps_with(std::int64_t loader_ms, std::int64_t late_ms,
                                        const char* loader = kOneProcess, int steps = 4) {
  EventFixture events;
  for (int i = 0; i < steps; ++i) {
    const std::int64_t begin = i * 100 * kMs;
    const auto correlation = static_cast<std::uint32_t>(i + 1);
    add_profiler_step(events, i, begin, 100 * kMs);
    if (loader_ms > 0) events.op(loader, begin, loader_ms * kMs);
    const std::int64_t work = begin + (loader_ms + late_ms) * kMs;
    events.op("aten::mm", work, 10).launch(work, 5, correlation);
    events.kernel("gemm", work, begin + 100 * kMs - work, correlation);
  }
  return events.build();
}

}  // namespace

TEST_CASE("reports a data loader without workers, with the time per step and the fix") {
  const auto trace = steps_with(40, 10);
  const Findings findings = findings_of(*trace);
  CHECK(findings.base.windows.size() == 4);
  CHECK(findings.base.mean_ns == 100 * kMs);
  REQUIRE(findings.list.size() == 2);
  const Finding& loader = findings.list[0];
  CHECK(loader.kind == FindingKind::data_loading);
  CHECK(loader.won_ns == 40 * kMs);
  CHECK(loader.share == doctest::Approx(0.4));
  CHECK(loader.effort == kino::Effort::line);
  CHECK_FALSE(loader.overlaps);
  CHECK(loader.sentence == "The GPU waits for the data loader: at most 40 ms of 100 ms per step (40.0 %).");
  CHECK(loader.fix.str().starts_with("num_workers is 0"));
  CHECK(findings.verdict == loader.sentence);
  CHECK(findings.list[1].won_ns == 10 * kMs);
  // The program already uses workers.
  CHECK(findings_of(*steps_with(40, 10, kWorkers)).list[0].fix.str().starts_with("Use more workers"));
  CHECK(
      findings_of(*steps_with(40, 10, "enumerate(DataLoader)#_StatefulSingleProcessDataLoaderIter.__next__"))
          .list[0]
          .fix.str()
          .starts_with("num_workers is 0"));
}

TEST_CASE("orders findings by time, and by effort within a factor of 1.5") {
  const Findings close = findings_of(*steps_with(30, 40));
  REQUIRE(close.list.size() == 2);
  CHECK(close.list[0].kind == FindingKind::data_loading);
  CHECK(close.list[1].kind == FindingKind::launch_bound);
  CHECK(close.verdict ==
        "The GPU is idle for 70.0 % of each step: data loading (30 ms), launch-bound (40 ms).");
  const Findings far = findings_of(*steps_with(20, 40));
  CHECK(far.list[0].kind == FindingKind::launch_bound);
  CHECK(far.order().str().find("within a factor of 1.5") != std::string::npos);
  CHECK(far.order().str().find("the mean of 4 steps (#0 to #3), 100 ms") != std::string::npos);
}

TEST_CASE("omits findings below 1 % of a step, and finds nothing on a busy GPU") {
  const Findings findings = findings_of(*steps_with(0, 0));
  CHECK(findings.list.empty());
  CHECK(findings.verdict == "No notable problem: the GPU is busy for 100 % of each step.");
  EventFixture events;
  for (int i = 0; i < 4; ++i) {
    add_profiler_step(events, i, i * 100 * kMs, 100 * kMs);
    events.op(kOneProcess, i * 100 * kMs, 900'000);
    events.launch(i * 100 * kMs + 900'000, 5, static_cast<std::uint32_t>(i + 1));
    events.kernel("gemm", i * 100 * kMs + 900'000, 100 * kMs - 900'000, static_cast<std::uint32_t>(i + 1));
  }
  CHECK(findings_of(*events.build()).list.empty());
}

TEST_CASE("finds nothing in short kernels without total time") {
  EventFixture events;
  std::uint32_t correlation = 1;
  for (int i = 0; i < 4; ++i) {
    const std::int64_t begin = i * 100 * kMs;
    add_profiler_step(events, i, begin, 100 * kMs);
    for (int k = 0; k < 400; ++k, ++correlation)
      events.launch(begin + k, 1, correlation).kernel("tiny", begin + 1'000 * k, 1'000, correlation);
    events.launch(begin + 500, 1, correlation)
        .kernel("gemm", begin + 400'000, 100 * kMs - 400'000, correlation);
    ++correlation;
  }
  CHECK(findings_of(*events.build()).list.empty());
}

TEST_CASE("has times of disjoint findings that add up to at most the step") {
  EventFixture events;
  std::uint32_t correlation = 1;
  for (int i = 0; i < 3; ++i) {
    const std::int64_t begin = i * 100 * kMs;
    add_profiler_step(events, i, begin, 100 * kMs);
    events.op(kOneProcess, begin, 10 * kMs);
    const auto work = [&](const char* category, const char* name, std::int64_t at, std::int64_t length,
                          const char* stream) {
      events.launch(begin + at - 1'000, 1'000, correlation);
      events.slice(TrackClass::gpu, category, name, begin + at, length, stream, correlation++);
    };
    work("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 12 * kMs, 8 * kMs, "7");
    work("kernel", "gemm", 20 * kMs, 20 * kMs, "7");
    work("kernel", "ncclDevKernel_AllReduce", 30 * kMs, 30 * kMs, "20");
    work("kernel", "gemm", 90 * kMs, 10 * kMs, "7");
  }
  const auto trace = events.build();
  const Findings findings = findings_of(*trace);
  std::int64_t sum = 0;
  for (const Finding& it : findings.list) {
    if (it.won_ns && !it.overlaps) sum += *it.won_ns;
  }
  CHECK(sum <= findings.base.mean_ns);
  CHECK(of_kind(findings, FindingKind::copies)->won_ns == 8 * kMs);
  CHECK(of_kind(findings, FindingKind::copies)->fix.str().starts_with("pin_memory"));
  CHECK(of_kind(findings, FindingKind::exposed_communication)->won_ns == 20 * kMs);
  CHECK(of_kind(findings, FindingKind::exposed_communication)->filter == "ncclDevKernel_AllReduce");
  CHECK(of_kind(findings, FindingKind::data_loading)->won_ns == 10 * kMs);
  const std::int64_t compute = 30 * kMs;
  CHECK(sum + compute == findings.base.mean_ns);
  CHECK(of_kind(findings, FindingKind::launch_bound)->won_ns == 32 * kMs);
}

TEST_CASE("lists the worst example of each finding first") {
  EventFixture events;
  for (int i = 0; i < 3; ++i) {
    const std::int64_t begin = i * 100 * kMs;
    add_profiler_step(events, i, begin, 100 * kMs);
    events.op(kOneProcess, begin, (10 + 5 * i) * kMs);
    events.launch(begin + 30 * kMs, 5, static_cast<std::uint32_t>(i + 1));
    events.kernel("gemm", begin + 30 * kMs, 70 * kMs, static_cast<std::uint32_t>(i + 1));
  }
  const auto trace = events.build();
  const Findings findings = findings_of(*trace);
  const Finding* loader = of_kind(findings, FindingKind::data_loading);
  REQUIRE(loader != nullptr);
  REQUIRE(loader->examples.size() == 3);
  CHECK(loader->examples[0].range == TimeRange{200 * kMs, 230 * kMs});  // the whole gap
  CHECK(loader->examples[0].shown() == TimeRange{200 * kMs, 220 * kMs});
  CHECK(loader->examples[0].ns == 20 * kMs);
  CHECK(trace->name_of(loader->examples[0].slice) == kOneProcess);
  CHECK(trace->slices.start_ns[kino::index_of(loader->examples[0].slice)] == 200 * kMs);
  CHECK(loader->examples[2].ns == 10 * kMs);
  CHECK(loader->table == "gaps");
}

TEST_CASE("does not report work launched in time as late") {
  EventFixture events;
  add_profiler_step(events, 1, 0, 100 * kMs);
  events.launch(0, 10, 1).launch(20, 10, 2);
  events.kernel("a", 0, 40 * kMs, 1).kernel("b", 60 * kMs, 40 * kMs, 2);
  const Findings findings = findings_of(*events.build());
  CHECK(of_kind(findings, FindingKind::launch_bound) == nullptr);
  REQUIRE(of_kind(findings, FindingKind::launch_gaps) != nullptr);
  CHECK(of_kind(findings, FindingKind::launch_gaps)->won_ns == 20 * kMs);
}

TEST_CASE("splits idle time into late launches and launch gaps where the call returns") {
  EventFixture events;
  add_profiler_step(events, 1, 0, 100 * kMs);
  events.launch(0, 10, 1).launch(50 * kMs, 10 * kMs, 2);
  events.kernel("a", 0, 40 * kMs, 1).kernel("b", 90 * kMs, 10 * kMs, 2);
  const Findings findings = findings_of(*events.build());
  REQUIRE(of_kind(findings, FindingKind::launch_bound) != nullptr);
  CHECK(of_kind(findings, FindingKind::launch_bound)->won_ns == 20 * kMs);
  REQUIRE(of_kind(findings, FindingKind::launch_gaps) != nullptr);
  CHECK(of_kind(findings, FindingKind::launch_gaps)->won_ns == 30 * kMs);
  CHECK(of_kind(findings, FindingKind::launch_gaps)
            ->fix.str()
            .starts_with("Most of this time is in long gaps"));
}

TEST_CASE("shows the part of a gap that a finding sums, in gaps mostly due to it") {
  EventFixture events;
  add_profiler_step(events, 1, 0, 300 * kMs);
  events.launch(0, 10, 1).launch(70 * kMs, 10 * kMs, 2).launch(100 * kMs, 10, 3);
  events.kernel("a", 0, 40 * kMs, 1).kernel("b", 100 * kMs, 30 * kMs, 2).kernel("c", 140 * kMs, 160 * kMs, 3);
  const auto trace = events.build();
  const Findings findings = findings_of(*trace);
  const Finding* late = of_kind(findings, FindingKind::launch_bound);
  REQUIRE(late != nullptr);
  CHECK(late->examples.front().range == TimeRange{40 * kMs, 100 * kMs});
  CHECK(late->examples.front().shown() == TimeRange{40 * kMs, 80 * kMs});
  const Finding* gaps = of_kind(findings, FindingKind::launch_gaps);
  REQUIRE(gaps != nullptr);
  CHECK(gaps->won_ns == 30 * kMs);
  REQUIRE(gaps->examples.size() == 1);  // the gap before b is mostly a late launch
  CHECK(gaps->examples.front().shown() == TimeRange{130 * kMs, 140 * kMs});
}

TEST_CASE("does not base the verdict on few known launches") {
  EventFixture events;
  for (int i = 0; i < 18; ++i) events.kernel("a", i * 10 * kMs, 5 * kMs);
  events.launch(250 * kMs, 10, 1).kernel("b", 251 * kMs, 5 * kMs, 1);
  const Findings findings = findings_of(*events.build());
  CHECK(findings.verdict.str().starts_with(
      "It is unknown why the GPU is idle for 33.2 % of the time. The launches of the following work are not "
      "in the trace."));
}

TEST_CASE("reports idle time before work without a launch as unexplained") {
  EventFixture events;
  events.kernel("a", 0, 40 * kMs);
  for (int i = 0; i < 20; ++i) events.kernel("b", (60 + i) * kMs, kMs);
  const Findings findings = findings_of(*events.build());
  CHECK(findings.list.empty());
  CHECK(
      findings.verdict ==
      "It is unknown why the GPU is idle for 25.0 % of the time. The launches of the following work are not "
      "in the trace.");
}

TEST_CASE("reports no late launches if launches have no work in the trace") {
  EventFixture events;
  for (int i = 0; i < 10; ++i) {
    const std::int64_t at = i * 10 * kMs;
    events.launch(at, 10, static_cast<std::uint32_t>(2 * i + 1));
    events.launch(at + 20, 10, static_cast<std::uint32_t>(2 * i + 2));  // its kernel was not recorded
    events.kernel("a", at, kMs, static_cast<std::uint32_t>(2 * i + 1));
  }
  const Findings findings = findings_of(*events.build());
  CHECK(of_kind(findings, FindingKind::launch_bound) == nullptr);
  CHECK(findings.caveat.str().starts_with("10 of 20 launches"));
  CHECK(findings.verdict == "The GPU is idle for at most 89.0 % of the time. The exact value is unknown. " +
                                findings.caveat.str());
}

TEST_CASE("reports copies that fill a recording with lost kernels") {
  EventFixture events;
  for (std::uint32_t i = 0; i < 10; ++i) {
    const std::int64_t at = i * 10 * kMs;
    events.launch(at, 10, 2 * i + 1).launch(at + 20, 10, 2 * i + 2);  // its kernel was not recorded
    events.kernel("a", at, kMs / 10, 2 * i + 1);
    events.slice(TrackClass::gpu, "gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", at + kMs / 10,
                 10 * kMs - kMs / 10, "7");
  }
  const Findings findings = findings_of(*events.build());
  REQUIRE(of_kind(findings, FindingKind::copies) != nullptr);
  CHECK(findings.verdict ==
        "Copies run with no other recorded work: at most 99 ms of 100 ms (99.0 %). Most of this time is in "
        "Memcpy HtoD (Pinned -> Device). " +
            findings.caveat.str());
}

TEST_CASE("names the window in the verdict if it is only a part of the recording") {
  EventFixture events;
  events.op("aten::mm", 0, 100 * kMs);
  for (std::uint32_t i = 0; i < 20; ++i) {
    events.launch(50 * kMs + i, 1, i + 1).kernel("gemm", (100 + 5 * i) * kMs, 5 * kMs, i + 1);
  }
  CHECK(findings_of(*events.build()).verdict ==
        "No notable problem: the GPU is busy for 100 % of the time. The verdict covers the GPU window, which "
        "is 100 ms of the recorded 200 ms. No GPU work was recorded outside of it.");
}

TEST_CASE("reports the excess of a slow step over the median, spread over the steps") {
  EventFixture events;
  std::int64_t begin = 0;
  for (int i = 0; i < 5; ++i) {
    const std::int64_t length = (i == 3 ? 200 : 100) * kMs;
    add_profiler_step(events, i, begin, length);
    events.launch(begin, 5, static_cast<std::uint32_t>(i + 1));
    events.kernel("gemm", begin, length, static_cast<std::uint32_t>(i + 1));
    begin += length;
  }
  const Findings findings = findings_of(*events.build());
  const Finding* slow = of_kind(findings, FindingKind::slow_step);
  REQUIRE(slow != nullptr);
  CHECK(slow->won_ns == 20 * kMs);
  CHECK(slow->overlaps);
  CHECK(slow->examples.front().range == TimeRange{300 * kMs, 500 * kMs});
  CHECK(
      slow->sentence ==
      "Step 3 takes 200 ms, 2.0 times the median. Excess: at most 20 ms of 120 ms per step (16.7 %). In the "
      "longest step, the largest part of the excess is due to compute.");
  CHECK(slow->fix == "Compare step 3 with step 0, which is closest to the median.");
}

TEST_CASE("takes the mean of the middle two steps as median, and no slow step as usual") {
  const auto findings_of_lengths = [](const std::vector<std::int64_t>& lengths_ms) {
    EventFixture events;
    std::int64_t begin = 0;
    for (std::size_t i = 0; i < lengths_ms.size(); ++i) {
      add_profiler_step(events, static_cast<int>(i), begin, lengths_ms[i] * kMs);
      events.op("aten::mm", begin, lengths_ms[i] * kMs);
      begin += lengths_ms[i] * kMs;
    }
    return findings_of(*events.build());
  };
  const Findings six = findings_of_lengths({390, 270, 280, 300, 310, 290});
  const Finding* slow = of_kind(six, FindingKind::slow_step);
  REQUIRE(slow != nullptr);
  CHECK(slow->won_ns == 95 * kMs / 6);  // beyond 295 ms
  CHECK(slow->sentence.str().starts_with("Step 0 takes 390 ms, 1.3 times the median"));
  CHECK(slow->fix == "Compare step 0 with step 3, which is closest to the median.");
  // The median is as far from both, and the first is slow.
  const Findings far = findings_of_lengths({800, 100, 800, 200});
  REQUIRE(of_kind(far, FindingKind::slow_step) != nullptr);
  CHECK(of_kind(far, FindingKind::slow_step)->fix ==
        "Compare step 0 with step 3, which is closest to the median.");
}

TEST_CASE("selects examples and filter by the name in the sentence") {
  EventFixture events;
  add_profiler_step(events, 1, 0, 100 * kMs);
  for (std::uint32_t i = 0; i < 12; ++i) {
    events.launch(i, 1, i + 1);
    events.slice(TrackClass::gpu, "gpu_memcpy", "Memcpy DtoD (Device -> Device)", 5 * i * kMs, 5 * kMs, "7",
                 i + 1);
  }
  events.launch(20, 1, 20);
  events.slice(TrackClass::gpu, "gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 60 * kMs, 30 * kMs, "7",
               20);
  events.launch(30, 1, 21).kernel("gemm", 90 * kMs, 10 * kMs, 21);
  const auto trace = events.build();
  const Findings findings = findings_of(*trace);
  const Finding* copies = of_kind(findings, FindingKind::copies);
  REQUIRE(copies != nullptr);
  CHECK(copies->sentence.str().ends_with("Most of this time is in Memcpy DtoD (Device -> Device)."));
  CHECK(copies->filter == "Memcpy DtoD (Device -> Device)");
  CHECK(copies->examples.size() == 12);
  CHECK(trace->name_of(copies->evidence()) == "Memcpy DtoD (Device -> Device)");
}

TEST_CASE("describes a trace without GPU work by the operators of its steps") {
  EventFixture events;
  for (int i = 0; i < 3; ++i) {
    add_profiler_step(events, i, i * 100 * kMs, 100 * kMs);
    events.op("aten::addmm", i * 100 * kMs, 60 * kMs).op("aten::copy_", i * 100 * kMs + 60 * kMs, 30 * kMs);
  }
  const Findings findings = findings_of(*events.build());
  CHECK(findings.list.empty());
  CHECK(findings.verdict ==
        "No GPU work was recorded. A step takes 100 ms. Its largest parts by self time are aten::addmm "
        "(60.0 %) and aten::copy_ (30.0 %).");
}

TEST_CASE("reports launches without any GPU work in the file") {
  EventFixture events;
  for (std::uint32_t i = 0; i < 20; ++i)
    events.op("aten::mm", i * 1'000, 500).launch(i * 1'000 + 1, 10, i + 1);
  CHECK(
      findings_of(*events.build())
          .verdict.str()
          .starts_with(
              "No GPU work was recorded, although the trace has launches (20). The GPU side of the recording is "
              "missing."));
}

TEST_CASE("does not take a few kernels for a complete step") {
  const auto trace =
      EventFixture().launch(0, 5, 1).kernel("a", 10, 10, 1).op("aten::mm", 0, 1'200 * kMs).build();
  CHECK(
      findings_of(*trace).verdict ==
      "No complete step was recorded, only 1 piece of GPU work in 1.2 s. Use the profiler's schedule (wait, warmup, active) "
      "to record whole steps.");
  // Without operators, longer helps only where the recording has little but that work.
  const auto kernels = [](std::int64_t profiler_ns) {
    EventFixture events;
    events.launch(0, 5, 1).kernel("a", 10, 10, 1).kernel("a", 190, 10);
    if (profiler_ns > 0) events.slice(TrackClass::cpu, "Trace", "PyTorch Profiler (0)", 0, profiler_ns, "0");
    return findings_of(*events.build()).verdict;
  };
  CHECK(kernels(0) == "No complete step was recorded, only 2 pieces of GPU work in 200 ns. Record longer.");
  CHECK(
      kernels(kMs) ==
      "No complete step was recorded, only 2 pieces of GPU work in 1 ms. Record while the program uses the GPU.");
}

TEST_CASE("restricts findings to the requested step or range") {
  const auto trace = steps_with(40, 10);
  const kino::RangeAnalyses analyses(*trace);
  const auto part = analyses.of({100 * kMs, 150 * kMs});
  const Findings range = kino::find_findings(*part, kino::ByteUnits::decimal);
  CHECK(range.base.mean_ns == 50 * kMs);
  CHECK(range.list.front().won_ns == 40 * kMs);
  CHECK(range.list.front().share_of == "the range");
  const auto step = analyses.of_step(part->steps().at(1), 1);
  CHECK(kino::find_findings(*step, kino::ByteUnits::decimal).base.brief("GPU") == "step 1");
}

TEST_CASE("does not report graph capture as launch-bound") {
  EventFixture events;
  std::uint32_t id = 0;
  for (int i = 0; i < 6; ++i) {
    const std::int64_t begin = i * 10 * kMs;
    const auto call = [&](const char* name, std::int64_t start_ns, std::uint32_t correlation) {
      events.slice(TrackClass::cpu, "cuda_runtime", name, start_ns, 1'000, "1", correlation);
    };
    for (int k = 0; k < 2; ++k) {
      call("cudaLaunchKernel", begin + k * 100'000, ++id);
      events.kernel("fill", begin + k * 100'000 + 50'000, 20'000, id);
    }
    call("cudaStreamBeginCapture", begin + 500'000, 0);
    for (int k = 0; k < 5; ++k) call("cudaLaunchKernel", begin + kMs + k * kMs, ++id);
    call("cudaStreamEndCapture", begin + 9 * kMs + 500'000, 0);
  }
  const Findings findings = findings_of(*events.build());
  CHECK(findings.verdict.str().find("while the CPU captures graphs.") != std::string::npos);
  const Finding* const late = of_kind(findings, FindingKind::launch_bound);
  REQUIRE(late != nullptr);
  CHECK(late->share < 0.15);
  CHECK(late->sentence.str().find(" Kernel launches: 11 (median 1 µs).") !=
        std::string::npos);  // one is before the window
  CHECK(late->fix == "Graphs are captured once. Record the steps after the capture.");
}

TEST_CASE("has a verdict for a GPU program without GPU work and operators") {
  EventFixture events;
  events.slice(TrackClass::cpu, "cuda_runtime", "cudaMalloc", 0, 100, "1");
  CHECK(findings_of(*events.build()).verdict.str().starts_with("No GPU work was recorded."));
  const auto old = EventFixture()
                       .op("aten::add", 0, 100, "1")
                       .slice(TrackClass::gpu_annotation, "gpu_user_annotation", "aten::add", 10, 90, "0")
                       .build();
  CHECK(findings_of(*old).verdict.str().starts_with(
      "No GPU work was recorded, only times of operators or annotations on the GPU."));
}

TEST_CASE("reports how far a damaged file was read") {
  using kino::DamageReason;
  const auto before = std::const_pointer_cast<Trace>(EventFixture().build());
  before->damage.add(DamageReason::truncated_event, 111, "");
  before->damage.add(DamageReason::truncated_file, 189, "");
  CHECK(findings_of(*before).verdict == "The file is truncated at byte 189, before any slice could be read.");
  before->damage.add(DamageReason::truncated_gzip, 189, "");
  CHECK(findings_of(*before).verdict == "The file is truncated before any slice could be read.");

  const auto later =
      std::const_pointer_cast<Trace>(EventFixture().kernel("a", 0, 100, 1).kernel("b", 200, 100, 2).build());
  later->damage.add(DamageReason::truncated_event, 1101, "");
  later->damage.add(DamageReason::truncated_file, 1145, "");
  CHECK(findings_of(*later).verdict.str().starts_with("The file is truncated at byte " + kino::grouped(1145) +
                                                      ". Numbers cover the first 300 ns of the trace. "));

  const auto whole = std::const_pointer_cast<Trace>(EventFixture().kernel("a", 0, 100, 1).build());
  whole->damage.add(DamageReason::gzip_checksum, 1862, "");
  CHECK(findings_of(*whole).verdict.str().starts_with(
      "The file does not match its checksum, so its contents may be wrong. No complete step was recorded"));
}

TEST_CASE("names an accelerator that is shown but not analyzed") {
  EventFixture events;
  events.slice(TrackClass::cpu, "", "add_11 Cmpt Exec", 0, 100, "1");
  CHECK(findings_of(*events.build()).verdict ==
        "Work of the accelerator (IBM AIU) is shown but not analyzed. Its busy and idle times are unknown.");
}
