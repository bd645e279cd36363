// Covers: finding_fixes, start_up, other_threads, step_costs, idle_calls, trace_maker
// Findings and advice if the GPU waits for launches or memory calls.
#include "core/tables/analysis/finding_fixes.hpp"

#include <string>

#include <doctest/doctest.h>

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
using kino::Trace;
using kino::TrackClass;

}  // namespace

TEST_CASE("advises fewer launches only for many gaps") {
  const auto late = [](int gaps) {
    EventFixture events;
    add_profiler_step(events, 0, 0, 100 * kMs);
    const std::int64_t each = 40 * kMs / gaps;
    for (int i = 0; i < gaps; ++i) {
      const std::int64_t work = i * 100 * kMs / gaps + each;
      const auto correlation = static_cast<std::uint32_t>(i + 1);
      events.op("aten::zeros", work - each, each);
      events.op("aten::mm", work, 10).launch(work, i == 0 ? 900 : 5, correlation);
      events.kernel("gemm", work, 60 * kMs / gaps, correlation);
    }
    return *of_kind(findings_of(*events.build()), FindingKind::launch_bound);
  };
  CHECK(late(1).fix.str().starts_with("A few gaps make up most of this time"));
  const Finding many = late(40);
  CHECK(many.fix.str().starts_with("Use torch.compile or CUDA graphs to reduce the number of launches"));
  // One call that loads code does not make all launches slow.
  CHECK(many.sentence.str().ends_with(
      " Kernel launches per step: 40 (median 5 ns). The longest kernel launch takes 900 ns."));
}

TEST_CASE("does not blame .item() for synchronization outside of operators") {
  const auto fix_of = [](const char* call, const char* around) {
    EventFixture events;
    add_profiler_step(events, 0, 0, 100 * kMs);
    events.op("aten::mm", 0, kMs).launch(0, 10, 1).kernel("gemm", 10, 20 * kMs, 1);
    events.op(around, 30 * kMs, 10 * kMs).launch(39 * kMs, 10, 2);
    events.kernel("gemm", 40 * kMs, 20 * kMs, 2);
    events.slice(TrackClass::cpu, "cuda_runtime", call, 60 * kMs + 10, 30 * kMs - 20, "1");
    events.op("aten::mm", 90 * kMs, kMs).launch(90 * kMs + 10, 10, 3).kernel("gemm", 91 * kMs, 9 * kMs, 3);
    if (around == std::string("aten::item")) events.op(around, 60 * kMs, 30 * kMs);
    const Findings findings = findings_of(*events.build());
    REQUIRE(of_kind(findings, FindingKind::waiting) != nullptr);
    return of_kind(findings, FindingKind::waiting)->fix;
  };
  CHECK(fix_of("cudaDeviceSynchronize", "aten::add")
            .str()
            .starts_with("The waiting call is not made by an operator. Remove"));
  CHECK(fix_of("cudaStreamSynchronize", "aten::add")
            .str()
            .starts_with("The waiting call is not made by an operator. Remove"));
  CHECK(fix_of("cudaStreamSynchronize", "aten::item").str().starts_with("Keep values on the device"));
}

TEST_CASE("has a median of graph launches, including a call that began before the window") {
  EventFixture events;
  events.slice(TrackClass::cpu, "cuda_runtime", "cudaGraphLaunch", 0, 4 * kMs, "1", 100);
  events.kernel("a", 3 * kMs, kMs, 100);
  for (int i = 1; i <= 8; ++i) {
    const auto correlation = static_cast<std::uint32_t>(i);
    events.op("aten::zeros", i * 10 * kMs - 5 * kMs, 4 * kMs);
    events.launch(i * 10 * kMs, 14'000, correlation).kernel("a", i * 10 * kMs + 20'000, kMs, correlation);
  }
  const auto trace = events.build();
  const Findings findings = findings_of(*trace);
  const Finding* late = of_kind(findings, FindingKind::launch_bound);
  REQUIRE(late != nullptr);
  CHECK(late->sentence.str().find(" Kernel launches: 8 (median 14 µs). Graph launches: 1 (4 ms).") !=
        std::string::npos);
}

