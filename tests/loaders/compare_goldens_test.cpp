// Covers: run_comparison, comparability, recording_settings
// Pairs of real runs against an independent implementation of the same definitions.
#include <cmath>
#include <cstdio>
#include <fstream>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/tables/compare/run_comparison.hpp"
#include "loaders/cache/open_options.hpp"
#include "loaders/formats/chrome_trace/recording_settings.hpp"
#include "loaders/formats/open.hpp"
#include "tests/fixtures/real_data.hpp"

namespace {

using nlohmann::json;

struct Pair {
  const char* golden;
  const char* a;
  const char* b;
  kino::RunSelection select_a;
  kino::RunSelection select_b;
  /// The golden file counts a part of the gaps before queued kernels as idle:host. This contradicts its own
  /// definition, because the call that launches them has begun. The sum of both causes is equal.
  bool queued_as_host = false;
};

kino::RunSelection steps(std::int64_t first, std::int64_t end) {
  kino::RunSelection selection;
  selection.first_step = first;
  selection.end_step = end;
  return selection;
}

kino::RunRecord record_of(const std::filesystem::path& path, const kino::RunSelection& selection) {
  kino::OpenOptions options;
  options.cache.look = false;
  kino::LoadProgress progress;
  const auto opened = kino::open_trace(path, options, progress, {});
  REQUIRE(opened.ok());
  const kino::Trace& trace = *opened.value().trace;
  const kino::TimeAttribution ledger(trace, kino::attributed_thread(trace));
  kino::RunRecord record = kino::run_record(trace, ledger, selection);
  if (opened.value().text) record.facts.settings = kino::recording_settings(*opened.value().text);
  record.name = path.filename().string();
  // The causes of each window add up to its length, and the rows of each cause add up to the cause.
  kino::CauseTimes of_rows{};
  kino::CauseTimes of_windows{};
  for (const kino::RunWindow& window : record.windows) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < kino::kTimeCategoryCount; ++i) {
      sum += window.causes[i];
      of_windows[i] += window.causes[i];
    }
    CHECK(sum == window.length_ns());
  }
  for (const kino::RunRow& row : record.rows) {
    for (const kino::RunCell& cell : row.cells) of_rows[static_cast<std::size_t>(row.cause)] += cell.ns;
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(kino::TimeCategory::idle_host); ++i)
    CHECK(of_rows[i] == of_windows[i]);
  return record;
}

/// `wanted` is null for unknown values.
bool close(double is, const json& wanted, double most) {
  if (wanted.is_null()) return std::isnan(is);
  return std::abs(is - wanted.get<double>()) <= most;
}

void check_causes(const kino::RunComparison& is, const json& golden, bool queued_as_host) {
  std::int64_t idle = 0;
  std::int64_t wanted_idle = 0;
  for (std::size_t i = 0; i < is.waterfall.size(); ++i) {
    const json& wanted = golden["waterfall"][i];
    const kino::TimeCategory cause = is.waterfall[i].cause;
    CHECK(text_of(cause) == wanted["cause"].get<std::string>());
    if (queued_as_host &&
        (cause == kino::TimeCategory::idle_host || cause == kino::TimeCategory::idle_launch)) {
      idle += is.waterfall[i].change;
      wanted_idle += wanted["change_of_mean_x_na_nb"].get<std::int64_t>();
      continue;
    }
    CHECK(is.waterfall[i].sum_a == wanted["sum_a"]);
    CHECK(is.waterfall[i].sum_b == wanted["sum_b"]);
    CHECK(is.waterfall[i].change == wanted["change_of_mean_x_na_nb"]);
    CHECK(close(is.waterfall[i].p, wanted["p"], 1e-9));
  }
  CHECK(idle == wanted_idle);
}

void check_rows(const kino::RunComparison& is, const json& golden) {
  REQUIRE(is.rows.size() == golden["rows_total"].get<std::size_t>());
  std::map<std::pair<std::string, std::string>, const kino::ComparedRow*> by_key;
  for (const kino::ComparedRow& row : is.rows) by_key[{std::string(text_of(row.cause)), row.key}] = &row;
  for (const json& wanted : golden["rows"]) {
    const std::string key = wanted["key"];
    CAPTURE(key);
    const auto found = by_key.find({wanted["cause"], key});
    REQUIRE(found != by_key.end());
    const kino::ComparedRow& row = *found->second;
    CHECK(row.count_a == wanted["n_a"]);
    CHECK(row.count_b == wanted["n_b"]);
    CHECK(row.sum_a == wanted["sum_a"]);
    CHECK(row.sum_b == wanted["sum_b"]);
    CHECK(row.change == wanted["change_x_na_nb"]);
    CHECK(row.count_effect == wanted["count_effect"]);
    CHECK(row.speed_effect() == wanted["speed_effect"]);
    CHECK(close(row.p, wanted["p"], 1e-9));
    CHECK(close(row.q, wanted["q"], 1e-9));
    CHECK(kino::english(text_of(row.status)) == wanted["status"].get<std::string>());
  }
}

