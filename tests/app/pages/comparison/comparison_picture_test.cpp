// Covers: comparison_picture, comparison_state
// Content of the page of two runs: labels, both lanes, and the tree of times.
#include "app/pages/comparison/comparison_picture.hpp"

#include <algorithm>
#include <string>

#include <doctest/doctest.h>

#include "app/pages/comparison/comparison_state.hpp"
#include "tests/fixtures/event_fixture.hpp"

namespace {

using kino::ComparedSide;
using kino::kSides;

/// Returns five steps of 1,000 ns with one kernel each; with `extra`, also a kernel that other runs lack.
std::shared_ptr<const kino::Trace> run_of(std::int64_t kernel_ns, bool extra) {
  kino::EventFixture events;
  std::uint32_t number = 0;
  for (int step = 0; step < 5; ++step) {
    const std::int64_t begin = 1000 * step;
    ++number;
    events
        .slice(kino::TrackClass::cpu, "user_annotation", "ProfilerStep#" + std::to_string(step), begin, 1000,
               "1")
        .op("aten::mm", begin + 10, 50)
        .launch(begin + 20, 10, number)
        .kernel("gemm", begin + 100, kernel_ns + step, number);
    if (extra) {
      ++number;
      events.op("aten::add", begin + 600, 50)
          .launch(begin + 610, 10, number)
          .kernel("add", begin + 700, 100, number);
    }
  }
  return events.build();
}

std::shared_ptr<const kino::ReadRuns> read(const std::shared_ptr<const kino::Trace>& a,
                                           const std::shared_ptr<const kino::Trace>& b) {
  std::array<ComparedSide, kSides> sides;
  sides[0].trace = a;
  sides[1].trace = b;
  return std::make_shared<const kino::ReadRuns>(kino::read_runs(sides, {}));
}

}  // namespace

TEST_CASE("labels two runs by the part of their names that differs, with the word before it") {
  using Labels = std::array<std::string, kSides>;
  CHECK(kino::different_labels({"resnet50_num_workers_0__worker0", "resnet50_num_workers_4__worker0"}) ==
        Labels{"workers_0", "workers_4"});
  CHECK(kino::different_labels({"a", "b"}) == Labels{"a", "b"});
  const std::string one = "one_and_the_same_long_title.json";
  CHECK(kino::different_labels({one, one}) == Labels{one, one});
  CHECK(kino::different_labels({"traces_h100__a_model_of_some_name", "traces_mi300__a_model_of_some_name"}) ==
        Labels{"traces_h100", "traces_mi300"});
  CHECK(kino::different_labels({"traces_mi300__bert_and_more_of_it", "traces_mi300__qwen_and_more_of_it"}) ==
        Labels{"mi300__bert", "mi300__qwen"});
}

TEST_CASE(
    "a comparison shows both median steps, the change between them, and a tree with A's shares as widths") {
  const auto runs = read(run_of(300, false), run_of(400, true));
  CHECK(runs->lanes[0].name == "2");
  CHECK(runs->lanes[0].window.length_ns() == 1000);
  const kino::ComparisonPicture picture = kino::compare(runs, {}, {}, {});
  CHECK_FALSE(picture.by_module);
  REQUIRE_FALSE(picture.icicle.empty());
  CHECK(picture.icicle.front().width == doctest::Approx(1));
  double causes = 0;
  for (const kino::IcicleNode& node : picture.icicle) causes += node.depth == 1 ? node.width : 0;
  CHECK(causes == doctest::Approx(1).epsilon(0.02));
  const auto row_named = [&](const char* key) {
    const auto& rows = picture.comparison.rows;
    return static_cast<std::uint32_t>(std::ranges::find(rows, key, &kino::ComparedRow::key) - rows.begin());
  };
  CHECK(kino::parts_of_row(picture, 0, row_named("gemm")).size() == 1);
  CHECK(kino::parts_of_row(picture, 0, row_named("add")).empty());
  CHECK(kino::parts_of_row(picture, 1, row_named("add")).size() == 1);
  // The same work begins at the same time, and ends 100 ns later in B.
  CHECK(runs->time_in_b(0) == doctest::Approx(0));
  CHECK(runs->time_in_b(1000) == doctest::Approx(1000));
}

TEST_CASE("reports runs without anything to compare") {
  kino::EventFixture events;
  events.slice(kino::TrackClass::cpu, "python_function", "main", 0, 10, "1");
  const auto nothing = events.build();
  const auto runs = read(nothing, run_of(300, false));
  const kino::ComparisonPicture picture = kino::compare(runs, {}, {}, {});
  CHECK(picture.comparison.steps_a.empty());
  CHECK(picture.comparison.rows.empty());
  CHECK(picture.icicle.empty());
}

TEST_CASE("a filter by a cause without rows selects no row") {
  kino::ComparisonState state;
  const auto runs = read(run_of(300, false), run_of(400, true));
  state.picture = std::make_shared<const kino::ComparisonPicture>(kino::compare(runs, {}, {}, {}));
  const auto& rows = state.picture->comparison.rows;
  REQUIRE_FALSE(rows.empty());
  REQUIRE(std::ranges::find(rows, kino::TimeCategory::copy, &kino::ComparedRow::cause) == rows.end());
  state.cause = kino::TimeCategory::copy;
  for (const int by : {1, -1}) {
    state.step_change(by);
    CHECK_FALSE(state.row.has_value());
  }
  state.cause = rows.back().cause;
  state.step_change(-1);
  REQUIRE(state.row.has_value());
  CHECK(*state.row == rows.size() - 1);
}