TEST_CASE("counts CPU samples as events of a launching thread") {
  const auto late = [](bool sampled) {
    EventFixture events;
    for (int i = 0; i < 20; ++i) {
      const auto correlation = static_cast<std::uint32_t>(i + 1);
      if (sampled)
        events.slice(TrackClass::cpu, "cpu_sample", "main", i * 10 * kMs, 10 * kMs, "1 CPU samples");
      events.launch(i * 10 * kMs, 10, correlation).kernel("gemm", i * 10 * kMs + 10, 2 * kMs, correlation);
    }
    return *of_kind(findings_of(*events.build()), FindingKind::launch_bound);
  };
  CHECK(late(false).sentence.str().find("only enclosing ranges") != std::string::npos);
  const Finding with_samples = late(true);
  CHECK(with_samples.sentence.str().find("only enclosing ranges") == std::string::npos);
  CHECK(with_samples.fix.str().find("samples") == std::string::npos);
}

TEST_CASE("recommends recording operators, not CPU samples, for PyTorch's profiler") {
  EventFixture events;
  events.slice(TrackClass::cpu, "Trace", "PyTorch Profiler (0)", 0, 200 * kMs, "PyTorch Profiler");
  for (int i = 0; i < 20; ++i) {
    const auto correlation = static_cast<std::uint32_t>(i + 1);
    events.launch(i * 10 * kMs, 10, correlation).kernel("gemm", i * 10 * kMs + 10, 2 * kMs, correlation);
  }
  const Findings findings = findings_of(*events.build());
  const Finding* late = of_kind(findings, FindingKind::launch_bound);
  REQUIRE(late != nullptr);
  CHECK(late->fix.str().starts_with("Record operators as well (ProfilerActivity.CPU)"));
}

TEST_CASE("reports far longer first calls as one-time start-up, without advice per step") {
  EventFixture events;
  add_profiler_step(events, 0, 0, 100 * kMs);
  events.op("aten::conv2d", 10 * kMs, 41 * kMs);
  events.slice(TrackClass::cpu, "cuda_runtime", "cudaFree", 11 * kMs, 19 * kMs, "1");
  events.launch(5 * kMs, 10, 1).kernel("a", 5 * kMs, 5 * kMs, 1);
  events.launch(30 * kMs, 20 * kMs, 2).kernel("b", 50 * kMs, 10 * kMs, 2);
  for (int i = 0; i < 4; ++i) {
    const auto correlation = static_cast<std::uint32_t>(i + 3);
    const std::int64_t work = (60 + 10 * i) * kMs;
    events.op("aten::conv2d", work - 1'000, 1'000).launch(work - 500, 400, correlation);
    events.kernel("b", work, 10 * kMs, correlation);
  }
  const auto trace = events.build();
  const Findings findings = findings_of(*trace);
  const Finding* late = of_kind(findings, FindingKind::launch_bound);
  REQUIRE(late != nullptr);
  CHECK(late->won_ns == 26 * kMs);
  CHECK(late->sentence.str().find(
            " 21 ms of this time is one-off start-up, such as cudaLaunchKernel (20 ms). Kernel launches") !=
        std::string::npos);
  CHECK(late->fix.str().starts_with("Start-up happens once"));
  const Finding* memory = of_kind(findings, FindingKind::driver_memory);
  REQUIRE(memory != nullptr);
  CHECK(
      memory->sentence.str().ends_with(" 19 ms of this time is one-off start-up, such as cudaFree (19 ms)."));
  CHECK(memory->fix.str().starts_with("Warm up before recording"));
  CHECK(memory->effort == kino::Effort::code);
  CHECK(findings.verdict.str().ends_with(" 40 ms of this time is one-off start-up."));
}

