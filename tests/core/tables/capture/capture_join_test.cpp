// Covers: capture_join, graph_captures, graph_replays, joined_costs, replay_table
// Captures and replays by hand: levels, choice of the capture, and incomplete recordings.
#include "core/tables/capture/capture_join.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "core/tables/analysis/range_analysis.hpp"
#include "core/tables/analysis/trace_tables.hpp"
#include "core/tables/capture/replay_table.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/links/graph_replays.hpp"
#include "tests/fixtures/event_fixture.hpp"
#include "tests/fixtures/table_cells.hpp"

namespace {

using kino::CaptureJoin;
using kino::JoinLevel;
using kino::ReplayJoin;

/// Writes captures and replays one after the other on thread 1, 1,000 ns apart. Each letter is a kernel.
class GraphRecording {
 public:
  explicit GraphRecording(bool hip = true) : hip_(hip) {}

  /// Captures one launch per letter, in operators with inputs of this batch size. Without `ended`, the end
  /// of the capture is not recorded.
  GraphRecording& capture(std::string_view letters, int batch = 8, bool ended = true) {
    const std::int64_t begin = next();
    call(begin, 2, "StreamBeginCapture", 0);
    std::int64_t at = begin + 10;
    for (const char letter : letters) {
      events_
          .slice(kino::TrackClass::cpu, "python_function", std::string("nn.Module: Layer_") + letter, at, 9,
                 "1")
          .op(std::string("op::") + letter, at + 1, 7)
          .told({{'I', "[[" + std::to_string(batch) + ", 4]]"}});
      call(at + 2, 3, "LaunchKernel", ++correlation_);
      if (hip_) events_.told({{'K', std::string(1, letter)}});
      at += 10;
    }
    if (ended) call(at, 2, "StreamEndCapture", 0);
    return *this;
  }

  /// Launches a graph with one kernel per letter.
  GraphRecording& replay(std::string_view letters) {
    const std::int64_t begin = next();
    const std::uint32_t correlation = ++correlation_;
    call(begin, 5, "GraphLaunch", correlation);
    std::int64_t at = begin + 20;
    for (const char letter : letters) {
      events_.kernel(std::string(1, letter), at, 5, correlation);
      at += 6;
    }
    return *this;
  }

  std::shared_ptr<const kino::Trace> build() { return events_.build(); }

 private:
  std::int64_t next() { return 1000 * count_++; }

  void call(std::int64_t start_ns, std::int64_t duration_ns, const char* name, std::uint32_t correlation) {
    events_.slice(kino::TrackClass::cpu, "cuda_runtime", (hip_ ? "hip" : "cuda") + std::string(name),
                  start_ns, duration_ns, "1", correlation);
  }

  bool hip_;
  std::int64_t count_ = 0;
  std::uint32_t correlation_ = 0;
  kino::EventFixture events_;
};

CaptureJoin joined(const kino::Trace& trace, const std::vector<kino::BatchWindow>& batches = {}) {
  const kino::GraphCaptures captures(trace);
  return kino::capture_join(trace, captures, batches);
}

}  // namespace

TEST_CASE("captured launches have operators, shapes, modules and frames") {
  const auto trace = GraphRecording().capture("ab").build();
  const kino::GraphCaptures captures(*trace);
  REQUIRE(captures.captures().size() == 1);
  const kino::GraphCapture& capture = captures.captures()[0];
  REQUIRE(capture.nodes.size() == 2);
  CHECK(captures.launch_count() == 2);
  CHECK(capture.batch == 8);
  CHECK(captures.kernel_name(capture.nodes[1]) == "b");
  CHECK(captures.operator_name(capture.nodes[1]) == "op::b");
  CHECK(captures.shapes_of_inputs(capture.nodes[1]) == "[[8, 4]]");
  CHECK(captures.module_name(capture.nodes[1]) == "Layer_b");
  CHECK(trace->name_of(capture.nodes[1].frame) == "nn.Module: Layer_b");
  CHECK(capture.nodes[1].kind == kino::NodeKind::kernel);
}

