// What is new is rendered and sent; where sending is slow, the newest of what came at once.
#include "app/shell/presentation.hpp"

#include <doctest/doctest.h>

using kino::Presentation;

TEST_CASE("on a fast link every frame that shows something new is rendered, and no other") {
  Presentation presentation;
  CHECK(presentation.worth_rendering(0, false, 0.5));
  presentation.sent(7, 1.0, 0.002);
  CHECK_FALSE(presentation.slow());
  CHECK(presentation.worth_rendering(8, true, 1.001));
  CHECK_FALSE(presentation.worth_rendering(7, true, 1.001));
  CHECK_FALSE(presentation.worth_rendering(7, false, 100));
}

TEST_CASE("after something was uncovered or brought, the next frame is new until it is sent") {
  Presentation presentation;
  presentation.sent(7, 1.0, 0.002);
  presentation.renew();
  CHECK(presentation.worth_rendering(7, false, 1.1));
  CHECK(presentation.worth_rendering(7, false, 1.2));
  presentation.sent(7, 1.3, 0.002);
  CHECK_FALSE(presentation.worth_rendering(7, false, 1.4));
}

TEST_CASE("on a slow link input is handed out before it is shown, but not for long without a picture") {
  Presentation presentation;
  presentation.sent(7, 1.0, Presentation::kSlowSeconds);
  CHECK(presentation.slow());
  CHECK_FALSE(presentation.worth_rendering(7, false, 9.0));
  CHECK_FALSE(presentation.worth_rendering(8, true, 1.1));
  CHECK(presentation.worth_rendering(8, false, 1.1));
  CHECK(presentation.worth_rendering(8, true, 1.0 + Presentation::kOftenSeconds));
}

TEST_CASE("a link that has become fast counts as one") {
  Presentation presentation;
  presentation.sent(7, 1.0, 2.0);
  presentation.sent(8, 2.0, 0.01);
  CHECK_FALSE(presentation.slow());
  CHECK(presentation.worth_rendering(9, true, 2.01));
}