TEST_CASE("counts a unique operator that builds a graph as start-up, and names a tenth") {
  const auto sentence_of_late = [](const char* call, int regions) {
    EventFixture events;
    add_profiler_step(events, 0, 0, 200 * kMs);
    events.launch(0, 10, 1).kernel("a", 10, 5 * kMs, 1);
    for (int i = 0; i < regions; ++i) {
      const std::int64_t begin = (5 + 20 * i) * kMs;
      events.op("Torch-Compiled Region", begin, 20 * kMs);
      events.slice(TrackClass::cpu, "cuda_runtime", call, begin + 15 * kMs, 2 * kMs, "1");
    }
    for (int i = 0; i < 10; ++i) {
      const auto correlation = static_cast<std::uint32_t>(i + 2);
      const std::int64_t work = (60 + 14 * i) * kMs;
      events.op("aten::mm", work - 6 * kMs, 6 * kMs).launch(work, 10, correlation);
      events.kernel("b", work + 10, 8 * kMs, correlation);
    }
    const Findings findings = findings_of(*events.build());
    REQUIRE(of_kind(findings, FindingKind::launch_bound) != nullptr);
    return of_kind(findings, FindingKind::launch_bound)->sentence.str();
  };
  const std::string built = sentence_of_late("cudaGraphInstantiate", 1);
  CHECK_MESSAGE(
      built.find(" 20 ms of this time is one-off start-up, such as Torch-Compiled Region (20 ms).") !=
          std::string::npos,
      built);
  // An operator that builds several graphs is not one-off; the calls are a small part of it.
  CHECK(sentence_of_late("cudaGraphInstantiate", 2).find("Torch-Compiled Region (20 ms)") ==
        std::string::npos);
  CHECK(sentence_of_late("cudaStreamIsCapturing", 1).find("one-off") == std::string::npos);
}

TEST_CASE("excludes memory calls within start-up, which are another finding") {
  EventFixture events;
  add_profiler_step(events, 0, 0, 100 * kMs);
  events.launch(5 * kMs, 10, 1).kernel("a", 5 * kMs, 5 * kMs, 1);
  events.op("aten::addmm", 10 * kMs, 36 * kMs);
  events.slice(TrackClass::cpu, "cuda_runtime", "cudaFree", 12 * kMs, 16 * kMs, "1");
  events.launch(46 * kMs - 10'000, 10'000, 2).kernel("b", 46 * kMs, 14 * kMs, 2);
  for (int i = 0; i < 4; ++i) {
    const auto correlation = static_cast<std::uint32_t>(i + 3);
    const std::int64_t work = (60 + 10 * i) * kMs;
    events.op("aten::addmm", work - 1'000, 1'000).launch(work - 500, 400, correlation);
    events.kernel("b", work, 10 * kMs, correlation);
  }
  const Findings findings = findings_of(*events.build());
  const Finding* const late = of_kind(findings, FindingKind::launch_bound);
  const Finding* const memory = of_kind(findings, FindingKind::driver_memory);
  REQUIRE(late != nullptr);
  REQUIRE(memory != nullptr);
  // The first call takes 36 ms; 16 ms of them are in cudaFree.
  CHECK_MESSAGE(
      late->sentence.str().find(" 20 ms of this time is one-off start-up, such as aten::addmm (20 ms).") !=
          std::string::npos,
      late->sentence);
  CHECK_MESSAGE(
      memory->sentence.str().ends_with(" 16 ms of this time is one-off start-up, such as cudaFree (16 ms)."),
      memory->sentence);
  // The GPU is busy for 59 of 100 ms.
  CHECK(late->won_ns == 25 * kMs);
  CHECK(*late->won_ns + *memory->won_ns == 41 * kMs);
}

TEST_CASE("does not advise fewer launches for gaps without CPU events") {
  const auto advice = [](const char* kernel, const char* op) {
    EventFixture events;
    for (int i = 0; i < 20; ++i) {
      const auto correlation = static_cast<std::uint32_t>(i + 1);
      if (op != nullptr) events.op(op, i * 10 * kMs - 5, 20);
      events.launch(i * 10 * kMs, 10, correlation).kernel(kernel, i * 10 * kMs + 10, 2 * kMs, correlation);
    }
    return *of_kind(findings_of(*events.build()), FindingKind::launch_bound);
  };
  const Finding with_operators = advice("gemm", "aten::mm");
  CHECK_MESSAGE(
      with_operators.sentence.str().find(
          " of this time, only enclosing ranges are recorded on the launching threads. Kernel launches: 19 ") !=
          std::string::npos,
      with_operators.sentence);
  CHECK(with_operators.fix.str().starts_with("Record with with_stack=True"));
  CHECK(advice("gemm", nullptr)
            .fix.str()
            .starts_with("In these gaps, the recording contains only enclosing ranges"));
}

