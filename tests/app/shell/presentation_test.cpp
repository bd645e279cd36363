// Where sending is slow, only what is new is sent, and the newest of what came at once.
#include "app/shell/presentation.hpp"

#include <doctest/doctest.h>

using kino::Presentation;

TEST_CASE("on a fast link every frame is rendered and sent") {
  Presentation presentation;
  presentation.sent(1.0, 0.002, 7);
  CHECK_FALSE(presentation.slow());
  CHECK(presentation.worth_rendering(true, 1.001));
  CHECK(presentation.worth_sending(7));
}

TEST_CASE("on a slow link a frame that shows nothing new is not sent") {
  Presentation presentation;
  presentation.sent(1.0, Presentation::kSlowSeconds, 7);
  CHECK(presentation.slow());
  CHECK_FALSE(presentation.worth_sending(7));
  CHECK(presentation.worth_sending(8));
}

TEST_CASE("on a slow link input is handed out before it is shown, but not for long without a picture") {
  Presentation presentation;
  presentation.sent(1.0, 2.0, 7);
  CHECK_FALSE(presentation.worth_rendering(true, 1.1));
  CHECK(presentation.worth_rendering(false, 1.1));
  CHECK(presentation.worth_rendering(true, 1.0 + Presentation::kOftenSeconds));
}

TEST_CASE("a link that has become fast counts as one") {
  Presentation presentation;
  presentation.sent(1.0, 2.0, 7);
  presentation.sent(2.0, 0.01, 8);
  CHECK_FALSE(presentation.slow());
  CHECK(presentation.worth_rendering(true, 2.01));
}
