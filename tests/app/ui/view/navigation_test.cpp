// Covers: navigation
#include "app/ui/view/navigation.hpp"

#include <cmath>

#include <doctest/doctest.h>

using namespace kino;

namespace {

constexpr TimeRange kContent{0, 1'000'000'000};

Navigation placed(double width_px = 1000) {
  Navigation navigation(kContent);
  navigation.set_width(width_px);
  return navigation;
}

void settle(Navigation& navigation) {
  for (int i = 0; i < 300 && navigation.moving(); ++i) navigation.step(0.01, {}, 0);
  CHECK_FALSE(navigation.moving());
}

}  // namespace

TEST_CASE("the first layout shows the whole content at once") {
  const Navigation navigation = placed();
  CHECK_FALSE(navigation.moving());
  CHECK(navigation.view().begin_ns < 0);
  CHECK(navigation.view().begin_ns > -0.02e9);
  CHECK(navigation.view().end_ns() > 1e9);
  CHECK(navigation.view().end_ns() < 1.02e9);
}

TEST_CASE("a fitted view is fitted again when the width changes, a zoomed one keeps its scale") {
  Navigation navigation = placed();
  navigation.set_width(500);
  CHECK(navigation.view().end_ns() == doctest::Approx(1.01e9));
  CHECK_FALSE(navigation.moving());
  navigation.show({0, 1'000'000});
  navigation.set_width(1000);
  CHECK(navigation.view().ns_per_px == doctest::Approx(2000));
}

TEST_CASE("held keys move as far in 10 steps of 16 ms as in 16 steps of 10 ms") {
  for (const HeldMovement held :
       {HeldMovement{1, 0, false}, HeldMovement{-1, 0, false}, HeldMovement{0, 1, true},
        HeldMovement{0, -1, false}, HeldMovement{1, 0, true}}) {
    Navigation coarse = placed();
    Navigation fine = placed();
    for (Navigation* navigation : {&coarse, &fine}) navigation->show({400'000'000, 500'000'000});
    for (int i = 0; i < 10; ++i) coarse.step(0.016, held, 300);
    for (int i = 0; i < 16; ++i) fine.step(0.010, held, 300);
    CHECK(coarse.view().ns_per_px == doctest::Approx(fine.view().ns_per_px).epsilon(1e-9));
    CHECK(std::abs(coarse.view().begin_ns - fine.view().begin_ns) < 1e-6 * fine.view().ns_per_px);
    settle(coarse);
    settle(fine);
    CHECK(std::abs(coarse.view().begin_ns - fine.view().begin_ns) < fine.view().ns_per_px);
  }
}

TEST_CASE("the path to a target does not depend on the frame rate") {
  Navigation coarse = placed();
  Navigation fine = placed();
  for (Navigation* navigation : {&coarse, &fine}) navigation->zoom_at(250, 8);
  for (int i = 0; i < 10; ++i) coarse.step(0.008, {}, 0);
  for (int i = 0; i < 80; ++i) fine.step(0.001, {}, 0);
  CHECK(coarse.view().ns_per_px == doctest::Approx(fine.view().ns_per_px).epsilon(1e-6));
  CHECK(std::abs(coarse.view().begin_ns - fine.view().begin_ns) < 1e-3 * fine.view().ns_per_px);
}

TEST_CASE("the time under the mouse is fixed in every frame of a zoom") {
  Navigation navigation = placed();
  const double px = 730;
  const double time = navigation.view().ns_from_px(px);
  navigation.zoom_at(px, 50);
  while (navigation.moving()) {
    navigation.step(0.007, {}, 0);
    CHECK(std::abs(navigation.view().px_from_ns(time) - px) < 0.05);
  }
  CHECK(navigation.view().ns_per_px == doctest::Approx(1.02e6 / 50));
  for (int i = 0; i < 60; ++i) {
    navigation.step(0.016, {1, 0, false}, px);
    CHECK(std::abs(navigation.view().px_from_ns(time) - px) < 0.05);
  }
}

TEST_CASE("a second zoom during the first keeps the time under the mouse") {
  Navigation navigation = placed();
  navigation.zoom_at(200, 20);
  navigation.step(0.02, {}, 0);
  const double time = navigation.view().ns_from_px(800);
  navigation.zoom_at(800, 2);
  while (navigation.moving()) {
    navigation.step(0.01, {}, 0);
    CHECK(std::abs(navigation.view().px_from_ns(time) - 800) < 0.05);
  }
}

TEST_CASE("a movement approaches its target from one side without overshooting") {
  Navigation navigation = placed();
  navigation.fit({200'000'000, 200'010'000}, 0.1);
  double scale = navigation.view().ns_per_px;
  double begin = navigation.view().begin_ns;
  int steps = 0;
  while (navigation.moving()) {
    navigation.step(0.005, {}, 0);
    CHECK(navigation.view().ns_per_px <= scale);
    CHECK(navigation.view().ns_per_px >= navigation.target().ns_per_px);
    CHECK(navigation.view().begin_ns >= begin);
    CHECK(navigation.view().begin_ns <= navigation.target().begin_ns + 1e-6);
    scale = navigation.view().ns_per_px;
    begin = navigation.view().begin_ns;
    REQUIRE(++steps < 400);
  }
  CHECK(navigation.view().begin_ns < 200'000'000);
  CHECK(navigation.view().end_ns() > 200'010'000);
}

TEST_CASE("a long frame ends at the target, not beyond it") {
  Navigation navigation = placed();
  navigation.zoom_at(500, 1000);
  navigation.step(5.0, {}, 0);
  CHECK(navigation.view().ns_per_px >= navigation.target().ns_per_px);
  CHECK(navigation.view().ns_per_px == doctest::Approx(navigation.target().ns_per_px).epsilon(0.02));
}

TEST_CASE("zoom is limited to a twentieth of a ns per pixel and to four times the content") {
  Navigation navigation = placed();
  for (int i = 0; i < 100; ++i) navigation.zoom_at(500, 4);
  settle(navigation);
  CHECK(navigation.view().ns_per_px == doctest::Approx(0.05));
  for (int i = 0; i < 100; ++i) navigation.zoom_at(500, 0.25);
  settle(navigation);
  CHECK(navigation.view().ns_per_px * 1000 == doctest::Approx(4e9));
}

TEST_CASE("panning cannot leave the content") {
  Navigation navigation = placed();
  for (const int direction : {1, -1}) {
    for (int i = 0; i < 200; ++i) navigation.step(0.1, {0, direction, true}, 0);
    settle(navigation);
    CHECK(navigation.view().begin_ns < 1e9);
    CHECK(navigation.view().end_ns() > 0);
  }
  for (int i = 0; i < 100; ++i) navigation.drag_px(-5000);
  CHECK(navigation.view().end_ns() > 0);
}

TEST_CASE("dragging has immediate effect and ends all other movements") {
  Navigation navigation = placed();
  navigation.show({100'000'000, 200'000'000});
  navigation.zoom_at(500, 3);
  navigation.step(0.01, {}, 0);
  const TimeView before = navigation.view();
  navigation.drag_px(40);
  CHECK_FALSE(navigation.moving());
  CHECK(navigation.view().begin_ns == doctest::Approx(before.begin_ns + 40 * before.ns_per_px));
  CHECK(navigation.view().ns_per_px == before.ns_per_px);
}

TEST_CASE("an exact range is shown exactly and immediately") {
  Navigation navigation = placed(800);
  navigation.show({123'456'000, 123'457'000});
  CHECK_FALSE(navigation.moving());
  CHECK(navigation.view().begin_ns == 123'456'000.0);
  CHECK(navigation.view().end_ns() == doctest::Approx(123'457'000.0));
}

TEST_CASE("a range requested before the width is known is shown when it is") {
  Navigation navigation(kContent);
  navigation.show({2'000'000, 3'000'000});
  navigation.set_width(1000);
  CHECK(navigation.view().begin_ns == 2'000'000.0);
  CHECK(navigation.view().end_ns() == doctest::Approx(3'000'000.0));
}

TEST_CASE("empty content and distant content can be shown") {
  Navigation empty(TimeRange{});
  empty.set_width(500);
  empty.fit_all();
  settle(empty);
  CHECK(empty.view().ns_per_px > 0);
  Navigation navigation = placed();
  navigation.fit({50'000'000'000, 50'000'001'000}, 0.1);
  settle(navigation);
  CHECK(navigation.view().begin_ns < 50e9);
  CHECK(navigation.view().end_ns() > 50e9 + 1000);
}

TEST_CASE("scrolling follows its target without overshooting and within its limit") {
  SmoothScroll scroll;
  scroll.set_limit(1000);
  scroll.scroll_by(400);
  double last = 0;
  while (scroll.moving()) {
    scroll.step(0.008);
    CHECK(scroll.position() > last);
    CHECK(scroll.position() <= 400);
    last = scroll.position();
  }
  scroll.scroll_by(5000);
  CHECK(scroll.target() == 1000);
  scroll.set_limit(100);
  CHECK(scroll.position() == 100);
  CHECK_FALSE(scroll.moving());
}

TEST_CASE("a visible range is revealed without moving, also at the edge of the trace") {
  Navigation navigation = placed();
  const TimeView before = navigation.target();
  for (const TimeRange range : {TimeRange{0, 1000}, TimeRange{999'999'000, 1'000'000'000}, kContent}) {
    navigation.reveal(range);
    CHECK(navigation.target() == before);
  }
  navigation.show({400'000'000, 500'000'000});
  const TimeView near = navigation.target();
  navigation.reveal({400'000'000, 400'000'100});
  navigation.reveal({300'000'000, 900'000'000});  // longer than the view, which shows only a part of it
  CHECK(navigation.target() == near);
}

TEST_CASE("a range beside the view is revealed by the shortest movement, at the same scale") {
  Navigation navigation = placed();
  navigation.show({400'000'000, 500'000'000});
  const double scale = navigation.target().ns_per_px;
  navigation.reveal({510'000'000, 520'000'000});
  CHECK(navigation.target().ns_per_px == scale);
  CHECK(navigation.target().px_from_ns(520e6) == doctest::Approx(950));
  navigation.reveal({400'000'000, 401'000'000});
  CHECK(navigation.target().px_from_ns(400e6) == doctest::Approx(50));
  CHECK(navigation.target().ns_per_px == scale);
}

TEST_CASE("revealing shows no more empty time beside the trace than fitting all of it") {
  for (const double width_ns : {1e3, 1e6, 90e6, 700e6, 1e9, 3e9}) {
    for (const std::int64_t at : {0, 1, 3'000'000, 500'000'000, 999'000'000, 999'999'990}) {
      for (const double begin : {-0.5, 0.0, 0.3, 0.9}) {
        Navigation navigation = placed();
        const auto from = static_cast<std::int64_t>(begin * 1e9);
        navigation.show({from, from + static_cast<std::int64_t>(width_ns)});
        const TimeView before = navigation.target();
        const TimeRange range{at, at + 10};
        navigation.reveal(range);
        const TimeView& now = navigation.target();
        CHECK(now.px_from_ns(static_cast<double>(range.begin_ns)) >= -1e-6);
        CHECK(now.px_from_ns(static_cast<double>(range.end_ns)) <= 1000 + 1e-6);
        if (now == before) continue;
        const double wider = std::max(0.0, now.end_ns() - now.begin_ns - 1e9);
        CHECK(now.begin_ns >= -0.01e9 - wider - 1);
        CHECK(now.end_ns() <= 1.01e9 + wider + 1);
      }
    }
  }
}

TEST_CASE("a range longer than the view and outside of it is fitted within the trace") {
  Navigation navigation = placed();
  navigation.show({900'000'000, 901'000'000});
  navigation.reveal({0, 500'000'000});
  CHECK(navigation.target().px_from_ns(0) >= 0);
  CHECK(navigation.target().px_from_ns(500e6) <= 1000);
  CHECK(navigation.target().begin_ns >= -0.01e9);
  CHECK(navigation.target().end_ns() < 0.6e9);
}