TEST_CASE("names work of other threads in gaps without events of launching threads") {
  const auto fix_of = [](const char* work, std::int64_t each_ns) {
    EventFixture events;
    for (int i = 0; i < 20; ++i) {
      const auto correlation = static_cast<std::uint32_t>(i + 1);
      events.launch(i * 10 * kMs, 10, correlation).kernel("gemm", i * 10 * kMs + 10, 2 * kMs, correlation);
      events.slice(TrackClass::cpu, "user_annotation", "compile", i * 10 * kMs + 4 * kMs, 5 * kMs, "2");
      events.slice(TrackClass::cpu, "user_annotation", work, i * 10 * kMs + 4 * kMs + 10, each_ns, "2");
    }
    return of_kind(findings_of(*events.build()), FindingKind::launch_bound)->fix;
  };
  // 19 gaps between 20 kernels
  CHECK(fix_of("Nvrtc::CompileProgram", 4 * kMs) ==
        "Other threads are busy in these gaps, mostly in Nvrtc::CompileProgram (76 ms summed over threads). "
        "The launching thread may be waiting for them.");
  CHECK(fix_of("Nvrtc::CompileProgram", kMs / 2)
            .str()
            .starts_with("In these gaps, the recording contains only enclosing"));
  CHECK(fix_of("pthread_cond_wait", 4 * kMs)
            .str()
            .starts_with("In these gaps, the recording contains only enclosing"));
}

TEST_CASE("gives no advice on PyTorch settings to other programs") {
  EventFixture events;
  for (int i = 0; i < 20; ++i) {
    const auto correlation = static_cast<std::uint32_t>(2 * i + 1);
    const std::int64_t begin = i * 10 * kMs;
    events.slice(TrackClass::cpu, "cuda_runtime", "cudaFree", begin, kMs, "1");
    events.slice(TrackClass::cpu, "cuda_runtime", "cudaStreamQuery", begin + kMs, 3 * kMs, "1");
    events.launch(begin + 4 * kMs, 10, correlation).kernel("gemm", begin + 4 * kMs, 2 * kMs, correlation);
    events.launch(begin + 5 * kMs, 10, correlation + 1);
    events.slice(TrackClass::gpu, "gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", begin + 6 * kMs, 4 * kMs,
                 "7", correlation + 1);
  }
  const Findings findings = findings_of(*events.build());
  REQUIRE(findings.list.size() == 3);
  for (const Finding& it : findings.list) {
    CAPTURE(it.fix);
    for (const char* word : {"torch", "PYTORCH", "pin_memory", "empty_cache"})
      CHECK(it.fix.str().find(word) == std::string::npos);
  }
}

