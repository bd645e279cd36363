// Covers: step_ruler
// The keys for steps move to the next or previous step from any view.
#include "app/pages/timeline/step_ruler.hpp"

#include <doctest/doctest.h>

using namespace kino;

namespace {

Steps three_steps() {
  Steps steps;
  for (const std::int64_t begin : {1000, 2000, 3000}) {
    Step step;
    step.range = {begin, begin + 800};
    steps.steps.push_back(step);
  }
  return steps;
}

TimeView view_of(double begin_ns, double end_ns) { return {begin_ns, (end_ns - begin_ns) / 1000, 1000}; }

}  // namespace

TEST_CASE("from a view that one step fills, the keys move to its neighbors") {
  const Steps steps = three_steps();
  CHECK(next_step_in_view(steps, view_of(1980, 2820), 1) == 2);
  CHECK(next_step_in_view(steps, view_of(1980, 2820), -1) == 0);
  CHECK(next_step_in_view(steps, view_of(2300, 2310), 1) == 2);
  CHECK(next_step_in_view(steps, view_of(2980, 3820), 1) == Steps::kNone);
  CHECK(next_step_in_view(steps, view_of(980, 1820), -1) == Steps::kNone);
}

TEST_CASE("from a view of many steps, the keys move to the first and the last") {
  const Steps steps = three_steps();
  CHECK(next_step_in_view(steps, view_of(0, 5000), 1) == 0);
  CHECK(next_step_in_view(steps, view_of(0, 5000), -1) == 2);
}

TEST_CASE("from a view between steps, the keys move to the nearest step on each side") {
  const Steps steps = three_steps();
  CHECK(next_step_in_view(steps, view_of(1850, 1950), 1) == 1);
  CHECK(next_step_in_view(steps, view_of(1850, 1950), -1) == 0);
  CHECK(next_step_in_view(steps, view_of(4000, 4100), 1) == Steps::kNone);
  CHECK(next_step_in_view(Steps{}, view_of(0, 1), 1) == Steps::kNone);
}

TEST_CASE("steps extend to the next, and mark the hovered one and outliers") {
  Steps steps = three_steps();
  steps.steps[2].outlier = true;
  const std::vector<StepMark> marks = step_marks(steps, view_of(0, 4000), 1000, 1);  // 4 ns per pixel
  REQUIRE(marks.size() == 3);
  CHECK(marks[0].left == 250);
  CHECK(marks[0].right == 450);
  CHECK(marks[1].hovered);
  CHECK_FALSE(marks[2].hovered);
  CHECK(marks[2].outlier);
  CHECK(step_marks(steps, view_of(2100, 2200), 1000, Steps::kNone).size() == 1);
  CHECK(step_marks(steps, view_of(4000, 4100), 1000, Steps::kNone).empty());
}

TEST_CASE("overlapping steps are drawn at most once per column and pixel") {
  Steps steps;
  constexpr int kSteps = 20000;
  for (int i = 0; i < kSteps; ++i) {
    Step step;
    step.range = {i * 10, i * 10 + 1'000'000};
    step.outlier = i == 777;
    steps.steps.push_back(step);
  }
  const std::vector<StepMark> marks = step_marks(steps, view_of(0, 1'200'000), 1000, 5);
  CHECK(marks.size() <= 1001);
  float filled = 0;
  std::size_t outliers = 0;
  for (const StepMark& mark : marks) {
    filled += mark.right - mark.left;
    outliers += mark.outlier ? 1 : 0;
  }
  CHECK(filled <= 1001);
  CHECK(outliers == 1);
  CHECK(marks.front().hovered);
  CHECK(marks.back().step == kSteps - 1);
}
