// Covers: forecast_texts, critical_panel, path_lanes, path_table, forecast_list, setting_sliders
// Titles of settings, numbers that are not finer than their range, and the verdict.
#include "app/pages/critical/forecast_texts.hpp"

#include <memory>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "app/pages/critical/critical_panel.hpp"
#include "core/base/worker_pool.hpp"
#include "tests/fixtures/event_fixture.hpp"
#include "tests/fixtures/eventually.hpp"
#include "tests/fixtures/findings_fixture.hpp"

namespace {

using kino::kMs;

nlohmann::ordered_json state_of(const kino::CriticalPanel& panel) {
  nlohmann::ordered_json json;
  panel.write_test_state(json);
  return json;
}

}  // namespace

TEST_CASE("a setting has the title of its cost and the meaning of its factor") {
  CHECK(kino::changed_setting_title("loader=0") == "Data loader: no time");
  CHECK(kino::changed_setting_title("compute=0.5") == "Compute kernels: 2x faster");
  CHECK(kino::changed_setting_title("copy=0.75") == "Copies: time x 0.75");
  CHECK(kino::changed_setting_title("graphs") == "All launches in CUDA or HIP graphs");
  CHECK(kino::changed_setting_title("rank:2=median") == "Rank 2 like the median");
  CHECK(kino::changed_setting_title("kernel:gemm\\.v2=0.5") == "Kernels named gemm.v2: 2x faster");
  CHECK(kino::changed_setting_title("unknown=x") == "unknown=x");
}

TEST_CASE("changes have no digit finer than their error") {
  CHECK(kino::change_text(-14'273'000, 771'000, 77 * kMs) == "-14.3 ms");
  CHECK(kino::change_text(-14'273'000, 2 * kMs, 77 * kMs) == "-14 ms");
  CHECK(kino::change_text(-300'000, 2 * kMs, 77 * kMs) == "0 ms");
  CHECK(kino::change_text(1'234'567'000, 100 * kMs, 30'000 * kMs) == "+1.2 s");
  CHECK(kino::change_text(-45, 3, 400) == "-45 ns");
  CHECK(kino::change_share_text(-14'273'000, 771'000, 77 * kMs) == "-19 %");
  CHECK(kino::forecast_length_text(62'827'000, 771'000, 77 * kMs) == "62.8 ms");
}

TEST_CASE("the verdict names the largest part of the path, and what is missing") {
  kino::EventFixture events;
  events.op("aten::mm", 0, 40'000).launch(10'000, 10'000, 1).kernel("gemm", 30'000, 200'000, 1);
  const auto content = kino::critical_content(events.build(), {});
  CHECK(kino::critical_headline(*content) ==
        "The largest part of the critical path is GPU work: 200 µs of 230 µs (87.0 %)");
  const auto forecasts = kino::usual_forecasts(content->graph);
  const std::string evidence = kino::critical_evidence(*content, &forecasts);
  CHECK(evidence.find("Best forecast: ") != std::string::npos);
  CHECK(evidence.find("There are no steps") != std::string::npos);
  CHECK(kino::critical_evidence(*content, nullptr).find("forecast") == std::string::npos);
}

TEST_CASE("a path that is mostly unexplained has no forecast, and says so") {
  kino::EventFixture events;
  events.op("aten::mm", 0, 40'000).launch(10'000, 10'000, 1).kernel("gemm", 500'000, 100'000, 1);
  const auto content = kino::critical_content(events.build(), {});
  CHECK_FALSE(content->forecasts());
  CHECK(kino::critical_headline(*content).find("unexplained time") != std::string::npos);
  CHECK(kino::critical_evidence(*content, nullptr).find("Less than 90 %") != std::string::npos);
}

TEST_CASE("a trace without GPU work has a path of threads, and an empty one has a sentence") {
  kino::EventFixture events;
  events.op("aten::mm", 0, 40'000);
  const auto content = kino::critical_content(events.build(), {});
  CHECK(kino::critical_evidence(*content, nullptr).find("no GPU work") != std::string::npos);
  kino::EventFixture none;
  const auto empty = kino::critical_content(none.build(), {});
  CHECK(kino::critical_headline(*empty).find("no critical path") != std::string::npos);
  CHECK(kino::critical_evidence(*empty, nullptr).empty());
}

TEST_CASE("the page computes the path, then its forecasts, on the pool") {
  kino::EventFixture events;
  events.op("aten::mm", 0, 40'000).launch(10'000, 10'000, 1).kernel("gemm", 30'000, 200'000, 1);
  kino::WorkerPool pool(1);
  kino::CriticalPanel panel(events.build(), pool, [] {});
  CHECK(state_of(panel).at("pieces") == 0);
  REQUIRE(kino_test::eventually([&] {
    panel.poll();
    return panel.complete();
  }));
  const nlohmann::ordered_json state = state_of(panel);
  CHECK(state.at("computed") == true);
  CHECK(state.at("causes").at("compute") == 200'000);
  CHECK_FALSE(state.at("forecasts").empty());
  CHECK(state.at("settings").empty());
}
