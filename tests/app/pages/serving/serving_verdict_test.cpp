// Covers: serving_verdict, serving_panel, iteration_plot, serving_lists, part_chart
// Sentences of the page, and the computation on the pool.
#include "app/pages/serving/serving_verdict.hpp"

#include <cstdint>
#include <memory>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "app/pages/serving/serving_panel.hpp"
#include "core/base/worker_pool.hpp"
#include "tests/fixtures/engine_fixture.hpp"
#include "tests/fixtures/eventually.hpp"

using kino_test::EngineFixture;

namespace {

constexpr std::int64_t kEngineUs = 1'000;

std::shared_ptr<const kino::ServingContent> serving_of(EngineFixture& engine) {
  return kino::serving_content(engine.build(), {});
}

bool has_part(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("requests of a group are the range up to its power of two") {
  CHECK(kino::requests_text(0).empty());
  CHECK(kino::requests_text(1) == "1");
  CHECK(kino::requests_text(2) == "2");
  CHECK(kino::requests_text(4) == "3–4");
  CHECK(kino::requests_text(16) == "9–16");
}

TEST_CASE("the headline names the time of stalls, and the evidence the main group") {
  EngineFixture engine;
  engine.decode(3).prefill(200 * kEngineUs).decode(4);
  const auto content = serving_of(engine);
  CHECK(kino::serving_headline(*content) ==
        "Prefill stalls decode for 200 µs of 800 µs (25.0 %), up to 200 µs at once");
  const std::string evidence = kino::serving_evidence(*content);
  CHECK(has_part(evidence, "Median window (decode, requests: 3–4): 100 µs."));
  CHECK(has_part(evidence, "Matrix products"));
}

TEST_CASE("the headline names idle time of decode, and otherwise the largest part") {
  EngineFixture idle;
  idle.decode(5, 75 * kEngineUs);
  CHECK(kino::serving_headline(*serving_of(idle)) ==
        "The GPU is idle for 25.0 % of decode: 100 µs of 400 µs");
  EngineFixture busy;
  busy.decode(5);
  CHECK(kino::serving_headline(*serving_of(busy)) ==
        "Largest part (decode, requests: 3–4): Matrix products, 400 µs of 400 µs (100 %)");
}

TEST_CASE("the text of an iteration has its phase, sizes, window, stall and parts") {
  EngineFixture engine;
  engine.decode(3).prefill(200 * kEngineUs).decode(4);
  const auto content = serving_of(engine);
  const std::string prefill = kino::iteration_text(*content, 3);
  CHECK(has_part(prefill, "Iteration 3\n"));
  CHECK(has_part(prefill, "prefill\nRequests: 2\nTokens: 200\nLaunched by: eager\n"));
  CHECK(has_part(prefill, "Window: 200 µs"));
  CHECK(has_part(prefill, "Stall: 200 µs\n"));
  CHECK(has_part(prefill, "Matrix products: 200 µs (100 %)"));
  const std::string last = kino::iteration_text(*content, 7);
  CHECK(has_part(last, "Left out: cut by the end of the recording"));
  CHECK(kino::left_out_lines(*content) == "Cut by the end of the recording: 1");
}

TEST_CASE("without iterations, the page has the reason and says how to record them") {
  EngineFixture none;
  const auto content = serving_of(none);
  CHECK(has_part(kino::serving_headline(*content), "No iterations"));
  CHECK(kino::serving_evidence(*content).empty());
  const std::string advice = kino::serving_advice(*content);
  CHECK(has_part(advice, "record_function"));
  CHECK(has_part(advice, "vLLM"));
  CHECK(has_part(advice, "SGLang"));
}

TEST_CASE("training has no advice on how to record iterations") {
  kino::ServingContent content;
  content.iterations.reason = kino::NoIterations::training;
  content.iterations.training = {kino::TrainingSign::Kind::name, "Optimizer.step#SGD.step"};
  CHECK(has_part(kino::serving_headline(content), "Optimizer.step#SGD.step"));
  CHECK(kino::serving_advice(content).empty());
}

TEST_CASE("the page finds iterations on the pool") {
  EngineFixture engine;
  engine.decode(3).prefill(200 * kEngineUs).decode(4);
  kino::WorkerPool pool(1);
  kino::ServingPanel panel(engine.build(), pool, [] {});
  nlohmann::ordered_json state;
  panel.write_test_state(state);
  CHECK(state.at("computed") == false);
  REQUIRE(kino_test::eventually([&] {
    panel.poll();
    return panel.complete();
  }));
  panel.write_test_state(state);
  CHECK(state.at("computed") == true);
  CHECK(state.at("iterations") == 8);
  CHECK(state.at("used") == 7);
  CHECK(state.at("stalls").size() == 1);
  CHECK(state.at("stalls")[0].at("ns") == 200 * kEngineUs);
}
