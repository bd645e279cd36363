// Covers: what_if, rank_costs, retiming, graph_collectives, link_speeds
// Settings of forecasts: values, combinations, and messages for settings that would have no effect.
#include "core/critical/what_if.hpp"

#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "core/critical/activity_graph.hpp"
#include "core/critical/rank_costs.hpp"
#include "tests/fixtures/event_fixture.hpp"

namespace {

using kino::ActivityGraph;

/// A thread launches a kernel, and then two all-reduces of 100 MB over four ranks.
std::shared_ptr<const kino::Trace> collectives() {
  kino::EventFixture events;
  events.op("aten::mm", 0, 90'000).launch(10'000, 10'000, 1).kernel("gemm", 25'000, 500'000, 1);
  for (std::uint32_t i = 0; i < 2; ++i) {
    events.launch(30'000 + 20'000 * i, 10'000, 2 + i)
        .kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 530'000 + 1'505'000 * i, 1'500'000, 2 + i)
        .told({{'c', "allreduce"},
               {'n', "25000000"},
               {'N', "25000000"},
               {'d', "Float"},
               {'z', "4"},
               {'p', "0"},
               {'R', "[0, 1, 2, 3]"}});
  }
  return events.build();
}

std::string problem_of(const ActivityGraph& graph, const std::vector<std::string>& settings) {
  const auto what_if = kino::parse_what_if(graph, settings);
  return what_if.ok() ? std::string() : what_if.error().what.str();
}

std::int64_t length_of(const ActivityGraph& graph, const std::vector<std::string>& settings) {
  const auto what_if = kino::parse_what_if(graph, settings);
  REQUIRE(what_if.ok());
  return kino::forecast(graph, what_if.value()).length_ns;
}

}  // namespace

TEST_CASE("a bandwidth sets the transfer time of collectives, but does not prolong it") {
  const auto trace = collectives();
  const ActivityGraph graph = kino::activity_graph(*trace);
  REQUIRE(graph.ranks[0].collectives.size() == 2);
  CHECK(graph.ranks[0].collectives[0].bus_bytes == 150'000'000.0);  // 2 (n - 1) / n of 100 MB
  const std::int64_t recorded_ns = graph.window.length_ns();
  // 12 us and 150 MB at 150 GB/s are 1.012 ms, instead of 1.5 ms.
  CHECK(length_of(graph, {"busbw=150"}) == recorded_ns - 2 * 488'000);
  CHECK(length_of(graph, {"busbw=0.1"}) == recorded_ns);
  CHECK(length_of(graph, {"moving=0.5"}) == recorded_ns - 2 * 750'000);
}

TEST_CASE("a bandwidth is refused if no collective has a recorded size, or if it is not positive") {
  kino::EventFixture events;
  events.op("aten::mm", 0, 90'000).launch(10'000, 10'000, 1).kernel("gemm", 25'000, 500'000, 1);
  const auto trace = events.build();
  const ActivityGraph graph = kino::activity_graph(*trace);
  CHECK(problem_of(graph, {"busbw=100"}).find("recorded sizes") != std::string::npos);
  for (const char* wrong : {"busbw=0", "busbw=", "busbw=fast", "busbw", "busbw=-1", "busbw=inf"}) {
    CAPTURE(wrong);
    CHECK(problem_of(graph, {wrong}).find("above 0") != std::string::npos);
  }
}

TEST_CASE("settings that take no value are refused with a value") {
  const auto trace = collectives();
  const ActivityGraph graph = kino::activity_graph(*trace);
  CHECK(problem_of(graph, {"stream:7=20"}) == "\"stream:7=20\": the setting takes no value. Use stream:7.");
  CHECK(problem_of(graph, {"graphs=1"}).find("takes no value") != std::string::npos);
  CHECK(problem_of(graph, {"stream:7"}).empty());
  CHECK(problem_of(graph, {"stream:8"}).find("matches no event") != std::string::npos);
  CHECK(problem_of(graph, {"loader"}).find("from 0 to 1000") != std::string::npos);
  for (const char* wrong : {"speed=2", "kernel:=0", "sync:", "stream:", "=2", "", "rank:", "median"}) {
    CAPTURE(wrong);
    CHECK_FALSE(problem_of(graph, {wrong}).empty());
  }
}

TEST_CASE("settings of the same cost, and settings without effect beside another one, are refused") {
  const auto trace = collectives();
  const ActivityGraph graph = kino::activity_graph(*trace);
  const auto refused = [&](const std::string& a, const std::string& b) {
    const std::string problem = problem_of(graph, {a, b});
    const std::string reversed = problem_of(graph, {b, a});
    return problem.find(a) != std::string::npos && problem.find(b) != std::string::npos && !reversed.empty();
  };
  CHECK(refused("compute=0.5", "compute=2"));
  CHECK(refused("graphs", "cpu=0.5"));
  CHECK(refused("graphs", "operator=0"));
  CHECK(refused("moving=0.5", "busbw=100"));
  CHECK(refused("cpu=0", "gc=0.5"));
  CHECK(refused("compute=0", "kernel:gemm=0.5"));
  for (const std::vector<std::string>& together :
       {std::vector<std::string>{"graphs", "loader=0"}, {"cpu=0.5", "gc=0"}, {"compute=0.5", "copy=0"}}) {
    CAPTURE(together[0]);
    CHECK(problem_of(graph, together).empty());
  }
}

TEST_CASE("without device work, only costs of threads can change") {
  kino::EventFixture events;
  events.op("aten::mm", 0, 100'000);
  const auto trace = events.build();
  const ActivityGraph graph = kino::activity_graph(*trace);
  for (const char* refused : {"compute=0.5", "graphs", "sync", "moving=0", "busbw=100", "stream:7"}) {
    CAPTURE(refused);
    CHECK(problem_of(graph, {refused}).find("device work") != std::string::npos);
  }
  CHECK(length_of(graph, {"cpu=0.5"}) == 50'000);
  for (const kino::WhatIf& usual : kino::usual_what_ifs(graph)) {
    CAPTURE(usual.setting);
    CHECK((usual.setting.starts_with("cpu=") || usual.setting == "gc=0"));
  }
}

TEST_CASE("a rank like the median has at most the median costs of the others, beside other settings") {
  const auto rank_trace = [](std::int64_t kernel_ns) {
    kino::EventFixture events;
    events.op("aten::mm", 0, 90'000).launch(10'000, 10'000, 1).kernel("gemm", 25'000, kernel_ns, 1);
    return events.build();
  };
  const auto slow = rank_trace(800'000);
  const auto fast = rank_trace(200'000);
  ActivityGraph graph = kino::activity_graph(*slow);
  graph.ranks.push_back(kino::activity_graph(*fast).ranks[0]);
  graph.ranks[0].rank = 0;
  graph.ranks[1].rank = 1;
  CHECK(kino::like_median(graph, 0).work == std::vector<float>{0.25F});
  CHECK(kino::like_median(graph, 1).work == std::vector<float>{1});
  const auto both = kino::parse_what_if(graph, std::vector<std::string>{"compute=0.5", "rank:0=median"});
  REQUIRE(both.ok());
  CHECK(both.value().change[0].work == std::vector<float>{0.125F});
  CHECK(both.value().change[1].work == std::vector<float>{0.5F});
  CHECK_FALSE(problem_of(graph, {"rank:0=median", "rank:0=median"}).empty());
  CHECK(problem_of(graph, {"rank:0.compute=0.5", "rank:1.compute=0.5"}).empty());
  CHECK_FALSE(problem_of(graph, {"rank:0.compute=0.5", "compute=0.5"}).empty());
}