TEST_CASE("a trace without captures and replays has an empty join") {
  const auto trace = kino::EventFixture().op("aten::mm", 0, 5).build();
  CHECK(kino::GraphCaptures(*trace).captures().empty());
  const CaptureJoin join = joined(*trace);
  CHECK(join.replays.empty());
  CHECK(join.joined() == 0);
}

TEST_CASE("the batch size of an annotation has priority over the shapes") {
  CHECK(kino::captured_batch("capture_32_DECODE") == 32);
  CHECK(kino::captured_batch("capture_8") == 8);
  CHECK(kino::captured_batch("capture_DECODE") == std::nullopt);
  CHECK(kino::captured_batch("capture_3x") == std::nullopt);
  CHECK(kino::captured_batch("capture_99999999999999999999_x") == std::nullopt);
  CHECK(kino::captured_batch("recapture_3") == std::nullopt);
  kino::EventFixture events;
  events.slice(kino::TrackClass::cpu, "user_annotation", "capture_64_PIECEWISE", 0, 100, "1")
      .slice(kino::TrackClass::cpu, "cuda_runtime", "cudaStreamBeginCapture", 5, 2, "1")
      .op("aten::mm", 10, 20)
      .told({{'I', "[[8, 4]]"}})
      .launch(12, 5, 1)
      .slice(kino::TrackClass::cpu, "cuda_runtime", "cudaMemsetAsync", 40, 2, "1", 2)
      .slice(kino::TrackClass::cpu, "cuda_runtime", "cudaMemcpyAsync", 50, 2, "1", 3)
      .slice(kino::TrackClass::cpu, "cuda_runtime", "cudaStreamEndCapture", 60, 2, "1");
  const auto trace = events.build();
  const kino::GraphCaptures captures(*trace);
  REQUIRE(captures.captures().size() == 1);
  const auto& nodes = captures.captures()[0].nodes;
  CHECK(captures.captures()[0].batch == 64);
  REQUIRE(nodes.size() == 3);
  CHECK(nodes[1].kind == kino::NodeKind::memset);
  CHECK(nodes[2].kind == kino::NodeKind::copy);
  CHECK(nodes[2].op == kino::kNoSlice);
  CHECK(captures.operator_name(nodes[2]).empty());
}

TEST_CASE("replays take the operators of a capture with equal names") {
  const auto trace = GraphRecording().capture("abc").replay("abc").replay("cab").replay("abd").build();
  const CaptureJoin join = joined(*trace);
  REQUIRE(join.replays.size() == 3);
  CHECK(join.replays[0].level == JoinLevel::exact);
  CHECK(join.replays[0].capture == 0);
  CHECK(join.replays[0].joined == 3);
  CHECK(join.replays[0].shapes);
  CHECK(join.replays[1].level == JoinLevel::occurrence);
  CHECK(join.nodes[3] == 2);
  CHECK(join.nodes[4] == 0);
  CHECK(join.replays[2].level == JoinLevel::none);
  CHECK(join.replays[2].capture == ReplayJoin::kNoCapture);
  CHECK(join.nodes[6] == CaptureJoin::kNoNode);
  CHECK(join.joined() == 6);
  CHECK(join.levels() == std::array<std::size_t, kino::kJoinLevelCount>{1, 0, 1, 0, 1});
  CHECK(trace->name_of(join.work[3]) == "c");
}

TEST_CASE("captures of CUDA are joined by order") {
  const auto trace = GraphRecording(false).capture("abab").replay("xyxy").replay("xyyx").build();
  const CaptureJoin join = joined(*trace);
  CHECK(join.replays[0].level == JoinLevel::order);
  CHECK(join.replays[1].level == JoinLevel::none);
}

