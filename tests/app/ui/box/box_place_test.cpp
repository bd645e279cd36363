// Covers: box_place
#include "app/ui/box/box_place.hpp"

#include <doctest/doctest.h>

using namespace kino;

TEST_CASE("times with a unit, steps and numbers of events are places") {
  using Kind = BoxPlace::Kind;
  CHECK(box_place("12.5ms") == BoxPlace{Kind::time, 12'500'000});
  CHECK(box_place(" 12.5 ms ") == BoxPlace{Kind::time, 12'500'000});
  CHECK(box_place("3S") == BoxPlace{Kind::time, 3'000'000'000});
  CHECK(box_place("7us") == BoxPlace{Kind::time, 7'000});
  CHECK(box_place("step 7") == BoxPlace{Kind::step, 7});
  CHECK(box_place("ProfilerStep#7") == BoxPlace{Kind::step, 7});
  CHECK(box_place("ステップ 7") == BoxPlace{Kind::step, 7});
  CHECK(box_place("步骤7") == BoxPlace{Kind::step, 7});
  CHECK(box_place("#4711") == BoxPlace{Kind::event, 4711});
}

TEST_CASE("other text, such as a number without a unit, is not a place") {
  for (const char* text : {"", "12", "12.", "12parsecs", "step", "step x", "step 7 gemm", "#", "#x", "-3ms",
                           "ms", "99999999999999999999s", "#99999999999999999999", "stepwise"}) {
    CAPTURE(text);
    CHECK_FALSE(box_place(text).has_value());
  }
}
