// Conditions as they are written, and what they say of runs made up by hand.
#include "core/compare/gate.hpp"

#include <doctest/doctest.h>

namespace {

/// Steps of some lengths, all of one kernel.
kino::RunRecord run_of(const std::vector<std::int64_t>& lengths_ns, std::int64_t kernels,
                       const char* gpu = "G") {
  kino::RunRecord run;
  run.facts.gpus = {gpu};
  run.facts.gpu_work = 1;
  run.rows.push_back(
      {kino::LedgerCause::compute, "void gemm<4>(int)", "aten::mm", "[[2, 2]]", "Net > Linear", {}});
  std::int64_t at = 0;
  for (const std::int64_t length : lengths_ns) {
    const auto window = static_cast<std::uint32_t>(run.windows.size());
    run.windows.push_back({std::to_string(window), {at, at + length}, {}, {}, {}});
    run.windows.back().causes[static_cast<std::size_t>(kino::LedgerCause::compute)] = length;
    run.rows.front().cells.push_back({window, length, kernels});
    at += length;
  }
  return run;
}

kino::GateResult result_of(const char* text, const kino::RunRecord& a, const kino::RunRecord& b) {
  const auto condition = kino::parse_gate(text);
  REQUIRE(condition.ok());
  return kino::check_gate(condition.value(), a, b, kino::compare_runs(a, b, {})).result;
}

}  // namespace