TEST_CASE("only captures that ended before the launch are considered in one trace") {
  const auto trace = GraphRecording().replay("ab").capture("ab").replay("ab").build();
  const CaptureJoin join = joined(*trace);
  CHECK(join.replays[0].level == JoinLevel::none);
  CHECK(join.replays[1].level == JoinLevel::exact);
}

TEST_CASE("captures of a second trace name the operators of replays") {
  const auto captured = GraphRecording().capture("ab").build();
  const auto trace = GraphRecording().replay("ab").build();
  const kino::GraphCaptures captures(*captured);
  const CaptureJoin join = kino::capture_join(*trace, captures, {});
  REQUIRE(join.replays.size() == 1);
  CHECK(join.replays[0].level == JoinLevel::exact);
  CHECK(joined(*trace).replays[0].level == JoinLevel::none);
}

TEST_CASE("the smallest batch size that holds the tokens is chosen") {
  const auto trace =
      GraphRecording().capture("ab", 16).capture("ab", 8).replay("ab").replay("ab").replay("ab").build();
  const auto launch = [&](std::size_t replay) {
    return trace->range.begin_ns + 2000 + 1000 * static_cast<std::int64_t>(replay);
  };
  const std::vector<kino::BatchWindow> batches{
      {{launch(0), launch(1)}, 9}, {{launch(1), launch(2)}, 8}, {{launch(2), launch(3)}, 17}};
  const CaptureJoin join = joined(*trace, batches);
  CHECK(join.replays[0].capture == 0);
  CHECK(join.replays[0].shapes);
  CHECK(join.replays[1].capture == 1);
  CHECK(join.replays[1].alternatives == 1);
  CHECK_FALSE(join.replays[2].shapes);
  const CaptureJoin unknown = joined(*trace);
  CHECK(unknown.replays[0].level == JoinLevel::exact);
  CHECK_FALSE(unknown.replays[0].shapes);
}

TEST_CASE("the k-th replay of a sequence in a batch takes the k-th capture") {
  const auto trace =
      GraphRecording().capture("ab").capture("ab").replay("ab").replay("ab").replay("ab").build();
  const CaptureJoin join = joined(*trace);
  CHECK(join.replays[0].capture == 0);
  CHECK(join.replays[0].alternatives == 2);
  CHECK(join.replays[1].capture == 1);
  CHECK(join.replays[2].capture == 0);
  const std::int64_t second = trace->range.begin_ns + 3000;
  const std::vector<kino::BatchWindow> batches{{{second - 1000, second}, 8}, {{second, second + 2000}, 8}};
  const CaptureJoin by_batch = joined(*trace, batches);
  CHECK(by_batch.replays[0].capture == 0);
  CHECK(by_batch.replays[1].capture == 0);
  CHECK(by_batch.replays[2].capture == 1);
}

TEST_CASE("work is in the order of graph nodes if every piece has one") {
  kino::EventFixture events;
  const auto call = [&](std::int64_t at, const char* name, std::uint32_t correlation) -> kino::EventFixture& {
    return events.slice(kino::TrackClass::cpu, "cuda_runtime", name, at, 5, "1", correlation);
  };
  call(0, "hipStreamBeginCapture", 0);
  call(10, "hipLaunchKernel", 1).told({{'K', "a"}});
  call(20, "hipLaunchKernel", 2).told({{'K', "b"}});
  call(30, "hipStreamEndCapture", 0);
  call(100, "hipGraphLaunch", 3);
  events.kernel("b", 110, 5, 3, "7").told({{'G', "12"}}).kernel("a", 120, 5, 3, "8").told({{'G', "11"}});
  const auto trace = events.build();
  const CaptureJoin join = joined(*trace);
  REQUIRE(join.replays.size() == 1);
  CHECK(join.replays[0].level == JoinLevel::exact);
  CHECK(trace->name_of(join.work[0]) == "a");
}

