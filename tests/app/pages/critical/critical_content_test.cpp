// Covers: critical_content, critical_state
// The computed path with its tables, settings, and the path after them.
#include "app/pages/critical/critical_content.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

#include "app/pages/critical/critical_state.hpp"
#include "tests/fixtures/event_fixture.hpp"

namespace {

/// An operator launches two kernels of one stream, which end after the thread.
std::shared_ptr<const kino::Trace> queued_kernels() {
  kino::EventFixture events;
  events.op("aten::mm", 0, 60'000)
      .launch(10'000, 10'000, 1)
      .launch(30'000, 10'000, 2)
      .kernel("gemm", 30'000, 300'000, 1)
      .kernel("softmax", 335'000, 100'000, 2);
  return events.build();
}

std::shared_ptr<const kino::CriticalContent> content_of(const std::shared_ptr<const kino::Trace>& trace) {
  return kino::critical_content(trace, {});
}

kino::CriticalState state_of(const std::shared_ptr<const kino::Trace>& trace) {
  kino::CriticalState state;
  state.content = content_of(trace);
  state.usual =
      std::make_shared<const std::vector<kino::Forecast>>(kino::usual_forecasts(state.content->graph));
  return state;
}

kino::PathPiece piece(std::int64_t begin_ns, std::int64_t end_ns, kino::PathCause cause) {
  kino::PathPiece made;
  made.range = {begin_ns, end_ns};
  made.cause = cause;
  return made;
}

}  // namespace

TEST_CASE("the content has a lane, tables that add up to the window, and sliders for the recorded costs") {
  const auto content = content_of(queued_kernels());
  REQUIRE_FALSE(content->empty());
  CHECK(content->forecasts());
  CHECK(content->lane.size() == kino::kLaneCells);
  for (const kino::PathTab tab : {kino::PathTab::cause, kino::PathTab::name, kino::PathTab::longest}) {
    std::int64_t sum_ns = 0;
    for (const kino::PathRow& row : content->tables[static_cast<std::size_t>(tab)].rows)
      sum_ns += row.time_ns;
    CHECK(sum_ns == content->window_ns());
  }
  CHECK(content->tables[static_cast<std::size_t>(kino::PathTab::step)].rows.empty());
  REQUIRE(content->sliders.size() >= 3);
  CHECK(content->sliders[0] == "compute");
  CHECK(content->sliders[1] == "kernel:gemm");
  CHECK(content->sliders[2] == "kernel:softmax");
  const kino::PathPiece& longest = content->path.pieces[content->longest.front()];
  CHECK(longest.range.length_ns() == 300'000);
}

TEST_CASE("a trace without events has no path and no forecast") {
  kino::EventFixture events;
  const auto content = content_of(events.build());
  CHECK(content->empty());
  CHECK_FALSE(content->forecasts());
  CHECK_FALSE(content->has_work());
}

TEST_CASE("the path after settings fills the forecast, and a wrong setting is a problem") {
  const auto content = content_of(queued_kernels());
  const auto half = kino::retimed_content(*content, {"compute=0.5"}, {});
  CHECK(half->problem.empty());
  CHECK(half->window.length_ns() == half->forecast.length_ns);
  CHECK(half->window.length_ns() < content->window_ns());
  CHECK(half->lane.size() == kino::kLaneCells);
  const auto wrong = kino::retimed_content(*content, {"graphs", "cpu=0"}, {});
  CHECK_FALSE(wrong->problem.empty());
  CHECK(wrong->pieces.empty());
}

TEST_CASE("a cell of a lane has the cause with the most time in it") {
  const std::int64_t cell_ns = 1'000;
  const std::int64_t all_ns = cell_ns * static_cast<std::int64_t>(kino::kLaneCells);
  const std::vector<kino::PathPiece> pieces{piece(0, 1'400, kino::PathCause::op),
                                            piece(1'400, 2'000, kino::PathCause::compute),
                                            piece(2'000, all_ns, kino::PathCause::copy)};
  const kino::LaneCells cells = kino::lane_cells(pieces, {0, all_ns});
  REQUIRE(cells.size() == kino::kLaneCells);
  CHECK(cells[0] == kino::PathCause::op);
  CHECK(cells[1] == kino::PathCause::compute);
  CHECK(cells[2] == kino::PathCause::copy);
  CHECK(cells.back() == kino::PathCause::copy);
  CHECK(kino::lane_cells({}, {0, all_ns}).empty());
  CHECK(kino::lane_cells(std::vector{piece(0, 3, kino::PathCause::op)}, {0, 3}).size() == kino::kLaneCells);
}

TEST_CASE("the piece at a time is found, and there is none outside of the window") {
  const std::vector<kino::PathPiece> pieces{piece(10, 20, kino::PathCause::op),
                                            piece(20, 30, kino::PathCause::compute)};
  CHECK(kino::piece_at(pieces, 9) == 2);
  CHECK(kino::piece_at(pieces, 10) == 0);
  CHECK(kino::piece_at(pieces, 20) == 1);
  CHECK(kino::piece_at(pieces, 30) == 2);
  CHECK(kino::piece_at({}, 0) == 0);
}

TEST_CASE("a pattern matches punctuation literally, and long names have none") {
  const std::string name = "at::native::copy (int, float*)";
  CHECK(kino::literal_text(kino::literal_pattern(name)) == name);
  CHECK(kino::literal_pattern(std::string(100, 'k')).empty());
  CHECK(kino::literal_pattern("").empty());
}

TEST_CASE("a usual forecast makes its setting, and a second click removes it") {
  kino::CriticalState state = state_of(queued_kernels());
  state.toggle("compute=0.5");
  CHECK(state.settings() == std::vector<std::string>{"compute=0.5"});
  CHECK(state.factor("compute") == 0.5);
  CHECK(state.is_chosen("compute=0.5"));
  CHECK_FALSE(state.is_chosen("compute=0"));
  state.toggle("graphs");
  CHECK(state.settings() == std::vector<std::string>{"compute=0.5", "graphs"});
  state.toggle("compute=0.5");
  CHECK(state.settings() == std::vector<std::string>{"graphs"});
  state.reset();
  CHECK(state.settings().empty());
}

TEST_CASE("sliders set factors, and settings without effect are left out") {
  kino::CriticalState state = state_of(queued_kernels());
  state.set_factor("kernel:gemm", 0.25);
  state.set_factor("compute", 0);
  CHECK(state.settings() == std::vector<std::string>{"compute=0"});
  state.set_factor("compute", 1);
  CHECK(state.settings() == std::vector<std::string>{"kernel:gemm=0.25"});
  state.set_factor("kernel:gemm", 1);
  CHECK(state.chosen.empty());
}

TEST_CASE("keys walk through forecasts, pieces and tables, and show a piece in the timeline") {
  kino::CriticalState state = state_of(queued_kernels());
  state.step_forecast(1);
  CHECK(state.forecast == 0);
  state.step_forecast(-1);
  CHECK(state.forecast == 0);
  state.step_piece(1);
  state.step_piece(-1);
  CHECK(state.piece == state.content->longest.size() - 1);
  state.step_piece(1);
  CHECK(state.piece == 0);
  CHECK(state.tabs().size() == 3);
  state.next_tab();
  CHECK(state.tab == kino::PathTab::name);
  state.next_tab();
  CHECK(state.tab == kino::PathTab::longest);
  state.next_tab();
  CHECK(state.tab == kino::PathTab::cause);
  state.open_selection();
  state.open_slice(kino::slice_named(*state.content->traces.front(), "softmax"), 0);
  state.open_slice(kino::kNoSlice, 0);
  REQUIRE(state.requests.size() == 2);
  const auto* const shown = std::get_if<kino::ShowRange>(&state.requests[0]);
  REQUIRE(shown != nullptr);
  CHECK(shown->slice == kino::slice_named(*state.content->traces.front(), "gemm"));
  const auto* const slice = std::get_if<kino::ShowRange>(&state.requests[1]);
  REQUIRE(slice != nullptr);
  CHECK(slice->range == kino::TimeRange{335'000, 435'000});
}