TEST_CASE("a gate on the share of the peak fails when it falls, and is undecided where it is not known") {
  const auto run_of = [](std::int64_t ppm) {
    kino::RunRecord run;
    for (std::int64_t i = 0; i < 6; ++i) {
      kino::RunWindow& window = run.windows.emplace_back();
      window.range = {100 * i, 100 * i + 90};
      window.counts.mfu_ppm = ppm < 0 ? ppm : ppm + 100 * i;
    }
    return run;
  };
  const auto outcome = [&](const char* text, std::int64_t a, std::int64_t b) {
    const auto condition = kino::parse_gate(text);
    REQUIRE(condition.ok());
    const kino::RunRecord run_a = run_of(a);
    const kino::RunRecord run_b = run_of(b);
    return kino::check_gate(condition.value(), run_a, run_b, kino::compare_runs(run_a, run_b, {})).result;
  };
  CHECK(outcome("mfu<-2%", 400'000, 380'000) == kino::GateResult::failed);
  CHECK(outcome("mfu<-2%", 400'000, 399'000) == kino::GateResult::passed);
  CHECK(outcome("mfu<-2%", 400'000, 420'000) == kino::GateResult::passed);
  CHECK(outcome("mfu<-2%", 400'000, -1) == kino::GateResult::inconclusive);
  CHECK_FALSE(kino::parse_gate("mfu<-2ms").ok());
  CHECK_FALSE(kino::parse_gate("mfu{gemm}<-2%").ok());
}

TEST_CASE("a condition is a metric, a filter, an operator and a value with its unit") {
  const auto condition = kino::parse_gate("kernel_time{gemm operator:aten::mm} >= +2.5 %");
  REQUIRE(condition.ok());
  CHECK(condition.value().metric == kino::GateMetric::kernel_time);
  CHECK(condition.value().filter == "gemm operator:aten::mm");
  CHECK(condition.value().above);
  CHECK(condition.value().equal_too);
  CHECK(condition.value().value == 2.5);
  CHECK(condition.value().unit == kino::GateUnit::percent);
  CHECK(kino::parse_gate("idle:host<-1ms").value().value == -1);
  for (const char* const wrong : {"", "step", "step>", "step>two", "nothing>1%", "kernels>1ms", "step{a}>1%",
                                  "step>1", "kernels{a>1", "kernels{/(/}>1", "memory_peak>1 furlong"})
    CHECK_FALSE(kino::parse_gate(wrong).ok());
}

TEST_CASE("a time fails when it is beyond and significant, and is undecided when it is beyond alone") {
  const kino::RunRecord a = run_of({100, 101, 99, 102, 98, 103}, 1);
  const kino::RunRecord slow = run_of({120, 121, 119, 122, 118, 123}, 1);
  const kino::RunRecord noisy = run_of({100, 140, 80, 150, 97, 104}, 1);
  CHECK(result_of("step>+5%", a, slow) == kino::GateResult::failed);
  CHECK(result_of("compute>+5%", a, slow) == kino::GateResult::failed);
  CHECK(result_of("step>+30%", a, slow) == kino::GateResult::passed);
  CHECK(result_of("step>+5%", a, noisy) == kino::GateResult::inconclusive);
  CHECK(result_of("step>+5%", run_of({100, 100}, 1), run_of({200, 200}, 1)) ==
        kino::GateResult::inconclusive);
}

TEST_CASE("a count fails when it is beyond, with any number of steps, of what the filter means") {
  const kino::RunRecord a = run_of({100}, 4);
  const kino::RunRecord b = run_of({100}, 5);
  CHECK(result_of("kernels>0", a, b) == kino::GateResult::failed);
  CHECK(result_of("kernels{operator:aten::mm}>0", a, b) == kino::GateResult::failed);
  CHECK(result_of("kernels{operator:aten::copy_}>0", a, b) == kino::GateResult::passed);
  CHECK(result_of("kernels{/^void GEMM/ module:linear}>=1", a, b) == kino::GateResult::failed);
  CHECK(result_of("memory_peak>+2%", a, b) == kino::GateResult::inconclusive);
}

TEST_CASE("runs on other GPUs are refused, and compared when forced") {
  const kino::RunRecord a = run_of({100, 101, 99, 102}, 1, "NVIDIA A100");
  const kino::RunRecord b = run_of({200, 201, 199, 202}, 1, "Tesla V100");
  CHECK(kino::compare_runs(a, b, {}).verdict == kino::RunVerdict::not_comparable);
  kino::CompareOptions forced;
  forced.force = true;
  CHECK(kino::compare_runs(a, b, forced).verdict == kino::RunVerdict::slower);
  CHECK(kino::compare_runs(a, b, {}).lines(kino::CheckResult::refuses) ==
        std::vector<std::string>{"other GPU: ['NVIDIA A100'], ['Tesla V100']"});
}

TEST_CASE("of ranks the slowest of each step decides, and of runs the median step stands for each") {
  kino::RunRecord first = run_of({100, 300}, 1);
  kino::RunRecord second = run_of({200, 250}, 2);
  first.facts.rank = 0;
  second.facts.rank = 1;
  std::vector<std::uint32_t> deciding;
  const kino::RunRecord job = kino::record_of_ranks({first, second}, &deciding);
  CHECK(deciding == std::vector<std::uint32_t>{1, 0});
  REQUIRE(job.windows.size() == 2);
  CHECK(job.windows[0].length_ns() == 200);
  CHECK(job.windows[0].name == "0, rank 1");
  CHECK(job.windows[1].length_ns() == 300);
  REQUIRE(job.rows.size() == 1);
  CHECK(job.rows[0].cells[0].instances == 2);
  const kino::RunRecord runs = kino::record_of_runs({run_of({5, 1, 3}, 1), run_of({4, 8}, 1)});
  REQUIRE(runs.windows.size() == 2);
  CHECK(runs.windows[0].length_ns() == 3);
  CHECK(runs.windows[1].length_ns() == 4);
}

TEST_CASE("sums are exact: rows add up to causes, and the effects of count and speed to the change") {
  const kino::RunComparison it = kino::compare_runs(run_of({100, 101, 99}, 3), run_of({130, 130}, 4), {});
  REQUIRE(it.rows.size() == 1);
  CHECK(it.rows[0].change == 260 * 3 - 300 * 2);
  CHECK(it.step_change == it.rows[0].change);
  CHECK(it.rows[0].count_effect == (8 * 3 - 9 * 2) * 300 / 9);
  CHECK(it.rows[0].count_effect + it.rows[0].speed_effect() == it.rows[0].change);
}