TEST_CASE("a capture that never ends lasts to the end of the recording") {
  const auto trace = GraphRecording().replay("ab").capture("ab", 8, false).build();
  const kino::GraphCaptures captures(*trace);
  REQUIRE(captures.captures().size() == 1);
  CHECK(captures.captures()[0].nodes.size() == 2);
  CHECK(captures.captures()[0].range.end_ns == trace->range.end_ns + 1);
  CHECK(joined(*trace).replays[0].level == JoinLevel::none);
}

TEST_CASE("captures without launches and replays without work are harmless") {
  const auto trace = GraphRecording().capture("").capture("a").replay("").replay("a").build();
  const kino::GraphCaptures captures(*trace);
  REQUIRE(captures.captures().size() == 1);
  const CaptureJoin join = kino::capture_join(*trace, captures, {});
  REQUIRE(join.replays.size() == 2);
  CHECK(join.replays[0].work_count == 0);
  CHECK(join.replays[0].level == JoinLevel::none);
  CHECK(join.replays[1].level == JoinLevel::exact);
  const auto replays = kino::graph_replays(*trace, kino::whole_range(*trace));
  REQUIRE(replays.size() == 2);
  CHECK(replays[0].work.empty());
}

TEST_CASE("the table of replays has the level of each launch and the share of joined work") {
  const auto trace = GraphRecording().capture("ab").replay("ab").replay("xy").replay("").build();
  const kino::GraphCaptures captures(*trace);
  const CaptureJoin join = kino::capture_join(*trace, captures, {});
  const kino::Table table = kino::replay_table(*trace, captures, join, kino::whole_range(*trace));
  REQUIRE(table.row_count() == 3);
  CHECK(kino_test::text(table, "level", 0) == "exact");
  CHECK(kino_test::text(table, "call", 0) == "hipGraphLaunch");
  CHECK(kino_test::integer(table, "capture", 0) == 0);
  CHECK(kino_test::integer(table, "joined", 0) == 2);
  CHECK(kino_test::integer(table, "batch", 0) == 8);
  CHECK(kino_test::text(table, "level", 1) == "none");
  CHECK(kino_test::integer(table, "capture", 1) == kino::kNoInteger);
  CHECK(kino_test::integer(table, "batch", 1) == kino::kNoInteger);
  CHECK(kino_test::integer(table, "work", 2) == 0);
  REQUIRE(table.notes.size() == 3);
  CHECK(table.notes[0] == "Launches captured into graphs: 2. Captures: 1.");
  CHECK(table.notes[1] == "2 of 4 pieces of replayed work have a captured launch.");
  const std::int64_t last = trace->start_ns(join.replays[2].launch);
  const kino::Table part = kino::replay_table(*trace, captures, join, {last, last + 1});
  REQUIRE(part.row_count() == 1);
  CHECK(kino_test::integer(part, "launch", 0) == 2);
}

TEST_CASE("joined work is found by its slice, and other work is not") {
  const auto trace = GraphRecording().capture("ab").replay("").replay("ab").replay("xy").build();
  const kino::GraphCaptures captures(*trace);
  const CaptureJoin join = kino::capture_join(*trace, captures, {});
  const kino::JoinedWork joined_work(join, captures);
  const auto node = joined_work.find(kino::slice_named(*trace, "b"));
  REQUIRE(node.has_value());
  CHECK(captures.operator_name(*node->launch) == "op::b");
  CHECK(node->replay->level == JoinLevel::exact);
  CHECK_FALSE(joined_work.find(kino::slice_named(*trace, "x")).has_value());
  CHECK_FALSE(joined_work.find(kino::slice_named(*trace, "op::a")).has_value());
  CHECK_FALSE(joined_work.find(kino::kNoSlice).has_value());
}

