// Covers: overview_map
#include "app/ui/view/overview_map.hpp"

#include <doctest/doctest.h>

using namespace kino;

namespace {

const OverviewMap kMap{{1000, 101'000}, 1000};  // 100 ns per pixel
constexpr TimeSpan kMiddle{41'000, 61'000};     // px 400 to 600

OverviewDrag pressed(const TimeSpan& visible, double px) {
  OverviewDrag drag;
  drag.press(kMap, visible, px, 1);
  return drag;
}

}  // namespace

TEST_CASE("a pixel of the strip and its time correspond") {
  CHECK(kMap.ns_from_px(0) == doctest::Approx(1000));
  CHECK(kMap.ns_from_px(1000) == doctest::Approx(101'000));
  CHECK(kMap.px_from_ns(kMap.ns_from_px(123.4)) == doctest::Approx(123.4));
  const OverviewMap empty{{5, 5}, 0};
  CHECK(empty.ns_per_px() == 1);
}

TEST_CASE("the brush is the visible window, clipped to the strip and never too thin to see") {
  const Brush middle = brush_of(kMap, kMiddle, 1);
  CHECK(middle.left_px == doctest::Approx(400));
  CHECK(middle.right_px == doctest::Approx(600));
  const Brush wide = brush_of(kMap, {-50'000, 500'000}, 1);
  CHECK(wide.left_px == 0);
  CHECK(wide.right_px == 1000);
  const Brush thin = brush_of(kMap, {51'000, 51'001}, 2);
  CHECK(thin.right_px - thin.left_px == doctest::Approx(6));
  CHECK((thin.right_px + thin.left_px) / 2 == doctest::Approx(500).epsilon(0.001));
  const Brush beyond = brush_of(kMap, {200'000, 210'000}, 1);
  CHECK(beyond.right_px == doctest::Approx(1000));
  CHECK(beyond.left_px == doctest::Approx(997));
}

TEST_CASE("handles are at the brush's edges, its inside between them") {
  CHECK(brush_part_at(kMap, kMiddle, 397, 1) == BrushPart::left_handle);
  CHECK(brush_part_at(kMap, kMiddle, 404, 1) == BrushPart::left_handle);
  CHECK(brush_part_at(kMap, kMiddle, 500, 1) == BrushPart::inside);
  CHECK(brush_part_at(kMap, kMiddle, 603, 1) == BrushPart::right_handle);
  CHECK(brush_part_at(kMap, kMiddle, 300, 1) == BrushPart::outside);
  CHECK(brush_part_at(kMap, {51'000, 51'001}, 500, 1) == BrushPart::inside);
  CHECK(brush_part_at(kMap, {1000, 101'000}, 500, 1) == BrushPart::outside);
}

TEST_CASE("dragging the brush moves the window and keeps its length") {
  OverviewDrag drag = pressed(kMiddle, 500);
  CHECK_FALSE(drag.move(kMap, 501).changed);
  const OverviewDrag::Answer answer = drag.move(kMap, 450);
  CHECK(answer.changed);
  CHECK(answer.visible.begin_ns == doctest::Approx(36'000));
  CHECK(answer.visible.length_ns() == doctest::Approx(20'000));
  CHECK(drag.release(kMap, 450).visible.begin_ns == doctest::Approx(36'000));
  CHECK_FALSE(drag.active());
}

TEST_CASE("a window inside the content is not dragged out of it") {
  OverviewDrag drag = pressed(kMiddle, 500);
  CHECK(drag.move(kMap, -900).visible.begin_ns == doctest::Approx(1000));
  CHECK(drag.move(kMap, 2000).visible.end_ns == doctest::Approx(101'000));
  CHECK(drag.move(kMap, 2000).visible.length_ns() == doctest::Approx(20'000));
  OverviewDrag handle = pressed(kMiddle, 600);
  CHECK(handle.move(kMap, 2000).visible.end_ns == doctest::Approx(101'000));
}

TEST_CASE("a handle moves its own edge and stops at the other one") {
  OverviewDrag left = pressed(kMiddle, 400);
  CHECK(left.move(kMap, 300).visible.begin_ns == doctest::Approx(31'000));
  CHECK(left.move(kMap, 300).visible.end_ns == 61'000);
  const TimeSpan shut = left.move(kMap, 900).visible;
  CHECK(shut.begin_ns < shut.end_ns);
  OverviewDrag right = pressed(kMiddle, 600);
  CHECK(right.move(kMap, 700).visible.end_ns == doctest::Approx(71'000));
  CHECK(right.move(kMap, 700).visible.begin_ns == 41'000);
}

TEST_CASE("a click beside the brush moves the window there, one inside it does nothing") {
  OverviewDrag drag = pressed(kMiddle, 100);
  const OverviewDrag::Answer answer = drag.release(kMap, 100);
  CHECK(answer.changed);
  CHECK(answer.visible.begin_ns == doctest::Approx(1000));
  CHECK(answer.visible.end_ns == doctest::Approx(21'000));
  CHECK_FALSE(pressed(kMiddle, 500).release(kMap, 500).changed);
  CHECK_FALSE(pressed({1000, 101'000}, 500).release(kMap, 500).changed);
}

TEST_CASE("a drag beside the brush shows the marked range, clipped to the strip") {
  OverviewDrag drag = pressed(kMiddle, 200);
  CHECK_FALSE(drag.marking());
  CHECK_FALSE(drag.move(kMap, 100).changed);
  CHECK(drag.marking());
  const OverviewDrag::Answer answer = drag.release(kMap, -40);
  CHECK(answer.changed);
  CHECK(answer.visible.begin_ns == doctest::Approx(1000));
  CHECK(answer.visible.end_ns == doctest::Approx(21'000));
}
