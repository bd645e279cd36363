// Covers: gate, row_filter, comparability, run_comparison
// Conditions in the syntax of the command line, and their results for synthetic runs.
#include "core/tables/compare/gate.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "core/tables/compare/comparability.hpp"

namespace {

/// Steps with the given lengths, each filled by one kernel.
kino::RunRecord run_of(const std::vector<std::int64_t>& lengths_ns, std::int64_t kernels,
                       const char* gpu = "G") {
  kino::RunRecord run;
  run.facts.gpus = {gpu};
  run.facts.gpu_work = 1;
  run.rows.push_back(
      {kino::TimeCategory::compute, "void gemm<4>(int)", "aten::mm", "[[2, 2]]", "Net > Linear", {}});
  std::int64_t at = 0;
  for (const std::int64_t length : lengths_ns) {
    const auto window = static_cast<std::uint32_t>(run.windows.size());
    run.windows.push_back({std::to_string(window), {at, at + length}, {}, {}, {}, {}});
    run.windows.back().causes[static_cast<std::size_t>(kino::TimeCategory::compute)] = length;
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

TEST_CASE("fails on a lower share of the peak, and is inconclusive if it is unknown") {
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
  for (const char* memory : {"kernels{line:train.py}>0", "compute{category:gradients}>2%"}) {
    const auto condition = kino::parse_gate(memory);
    REQUIRE_FALSE(condition.ok());
    CHECK(condition.error().what.str().find("operator:, shape:, module:, kind:") != std::string::npos);
  }
  CHECK(kino::parse_gate_parts("peak{category:gradients}>+1MB", kino::kMemoryFields).ok());
  CHECK_FALSE(kino::parse_gate_parts("peak{operator:aten::mm}>+1MB", kino::kMemoryFields).ok());
}

TEST_CASE("gates rows of the step ledger, the ceiling and the hardware utilization") {
  const auto run_of = [](std::int64_t python_ns, std::int64_t ppm) {
    kino::RunRecord run;
    run.facts.gpu_work = 1;
    for (std::int64_t i = 0; i < 6; ++i) {
      kino::RunWindow& window = run.windows.emplace_back();
      window.range = {0, python_ns + 10'000'000 + i};
      window.counts.hfu_ppm = ppm < 0 ? ppm : ppm + i;
      kino::StepTimes& times = window.ledger.emplace();
      times[kino::StepRow::idle_python] = python_ns + i;
      times[kino::StepRow::matrix_peak] = 6'000'000;
      times[kino::StepRow::matrix_loss] = 4'000'000;
    }
    return run;
  };
  const kino::RunRecord a = run_of(1'000'000, 500'000);
  const kino::RunRecord slow = run_of(4'000'000, 400'000);
  CHECK(result_of("ledger:idle:python>+2ms", a, slow) == kino::GateResult::failed);
  CHECK(result_of("ledger:idle:python>+4ms", a, slow) == kino::GateResult::passed);
  CHECK(result_of("ledger:matrix:loss>+1%", a, slow) == kino::GateResult::passed);
  CHECK(result_of("ceiling>+1%", a, slow) == kino::GateResult::passed);
  CHECK(result_of("hfu<-2%", a, slow) == kino::GateResult::failed);
  CHECK(result_of("hfu<-2%", a, run_of(1'000'000, -1)) == kino::GateResult::inconclusive);
  for (const char* const wrong : {"ledger:idle:host>1ms", "ledger:>1ms", "ledger:ROW>1ms", "ledger>1ms",
                                  "hfu<-2ms", "ledger:copy{gemm}>1ms", "ceiling>1"})
    CHECK_FALSE(kino::parse_gate(wrong).ok());
  const auto rows = kino::compare_runs(a, slow, {}).ledger;
  REQUIRE(rows.size() == 3);
  CHECK(rows[2].row == kino::StepRow::idle_python);
  CHECK(rows[2].change == 36 * std::int64_t{3'000'000});
}

TEST_CASE("without a step ledger, the result is inconclusive and names the side and the reason") {
  kino::RunRecord older;
  older.windows.resize(6);
  older.facts.gpu_work = 1;
  kino::RunRecord whole = older;
  for (kino::RunWindow& window : whole.windows) window.ledger.emplace();
  const auto condition = kino::parse_gate("ledger:copy>1ms");
  REQUIRE(condition.ok());
  const auto sentence = [&](const kino::RunRecord& a, const kino::RunRecord& b) {
    const auto outcome = kino::check_gate(condition.value(), a, b, kino::compare_runs(a, b, {}));
    CHECK(outcome.result == kino::GateResult::inconclusive);
    return outcome.sentence.str();
  };
  CHECK(sentence(older, whole).find("the record of A contains no step ledger") != std::string::npos);
  kino::RunRecord of_cpu = older;
  of_cpu.facts.gpu_work = 0;
  CHECK(sentence(whole, of_cpu).find("B contains no GPU work") != std::string::npos);
  CHECK(kino::reason_without_ledger(whole, whole).empty());
  CHECK(kino::compare_runs(older, whole, {}).ledger.empty());
}

TEST_CASE("distinguishes runs without shapes from runs whose operators with shapes differ") {
  const auto outcome_of = [](const kino::RunRecord& a, const kino::RunRecord& b) {
    for (const kino::RunCheck& check : kino::run_checks(a, b, 1, false, nullptr)) {
      if (check.kind == kino::RunCheckKind::shapes) return check.outcome.str();
    }
    return std::string();
  };
  kino::RunRecord a;
  a.facts.shapes["aten::mm"] = {1};
  kino::RunRecord b;
  CHECK(outcome_of(a, b) == "Not recorded in at least one of the runs");
  b.facts.shapes["aten::conv2d"] = {1};
  CHECK(outcome_of(a, b) == "The runs have no operator with shapes in common");
  b.facts.shapes["aten::mm"] = {1};
  CHECK(outcome_of(a, b) == "1 of 1 common operators share a shape");
}

TEST_CASE("parses a condition: metric, filter, operator, value and unit") {
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

TEST_CASE("fails on significant times beyond the limit, and is inconclusive on others") {
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

TEST_CASE("fails on counts beyond the limit, with any number of steps and a filter") {
  const kino::RunRecord a = run_of({100}, 4);
  const kino::RunRecord b = run_of({100}, 5);
  CHECK(result_of("kernels>0", a, b) == kino::GateResult::failed);
  CHECK(result_of("kernels{operator:aten::mm}>0", a, b) == kino::GateResult::failed);
  CHECK(result_of("kernels{operator:aten::copy_}>0", a, b) == kino::GateResult::passed);
  CHECK(result_of("kernels{/^void GEMM/ module:linear}>=1", a, b) == kino::GateResult::failed);
  CHECK(result_of("memory_peak>+2%", a, b) == kino::GateResult::inconclusive);
}

TEST_CASE("refuses runs on other GPUs, and compares them if forced") {
  const kino::RunRecord a = run_of({100, 101, 99, 102}, 1, "NVIDIA A100");
  const kino::RunRecord b = run_of({200, 201, 199, 202}, 1, "Tesla V100");
  CHECK(kino::compare_runs(a, b, {}).verdict == kino::RunVerdict::not_comparable);
  kino::CompareOptions forced;
  forced.force = true;
  CHECK(kino::compare_runs(a, b, forced).verdict == kino::RunVerdict::slower);
  CHECK(kino::compare_runs(a, b, {}).lines(kino::CheckResult::refuses) ==
        std::vector<kino::Message>{"other GPU: ['NVIDIA A100'], ['Tesla V100']"});
}

TEST_CASE("uses the median step of each of several runs") {
  const kino::RunRecord runs = kino::record_of_runs({run_of({5, 1, 3}, 1), run_of({4, 8}, 1)});
  REQUIRE(runs.windows.size() == 2);
  CHECK(runs.windows[0].length_ns() == 3);
  CHECK(runs.windows[1].length_ns() == 4);
}

TEST_CASE("chooses the step with the least sum of distances by cause as typical") {
  kino::RunRecord run = run_of({100, 100, 100, 100, 100}, 1);
  // Equally long steps with two causes: the typical step is neither the first nor the last.
  const std::vector<std::int64_t> waits{0, 90, 40, 38, 10};
  for (std::size_t i = 0; i < waits.size(); ++i) {
    run.windows[i].causes[static_cast<std::size_t>(kino::TimeCategory::compute)] = 100 - waits[i];
    run.windows[i].causes[static_cast<std::size_t>(kino::TimeCategory::comm)] = waits[i];
  }
  CHECK(kino::typical_window(run) == 3);
  CHECK(kino::typical_window(run_of({7, 7, 7}, 1)) == 0);  // the earliest of equals
  CHECK(kino::typical_window(run_of({7}, 1)) == 0);
  // Compared with brute force on random steps.
  std::uint64_t state = 7;
  for (int round = 0; round < 20; ++round) {
    kino::RunRecord made = run_of(std::vector<std::int64_t>(9, 1), 1);
    for (kino::RunWindow& window : made.windows) {
      for (std::int64_t& ns : window.causes)
        ns = static_cast<std::int64_t>((state = state * 6364136223846793005U + 1) >> 59U);
    }
    std::uint32_t best = 0;
    std::int64_t least = -1;
    for (std::uint32_t i = 0; i < made.windows.size(); ++i) {
      std::int64_t sum = 0;
      for (const kino::RunWindow& other : made.windows) {
        for (std::size_t cause = 0; cause < kino::kTimeCategoryCount; ++cause)
          sum += std::abs(made.windows[i].causes[cause] - other.causes[cause]);
      }
      if (least < 0 || sum < least) {
        least = sum;
        best = i;
      }
    }
    CHECK(kino::typical_window(made) == best);
  }
}

TEST_CASE("gives no shares of a change within the noise or of causes that cancel out") {
  const auto run = [](std::int64_t compute_ns, std::int64_t comm_ns) {
    kino::RunRecord made = run_of(std::vector<std::int64_t>(4, compute_ns + comm_ns), 1);
    for (kino::RunWindow& window : made.windows) {
      window.causes[static_cast<std::size_t>(kino::TimeCategory::compute)] = compute_ns;
      window.causes[static_cast<std::size_t>(kino::TimeCategory::comm)] = comm_ns;
    }
    return made;
  };
  const auto shares = [&](std::int64_t compute_ns, std::int64_t comm_ns) {
    const kino::RunComparison it = kino::compare_runs(run(800, 200), run(compute_ns, comm_ns), {});
    return it.share_of_change(it.waterfall[1].change);
  };
  CHECK(shares(860, 180) == doctest::Approx(1.5));  // compute changes by +60, the step by +40
  CHECK_FALSE(shares(900, 120).has_value());        // +100, and the step by +20
  CHECK_FALSE(shares(804, 200).has_value());        // 0.4 % of the step
  CHECK_FALSE(shares(800, 200).has_value());
}

TEST_CASE("sums exactly: rows to causes, and effects of count and speed to the change") {
  const kino::RunComparison it = kino::compare_runs(run_of({100, 101, 99}, 3), run_of({130, 130}, 4), {});
  REQUIRE(it.rows.size() == 1);
  CHECK(it.rows[0].change == 260 * 3 - 300 * 2);
  CHECK(it.step_change == it.rows[0].change);
  CHECK(it.rows[0].count_effect == (8 * 3 - 9 * 2) * 300 / 9);
  CHECK(it.rows[0].count_effect + it.rows[0].speed_effect() == it.rows[0].change);
}

TEST_CASE("joins the rows of data loaders with and without workers, if requested") {
  const auto loading = [](const char* iterator) {
    kino::RunRecord run = run_of({100, 100}, 1);
    run.rows.push_back({kino::TimeCategory::cpu, iterator, iterator, "", "", {}});
    for (std::uint32_t window = 0; window < 2; ++window) run.rows.back().cells.push_back({window, 20, 1});
    return run;
  };
  const kino::RunRecord alone = loading("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__");
  const kino::RunRecord workers = loading("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__");
  CHECK(kino::compare_runs(alone, workers, {}).rows.size() == 3);
  kino::CompareOptions options;
  options.join_loaders = true;
  const kino::RunComparison joined = kino::compare_runs(alone, workers, options);
  REQUIRE(joined.rows.size() == 2);
  CHECK(joined.statuses[static_cast<std::size_t>(kino::RowStatus::added)] == 0);
  CHECK(joined.key_of(alone.rows.back()) == "enumerate(DataLoader)#__next__");
  const kino::RunComparison same = kino::compare_runs(alone, alone, options);
  CHECK(same.key_of(alone.rows.back()) == alone.rows.back().name);  // one iterator keeps its name
}