TEST_CASE("costs of replayed work by operator and module add up to all replayed work") {
  const auto trace = GraphRecording().capture("ab").replay("ab").replay("ab").replay("xy").build();
  const kino::GraphCaptures captures(*trace);
  const CaptureJoin join = kino::capture_join(*trace, captures, {});
  const kino::TimeRange all = kino::whole_range(*trace);
  const kino::Table operators =
      kino::joined_cost_table(*trace, captures, join, all, kino::JoinedGrouping::op);
  REQUIRE(operators.row_count() == 3);
  CHECK(kino_test::text(operators, "operator", 0).empty());
  CHECK(kino_test::text(operators, "level", 0) == "none");
  CHECK(kino_test::text(operators, "operator", 1) == "op::a");
  CHECK(kino_test::text(operators, "shapes", 1) == "[[8, 4]]");
  CHECK(kino_test::text(operators, "level", 1) == "exact");
  CHECK(kino_test::integer(operators, "work", 1) == 2);
  CHECK(kino_test::integer(operators, "gpu_ns", 1) == 10);
  CHECK(kino_test::number(operators, "share", 1) == doctest::Approx(1.0 / 3));
  const kino::Table modules =
      kino::joined_cost_table(*trace, captures, join, all, kino::JoinedGrouping::module);
  REQUIRE(modules.row_count() == 3);
  CHECK(kino_test::text(modules, "module", 2) == "Layer_b");
  const auto none = kino::joined_costs(*trace, captures, join, {0, 0}, kino::JoinedGrouping::op);
  CHECK(none.empty());
}

TEST_CASE("shapes of ambiguous batch sizes are not shown") {
  const auto trace = GraphRecording().capture("ab", 8).capture("ab", 16).replay("ab").build();
  const kino::GraphCaptures captures(*trace);
  const CaptureJoin join = kino::capture_join(*trace, captures, {});
  const auto costs =
      kino::joined_costs(*trace, captures, join, kino::whole_range(*trace), kino::JoinedGrouping::op);
  REQUIRE(costs.size() == 2);
  CHECK(costs[0].name == "op::a");
  CHECK(costs[0].shapes.empty());
}

TEST_CASE("nested captures keep their own launches") {
  kino::EventFixture events;
  const auto call = [&](std::int64_t at, const char* name, const char* kernel) {
    events.slice(kino::TrackClass::cpu, "cuda_runtime", name, at, 2, "1");
    if (*kernel != 0) events.told({{'K', kernel}});
  };
  call(0, "hipStreamBeginCapture", "");
  call(10, "hipLaunchKernel", "outer");
  call(20, "hipStreamBeginCapture", "");
  call(30, "hipLaunchKernel", "inner");
  call(40, "hipStreamEndCapture", "");
  call(50, "hipLaunchKernel", "outer");
  call(60, "hipStreamEndCapture", "");
  const auto trace = events.build();
  const kino::GraphCaptures captures(*trace);
  REQUIRE(captures.captures().size() == 2);
  CHECK(captures.captures()[0].nodes.size() == 2);
  REQUIRE(captures.captures()[1].nodes.size() == 1);
  CHECK(captures.kernel_name(captures.captures()[1].nodes[0]) == "inner");
}

TEST_CASE("a requested table takes the captures of another trace") {
  const auto captured = GraphRecording().capture("ab").build();
  const auto trace = GraphRecording().replay("ab").build();
  kino::TableRequest request;
  request.name = "replays";
  const auto alone = kino::compute_table(kino::RangeAnalyses(*trace), request);
  REQUIRE(alone.ok());
  CHECK(kino_test::text(alone.value(), "level", 0) == "none");
  CHECK(alone.value().notes.front() ==
        "The trace contains no capture of a graph. Record the start of the program as well, while graphs are "
        "captured.");
  request.captures = captured;
  const auto both = kino::compute_table(kino::RangeAnalyses(*trace), request);
  REQUIRE(both.ok());
  CHECK(kino_test::text(both.value(), "level", 0) == "exact");
  request.group = "operator";
  const auto by_operator = kino::compute_table(kino::RangeAnalyses(*trace), request);
  REQUIRE(by_operator.ok());
  CHECK(by_operator.value().row_count() == 2);
}
