// Covers: activity_graph, graph_collectives, critical_path, critical_tables, rank_costs, what_if, rank_clock
// The critical path of a job of two ranks, which are joined at their collectives.
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

#include "core/critical/activity_graph.hpp"
#include "core/critical/critical_path.hpp"
#include "core/critical/critical_tables.hpp"
#include "core/critical/retiming.hpp"
#include "core/critical/what_if.hpp"
#include "core/job/rank_digest.hpp"
#include "core/tables/table_request.hpp"
#include "tests/fixtures/event_fixture.hpp"
#include "tests/fixtures/job_fixture.hpp"

namespace {

using kino::PathCause;

constexpr int kRoundCount = 4;
constexpr std::int64_t kRoundNs = 1'000'000;

/// Four rounds of 1 ms: an operator that ends with the launch of an all-reduce, and a call that waits for it.
/// The all-reduce ends 700 us after the start of the round.
std::shared_ptr<const kino::Trace> rank_trace(std::int64_t operator_ns) {
  kino::EventFixture events;
  for (int round = 0; round < kRoundCount; ++round) {
    const std::int64_t at_ns = round * kRoundNs;
    const auto correlation = static_cast<std::uint32_t>(2 * round + 1);
    const std::int64_t start_ns = at_ns + operator_ns + 5'000;
    events.op("aten::mm", at_ns, operator_ns).launch(at_ns + operator_ns - 10'000, 10'000, correlation);
    events
        .kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", start_ns, at_ns + 700'000 - start_ns, correlation)
        .told({{'c', "allreduce"},
               {'n', "1000"},
               {'N', "1000"},
               {'d', "Float"},
               {'z', "2"},
               {'p', "0"},
               {'q', std::to_string(round)},
               {'R', "[0, 1]"}});
    events.slice(kino::TrackClass::cpu, "cuda_runtime", "cudaDeviceSynchronize", at_ns + operator_ns,
                 705'000 - operator_ns, "1");
    events.op("aten::item", at_ns + 705'000, 295'000);
  }
  return events.build();
}

/// A job of two ranks; rank 1 is 400 us late in each round.
struct LateJob {
  std::shared_ptr<const kino::Trace> first = rank_trace(200'000);
  std::shared_ptr<const kino::Trace> second = rank_trace(600'000);
  std::vector<const kino::Trace*> traces{first.get(), second.get()};
  kino::JobAnalysis analysis = analyzed();

  kino::TracedJob traced() const { return {analysis, traces}; }

 private:
  kino::JobAnalysis analyzed() const {
    std::vector<kino::RankDigest> digests;
    for (std::size_t i = 0; i < traces.size(); ++i) {
      kino::RankDigest& digest = digests.emplace_back(kino::digest_of(*traces[i]));
      digest.rank = static_cast<std::int64_t>(i);
      digest.world_size = 2;
    }
    return kino::analyze_job(kino_test::job_of_digests(std::move(digests)));
  }
};

std::int64_t time_of_rank(const kino::CriticalPath& path, std::uint32_t rank) {
  std::int64_t sum_ns = 0;
  for (const kino::PathPiece& piece : path.pieces) sum_ns += piece.rank == rank ? piece.range.length_ns() : 0;
  return sum_ns;
}

kino::Result<kino::Table> table_of(const LateJob& job, kino::TableRequest request) {
  return kino::job_trace_table(job.traced(), request);
}

}  // namespace

TEST_CASE("the path of a job leads through the last arrival at each collective to the late rank") {
  const LateJob job;
  REQUIRE(job.analysis.matched.instances.size() == kRoundCount);
  const kino::ActivityGraph graph = kino::activity_graph(job.traced());
  REQUIRE(graph.arrivals.size() == kRoundCount);
  CHECK(graph.forced == 0);
  CHECK(graph.edge_counts[static_cast<std::size_t>(kino::EdgeKind::move)] == 2 * kRoundCount);
  CHECK(graph.rank_of(graph.first_arrival) == 2);
  const kino::CriticalPath path = kino::critical_path(graph);
  CHECK(graph.window.length_ns() == kRoundCount * kRoundNs);
  CHECK(kino::replayed(graph, {}, kino::Reading::kept).length_ns == graph.window.length_ns());
  CHECK(kino::replayed(graph, {}, kino::Reading::typical).length_ns == graph.window.length_ns());
  CHECK(path.causes[kino::index_of_cause(PathCause::waiting)] == 0);
  CHECK(path.causes[kino::index_of_cause(PathCause::moving)] == kRoundCount * 95'000);
  CHECK(time_of_rank(path, 0) + time_of_rank(path, 1) == graph.window.length_ns());
  CHECK(time_of_rank(path, 1) >= kRoundCount * 605'000);
}

TEST_CASE("forecasts of a job follow from the arrivals of all ranks") {
  const LateJob job;
  const kino::ActivityGraph graph = kino::activity_graph(job.traced());
  const auto length_with = [&](const std::string& setting) {
    const auto what_if = kino::parse_what_if(graph, std::span(&setting, 1));
    REQUIRE(what_if.ok());
    return kino::forecast(graph, what_if.value()).length_ns;
  };
  const std::int64_t recorded_ns = graph.window.length_ns();
  CHECK(length_with("rank:0.cpu=0.5") > length_with("rank:1.cpu=0.5"));
  CHECK(length_with("rank:0=median") == recorded_ns);
  CHECK(length_with("moving=0") == recorded_ns - kRoundCount * 95'000);
  CHECK(length_with("rank:1=median") < recorded_ns - kRoundCount * 100'000);
  bool of_late = false;
  for (const kino::WhatIf& usual : kino::usual_what_ifs(graph))
    of_late = of_late || usual.setting == "rank:1=median";
  CHECK(of_late);
}

TEST_CASE("tables of a job's path sum up to its window, and state what they do not support") {
  const LateJob job;
  kino::TableRequest request;
  request.name = "critical-path";
  for (const char* group : {"cause", "name", "rank", "step", "piece"}) {
    CAPTURE(group);
    request.group = group;
    const auto table = table_of(job, request);
    REQUIRE(table.ok());
    const kino::TableColumn* const time = table.value().find("time_ns");
    REQUIRE(time != nullptr);
    std::int64_t sum_ns = 0;
    for (const std::int64_t ns : std::get<kino::TableColumn::Integers>(time->values)) sum_ns += ns;
    CHECK(sum_ns == kRoundCount * kRoundNs);
    CHECK((table.value().find("rank") != nullptr) == (request.group == "rank" || request.group == "piece"));
  }
  request.group = "cause";
  request.range = kino::TimeRange{0, kRoundNs};
  CHECK(table_of(job, request).ok());
  request.name = "what-if";
  request.group.clear();
  CHECK_FALSE(table_of(job, request).ok());
  request.range.reset();
  CHECK(table_of(job, request).ok());
  request.settings = {"rank:5=median"};
  CHECK_FALSE(table_of(job, request).ok());
  request.name = "critical-path";
  request.settings.clear();
  request.step = 3;
  CHECK_FALSE(table_of(job, request).ok());
  request.step.reset();
  CHECK(kino::job_trace_table({kino::JobAnalysis(), {}}, request).ok());
}

TEST_CASE("a job whose collectives do not match has a path that stays on one rank") {
  LateJob job;
  job.analysis.matched = {};
  const kino::ActivityGraph graph = kino::activity_graph(job.traced());
  CHECK(graph.arrivals.empty());
  CHECK(kino::replayed(graph, {}, kino::Reading::kept).length_ns == graph.window.length_ns());
  const kino::CriticalPath path = kino::critical_path(graph);
  CHECK((time_of_rank(path, 0) == 0 || time_of_rank(path, 1) == 0));
}

TEST_CASE("traces that do not fit their digests, and traces without events, have an exact replay") {
  LateJob job;
  kino::EventFixture one;
  const auto other = one.op("aten::mm", 0, 100'000).build();
  const auto empty = kino::EventFixture().build();
  for (const auto& trace : {other, empty}) {
    job.traces[0] = trace.get();
    const kino::ActivityGraph graph = kino::activity_graph(job.traced());
    CHECK(kino::replayed(graph, {}, kino::Reading::kept).length_ns == graph.window.length_ns());
    const kino::CriticalPath path = kino::critical_path(graph);
    CHECK(time_of_rank(path, 0) + time_of_rank(path, 1) == graph.window.length_ns());
    kino::TableRequest request;
    request.name = "what-if";
    CHECK(table_of(job, request).ok());
  }
}
