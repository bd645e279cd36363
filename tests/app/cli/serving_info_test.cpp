// Covers: serving_info
// The summary of a recording of an inference server: source, phases, steady state, iterations left out.
#include "app/cli/serving_info.hpp"

#include <filesystem>
#include <memory>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "app/cli/trace_info.hpp"
#include "app/cli/trace_info_json.hpp"
#include "tests/fixtures/event_fixture.hpp"
#include "tests/fixtures/loader_files.hpp"

namespace {

using ServingInfo = nlohmann::json;

std::string text_of_run(const kino::ServingRun& run) {
  std::string text;
  kino::add_iterations(text, run);
  return text;
}

/// Ten decodes, the first two of which are slow, and a prefill. Each contains one kernel.
std::shared_ptr<const kino::Trace> slow_start() {
  kino::EventFixture events;
  std::int64_t begin_ns = 0;
  for (std::uint32_t i = 0; i < 11; ++i) {
    const char* const name =
        i == 5 ? "execute_context_2(64)_generation_0(0)" : "execute_context_0(0)_generation_4(4)";
    events.slice(kino::TrackClass::cpu, "user_annotation", name, begin_ns, 50, "1");
    events.launch(begin_ns + 10, 5, i + 1).kernel("nvjet_gemm", begin_ns + 20, 60, i + 1);
    begin_ns += i < 2 ? 500 : 100;
  }
  return events.build();
}

}  // namespace

TEST_CASE("info names the source, the phases, the steady state and the iterations left out") {
  const kino::ServingRun run = kino::find_iterations(*slow_start());
  CHECK(text_of_run(run) ==
        "Iterations  11, from annotations (vllm)\n"
        "Phases      1 prefill, 10 decode\n"
        "Steady from iteration 2\n"
        "Left out    2 as warm-up, 1 cut by the end of the recording\n");
  const ServingInfo json = kino::iterations_json(run);
  CHECK(json["count"] == 11);
  CHECK(json["source"] == "annotation");
  CHECK(json["family"] == "vllm");
  CHECK(json["phases"] == ServingInfo{{"prefill", 1}, {"decode", 10}});
  CHECK(json["phases_guessed"] == false);
  CHECK(json["steady_from"] == 2);
  CHECK(json["left_out"]["warm_up"] == 2);
  CHECK(json["left_out"]["cut"] == 1);
  CHECK(json["left_out"]["no_window"] == 0);
}

TEST_CASE("with fewer than eight iterations per group, info reports no steady state") {
  kino::ServingRun run;
  run.iterations.source = kino::IterationSource::replays;
  run.iterations.list.resize(2);
  run.iterations.list[0].phase = kino::IterationPhase::decode;
  run.iterations.list[0].guessed = true;
  run.groups.resize(1);
  run.groups[0].steady = kino::SteadyState::too_few;
  CHECK(text_of_run(run) ==
        "Iterations  2, guessed from graph replays\n"
        "Phases      1 decode, 1 unknown (guessed)\n"
        "Steady from unknown: no group of iterations has 8 or more\n"
        "Left out    none\n");
  CHECK(kino::iterations_json(run)["steady_from"].is_null());
  CHECK(kino::iterations_json(run)["family"].is_null());
  run.groups[0].steady = kino::SteadyState::missing;
  run.groups[0].phase = kino::IterationPhase::decode;
  run.groups[0].batch = 16;
  CHECK(text_of_run(run).find("Steady from no steady state\n") != std::string::npos);
  run.groups.emplace_back();
  CHECK(text_of_run(run).find("Steady from iteration 0; no steady state in decode of up to 16 requests\n") !=
        std::string::npos);
}

TEST_CASE("info on a trace without iterations has no lines and no key for them") {
  CHECK(text_of_run({}).empty());
  CHECK(kino::iterations_json({}).is_null());
  kino::OpenedTrace opened;
  opened.trace = kino::EventFixture().op("ProfilerStep#1", 0, 100).op("ProfilerStep#2", 100, 100).build();
  CHECK(kino::info_text("a.json", opened, 0).find("Iterations") == std::string::npos);
  CHECK_FALSE(ServingInfo::parse(kino::info_json("a.json", opened, 0)).contains("iterations"));
}

TEST_CASE("info on made recordings of servers counts the iterations that are left out") {
  const auto annotated = kino_test::real_data("serving/vllm_graph.json.gz");
  const auto plain = kino_test::real_data("serving/plain_graph.json.gz");
  if (!annotated || !plain) return;
  const auto text_of_file = [](const std::filesystem::path& path) {
    const auto opened = kino_test::open(path);
    REQUIRE(opened.ok());
    return text_of_run(kino::find_iterations(*opened.value().trace));
  };
  CHECK(text_of_file(*annotated) ==
        "Iterations  60, from annotations (vllm)\n"
        "Phases      3 prefill, 53 decode, 4 mixed\n"
        "Steady from iteration 3\n"
        "Left out    1 as warm-up, 2 with a capture or load of code, 1 cut by the end of the recording\n");
  CHECK(text_of_file(*plain) ==
        "Iterations  60, guessed from results that are handed to the host\n"
        "Phases      7 prefill, 53 decode (guessed)\n"
        "Steady from iteration 2\n"
        "Left out    2 with a capture or load of code, 1 cut by the end of the recording\n");
}