void check_pair(const Pair& pair, kino::RunKey key) {
  const auto golden_path = kino_test::real_data(std::string("golden/diff/") + pair.golden + ".json");
  const auto path_a = kino_test::real_data(std::string("kineto/") + pair.a);
  const auto path_b = kino_test::real_data(std::string("kineto/") + pair.b);
  if (!golden_path || !path_a || !path_b) return;
  CAPTURE(pair.golden);
  const json golden = json::parse(std::ifstream(*golden_path));
  const kino::RunRecord a = record_of(*path_a, pair.select_a);
  const kino::RunRecord b = record_of(*path_b, pair.select_b);
  kino::CompareOptions options;
  options.key = key;
  const kino::RunComparison is = kino::compare_runs(a, b, options);
  CHECK(json{a.stubs_left_out, b.stubs_left_out} == golden["stub_steps_left_out"]);
  if (golden.contains("first_steps_left_out"))
    CHECK(json{*a.first_left_out, *b.first_left_out} == golden["first_steps_left_out"]);
  CHECK(is.steps_a == golden["steps_a"].get<std::vector<std::int64_t>>());
  CHECK(is.steps_b == golden["steps_b"].get<std::vector<std::int64_t>>());
  const json& step = golden["step"];
  CHECK(is.step.mean_a == doctest::Approx(step["mean_a"].get<double>()).epsilon(1e-12));
  CHECK(is.step.mean_b == doctest::Approx(step["mean_b"].get<double>()).epsilon(1e-12));
  CHECK(close(is.step.change, step["change"], 1e-12));
  CHECK(close(is.step.p, step["p"], 1e-9));
  CHECK(close(is.step.low, step["low"], 1e-12));
  CHECK(close(is.step.high, step["high"], 1e-12));
  CHECK(close(is.step.detectable, step["mdc"], 1e-12));
  CHECK(is.verdict_text() == golden["verdict"].get<std::string>());
  CHECK(is.step_change == golden["step_change_of_mean_x_na_nb"]);
  REQUIRE(is.waterfall.size() == golden["waterfall"].size());
  check_causes(is, golden, pair.queued_as_host);
  CHECK(close(is.similarity, golden["similarity"], 1e-12));
  CHECK(is.shapes.sharing == golden["operators_with_a_shape_in_common"][0]);
  CHECK(is.shapes.both == golden["operators_with_a_shape_in_common"][1]);
  CHECK(kino::english_texts(is.lines(kino::CheckResult::refuses)) ==
        golden["refused"].get<std::vector<std::string>>());
  CHECK(is.paired.has_value() == !golden["paired"].is_null());
  if (is.paired && !golden["paired"].is_null()) {
    CHECK(close(is.paired->p, golden["paired"]["p"], 1e-9));
    CHECK(close(is.paired->change, golden["paired"]["change"], 1e-12));
    CHECK(close(is.paired->low, golden["paired"]["low"], 1e-12));
    CHECK(close(is.paired->high, golden["paired"]["high"], 1e-12));
  }
  if (golden.contains("step_correlation")) {
    REQUIRE(is.step_correlation.has_value());
    CHECK(close(*is.step_correlation, golden["step_correlation"], 1e-12));
  }
  CHECK((is.by_pairs ? "paired" : "unpaired") == golden["test"].get<std::string>());
  for (const auto& [status, count] : golden["statuses"].items()) {
    for (std::size_t i = 0; i < kino::kRowStatusCount; ++i) {
      if (kino::english(text_of(static_cast<kino::RowStatus>(i))) == status) CHECK(is.statuses[i] == count);
    }
  }
  check_rows(is, golden);
}

}  // namespace

TEST_CASE("in a step of two ranks, the communication wait of one is the idle time of the other" *
          doctest::test_suite("serial")) {
  check_pair({"aa_torchtitan_rank1_rank2",
              "torchtitan-4rank-runB/rank000001_trace.json.gz",
              "torchtitan-4rank-runB/rank000002_trace.json.gz",
              {},
              {}},
             kino::RunKey::name);
}

TEST_CASE("halves of one run of the CPU have no significant change" * doctest::test_suite("serial")) {
  check_pair({"aa_transformer_long", "torch-1.13-cpu/transformer_train_long.json.gz",
              "torch-1.13-cpu/transformer_train_long.json.gz", steps(0, 15), steps(15, 30)},
             kino::RunKey::name);
}

TEST_CASE("another implementation of a layer is compared by its operators" * doctest::test_suite("serial")) {
  check_pair(
      {"ab_ao_ref_syncless", "pytorch-ao/ref_ep_moe_fwd.json", "pytorch-ao/syncless_ep_moe_fwd.json", {}, {}},
      kino::RunKey::op);
}

TEST_CASE("three CPU steps per side are undecided" * doctest::test_suite("serial")) {
  check_pair({"ab_mlp_workers_0_2",
              "torch-1.13-cpu/mlp_train_workers0.json.gz",
              "torch-1.13-cpu/mlp_train_workers2.json.gz",
              {},
              {}},
             kino::RunKey::name);
  check_pair({"ab_transformer_stack_nostack",
              "torch-1.13-cpu/transformer_train.json.gz",
              "torch-1.13-cpu/transformer_train_nostack.json.gz",
              {},
              {}},
             kino::RunKey::name);
}

TEST_CASE("workers of the data loader make a run faster, by their wait alone" *
          doctest::test_suite("serial")) {
  check_pair({"ab_resnet50_workers_0_4",
              "kineto/samples_resnet50_num_workers_0__worker0.pt.trace.json.gz",
              "kineto/samples_resnet50_num_workers_4__worker0.pt.trace.json.gz",
              {},
              {},
              true},
             kino::RunKey::name);
}

TEST_CASE("later steps of one process wait less for data, and no kernel is flagged" *
          doctest::test_suite("serial")) {
  check_pair({"ab_v100_8772_5_16",
              "kineto/worker0.1623143089861.pt.trace.json.gz",
              "kineto/worker0.1623143566756.pt.trace.json.gz",
              {},
              {},
              true},
             kino::RunKey::name);
}

TEST_CASE("runs on GPUs of two makers are not comparable" * doctest::test_suite("serial")) {
  check_pair({"refuse_h100_mi300_qwen",
              "tracelens/traces_h100__Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz",
              "tracelens/traces_mi300__Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz",
              {},
              {}},
             kino::RunKey::name);
}
