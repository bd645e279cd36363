// Covers: retimed_path, edge_pieces, path_rows
#include "core/critical/retimed_path.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "core/critical/activity_graph.hpp"
#include "core/critical/path_rows.hpp"
#include "core/critical/what_if.hpp"
#include "tests/fixtures/event_fixture.hpp"

namespace {

/// A thread launches two kernels of one stream, waits for the second one, and then works on. The first kernel
/// begins late for no recorded reason.
std::shared_ptr<const kino::Trace> waiting_thread() {
  kino::EventFixture events;
  events.op("aten::mm", 0, 60'000)
      .launch(10'000, 10'000, 1)
      .launch(30'000, 10'000, 2)
      .kernel("gemm", 70'000, 200'000, 1)
      .kernel("softmax", 275'000, 100'000, 2)
      .slice(kino::TrackClass::cpu, "cuda_runtime", "cudaDeviceSynchronize", 60'000, 320'000, "1")
      .op("aten::add", 390'000, 50'000);
  return events.build();
}

kino::GraphChange change_of(const kino::ActivityGraph& graph, const std::string& setting) {
  const auto what_if = kino::parse_what_if(graph, std::span(&setting, 1));
  REQUIRE(what_if.ok());
  return what_if.value().change;
}

void check_tiling(const kino::RetimedPath& path) {
  std::int64_t at_ns = path.window.begin_ns;
  for (const kino::PathPiece& piece : path.pieces) {
    CHECK(piece.range.begin_ns == at_ns);
    CHECK(piece.range.end_ns > piece.range.begin_ns);
    at_ns = piece.range.end_ns;
  }
  CHECK(at_ns == path.window.end_ns);
}

std::int64_t time_of(const kino::RetimedPath& path, kino::PathCause cause) {
  std::int64_t sum_ns = 0;
  for (const kino::PathPiece& piece : path.pieces) {
    if (piece.cause == cause) sum_ns += piece.range.length_ns();
  }
  return sum_ns;
}

}  // namespace

TEST_CASE("without changes, the re-timed path is the critical path") {
  const auto trace = waiting_thread();
  const kino::ActivityGraph graph = kino::activity_graph(*trace);
  const kino::CriticalPath path = kino::critical_path(graph);
  const kino::RetimedPath same = kino::retimed_path(graph, {});
  check_tiling(same);
  CHECK(same.window == graph.window);
  REQUIRE(same.pieces.size() == path.pieces.size());
  for (std::size_t i = 0; i < same.pieces.size(); ++i) {
    CHECK(same.pieces[i].range == path.pieces[i].range);
    CHECK(same.pieces[i].cause == path.pieces[i].cause);
    CHECK(same.pieces[i].slice == path.pieces[i].slice);
    CHECK(same.pieces[i].reason == path.pieces[i].reason);
  }
}

TEST_CASE("the re-timed path fills the forecast window, and scales the changed cost") {
  const auto trace = waiting_thread();
  const kino::ActivityGraph graph = kino::activity_graph(*trace);
  for (const char* const setting :
       {"compute=0.5", "compute=0", "cpu=0.5", "cpu=0", "graphs", "sync", "operator=2"}) {
    CAPTURE(setting);
    const std::string text = setting;
    const auto what_if = kino::parse_what_if(graph, std::span(&text, 1));
    REQUIRE(what_if.ok());
    const kino::RetimedPath path = kino::retimed_path(graph, what_if.value().change);
    check_tiling(path);
    CHECK(path.window.length_ns() == kino::forecast(graph, what_if.value()).length_ns);
  }
  const kino::RetimedPath half = kino::retimed_path(graph, change_of(graph, "compute=0.5"));
  CHECK(time_of(half, kino::PathCause::compute) == 150'000);
}

TEST_CASE("an empty graph has no re-timed path") {
  const kino::RetimedPath path = kino::retimed_path({}, {});
  CHECK(path.pieces.empty());
  CHECK(path.window.length_ns() == 0);
}

TEST_CASE("rows by cause add up to the window, the longest first, with the event of the longest piece") {
  const auto trace = waiting_thread();
  const kino::ActivityGraph graph = kino::activity_graph(*trace);
  const kino::CriticalPath path = kino::critical_path(graph);
  const auto rows = kino::path_rows({graph, graph.window}, path, kino::PathGrouping::cause);
  std::int64_t sum_ns = 0;
  for (const kino::PathRow& row : rows) sum_ns += row.time_ns;
  CHECK(sum_ns == graph.window.length_ns());
  REQUIRE_FALSE(rows.empty());
  CHECK(rows.front().cause == kino::PathCause::compute);
  CHECK(rows.front().longest == kino::slice_named(*trace, "gemm"));
  CHECK(kino::graph_steps(graph).empty());
}