TEST_CASE("does not blame small kernels for long gaps before launched work") {
  const auto fix_with_gaps = [](std::int64_t gap_ns) {
    EventFixture events;
    std::int64_t at = 1000;
    for (std::uint32_t i = 0; i < 100; ++i) {
      events.launch(i, 1, i + 1).kernel("gemm", at, 10'000, i + 1);
      at += 10'000 + gap_ns;
    }
    add_profiler_step(events, 1, 0, at);
    const Findings findings = findings_of(*events.build());
    const Finding* gaps = of_kind(findings, FindingKind::launch_gaps);
    return gaps == nullptr ? std::string() : gaps->fix;
  };
  CHECK(fix_with_gaps(5'000).str().starts_with("Use fewer and larger kernels"));
  CHECK(fix_with_gaps(500'000).str().starts_with("Most of this time is in long gaps"));
  // Only 36 us of a long gap follow the launch of the next work.
  EventFixture events;
  for (std::uint32_t i = 0; i < 10; ++i) {
    const std::int64_t begin = i * kMs;
    events.op("aten::mm", begin, 300'000).launch(begin + 260'000, 4'000, i + 1);
    events.kernel("gemm", begin + 300'000, 700'000, i + 1);
  }
  const Findings findings = findings_of(*events.build());
  REQUIRE(of_kind(findings, FindingKind::launch_gaps) != nullptr);
  CHECK(of_kind(findings, FindingKind::launch_gaps)->fix.str().starts_with("Use fewer and larger kernels"));
}

TEST_CASE("names the call of the launching thread in a long gap") {
  EventFixture events;
  events.op("aten::mm", 0, 10).launch(0, 5, 1).kernel("gemm", 0, kMs, 1);
  events.launch(2 * kMs, 100, 2).kernel("gemm", 460 * kMs, kMs, 2);
  events.slice(TrackClass::cpu, "cuda_runtime", "hipMemcpyWithStream", 2 * kMs + 200, 457 * kMs, "1");
  const Finding* gap = nullptr;
  const Findings findings = findings_of(*events.build());
  gap = of_kind(findings, FindingKind::launch_gaps);
  REQUIRE(gap != nullptr);
  CHECK_MESSAGE(gap->sentence.str().find(
                    "the launching thread spends 99.6 % of the time in hipMemcpyWithStream itself.") !=
                    std::string::npos,
                gap->sentence);
}

TEST_CASE("names the longest gap only if most of it has the finding's cause") {
  EventFixture events;
  events.op("aten::mm", 0, 10).launch(0, 5, 1).kernel("gemm", 0, kMs, 1);
  // The launch takes 60 of the 100 ms of idle time; then its work waits for 40 ms.
  events.launch(kMs, 60 * kMs, 2).kernel("gemm", 101 * kMs, kMs, 2);
  const Findings findings = findings_of(*events.build());
  const Finding* const gap = of_kind(findings, FindingKind::launch_gaps);
  REQUIRE(gap != nullptr);
  CHECK_MESSAGE(gap->sentence.str().find("In the longest gap") == std::string::npos, gap->sentence);
}

TEST_CASE("does not advise torch.compile to a compiled program") {
  const auto fix = [](const char* region) {
    EventFixture events;
    add_profiler_step(events, 0, 0, 100 * kMs);
    for (int i = 0; i < 40; ++i) {
      const std::int64_t work = (2 * i + 1) * kMs;
      const auto correlation = static_cast<std::uint32_t>(i + 1);
      events.op(region, work - kMs, kMs).op("aten::mm", work, 10).launch(work, 5, correlation);
      events.kernel("gemm", work, kMs, correlation);
    }
    return of_kind(findings_of(*events.build()), FindingKind::launch_bound)->fix;
  };
  CHECK(fix("aten::zeros")
            .str()
            .starts_with("Use torch.compile or CUDA graphs to reduce the number of launches"));
  CHECK(
      fix("Torch-Compiled Region: 0/0")
          .str()
          .starts_with("The program is at least partly compiled. Compile the other parts, use CUDA graphs"));
}

TEST_CASE("gives no advice on empty_cache for allocations, and rates a setting as a one-line change") {
  const auto memory_with = [](const char* call) {
    EventFixture events;
    for (int i = 0; i < 20; ++i) {
      const auto correlation = static_cast<std::uint32_t>(i + 1);
      const std::int64_t begin = i * 10 * kMs;
      events.op("aten::mm", begin, 6 * kMs);
      events.slice(TrackClass::cpu, "cuda_runtime", call, begin + 100, 2 * kMs, "1");
      events.slice(TrackClass::cpu, "cuda_runtime", "cudaStreamSynchronize", begin + 3 * kMs, 2 * kMs, "1");
      events.launch(begin + 5 * kMs + 100, 10, correlation)
          .kernel("gemm", begin + 6 * kMs, 4 * kMs, correlation);
    }
    const Findings findings = findings_of(*events.build());
    const Finding* const memory = of_kind(findings, FindingKind::driver_memory);
    REQUIRE(memory != nullptr);
    return *memory;
  };
  const Finding gets = memory_with("cudaMalloc");
  CHECK_MESSAGE(gets.sentence.str().find("Most of this time is in cudaMalloc.") != std::string::npos,
                gets.sentence);
  CHECK(
      gets.fix.str().starts_with("The allocator is still allocating new memory. Warm up before recording."));
  CHECK(gets.effort == kino::Effort::code);
  const Finding frees = memory_with("cudaFree");
  CHECK(frees.fix.str().starts_with("Let the allocator keep its memory. Set expandable_segments:True"));
  CHECK(frees.effort == kino::Effort::line);
}

namespace {

/// Steps of 100 ms with a copy from 10 ms on and a kernel from 60 ms on.
Finding copies_of(const char* copy, std::int64_t copy_ns, std::int64_t kernel_ns,
                  const char* op = "aten::mm") {
  EventFixture events;
  for (int i = 0; i < 3; ++i) {
    const std::int64_t begin = i * 100 * kMs;
    const auto correlation = static_cast<std::uint32_t>(2 * i + 1);
    add_profiler_step(events, i, begin, 100 * kMs);
    events.op(op, begin, 2'000)
        .launch(begin, 1'000, correlation)
        .launch(begin + 1'000, 1'000, correlation + 1);
    events.slice(TrackClass::gpu, "gpu_memcpy", copy, begin + 10 * kMs, copy_ns, "7", correlation);
    events.kernel("gemm", begin + 60 * kMs, kernel_ns, correlation + 1);
  }
  return *of_kind(findings_of(*events.build()), FindingKind::copies);
}

}  // namespace

TEST_CASE("adapts advice on copies to their direction and pinning") {
  const auto of = [](const char* copy) { return copies_of(copy, 20 * kMs, 30 * kMs); };
  const Finding pageable = of("Memcpy HtoD (Pageable -> Device)");
  CHECK(pageable.fix.str().starts_with("pin_memory=True"));
  CHECK(pageable.effort == kino::Effort::line);
  const Finding pinned = of("Memcpy HtoD (Pinned -> Device)");
  CHECK(pinned.fix.str().starts_with("Enqueue the copies earlier on another stream"));
  CHECK(pinned.effort == kino::Effort::code);
  const Finding to_host = of("Memcpy DtoH (Device -> Pageable)");
  CHECK(to_host.fix.str().starts_with(
      "Copy into pinned memory with non_blocking=True and wait for the copies later"));
  CHECK(to_host.effort == kino::Effort::code);
  CHECK(of("Memcpy DtoH (Device -> Pinned)")
            .fix.str()
            .starts_with("Enqueue the copies on another stream and wait"));
}

TEST_CASE("does not advise hiding copies that outlast the compute") {
  const Finding copies = copies_of("Memcpy HtoD (Pageable -> Device)", 40 * kMs, 3 * kMs);
  CHECK(
      copies.fix ==
      "Overlap with compute could hide at most 3 ms of the copies. Copy less, or keep the data on the device.");
  CHECK(copies.effort == kino::Effort::code);
}

TEST_CASE("reports copies and idle time before the first kernel as one-time") {
  EventFixture events;
  for (std::uint32_t i = 0; i < 10; ++i) {
    events.op("aten::copy_", i * 20 * kMs, 20 * kMs).launch(i * 20 * kMs, 10, i + 1);
    events.slice(TrackClass::gpu, "gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", i * 20 * kMs + kMs,
                 10 * kMs, "7", i + 1);
  }
  const std::int64_t begin = 200 * kMs;
  for (std::uint32_t i = 0; i < 100; ++i)
    events.launch(begin + i * 2 * kMs, 10, 100 + i)
        .kernel("gemm", begin + i * 2 * kMs + 20, 2 * kMs, 100 + i);
  const Findings findings = findings_of(*events.build());
  const Finding* const copies = of_kind(findings, FindingKind::copies);
  REQUIRE(copies != nullptr);
  CHECK(copies->won_ns == 100 * kMs);
  CHECK(copies->sentence.str().ends_with(" 100 ms of this time is before the first kernel."));
  CHECK(copies->fix.str().starts_with("Work before the first kernel"));
  const Finding* const late = of_kind(findings, FindingKind::launch_bound);
  REQUIRE(late != nullptr);
  CHECK(late->sentence.str().find(" of this time is before the first kernel.") != std::string::npos);
}
