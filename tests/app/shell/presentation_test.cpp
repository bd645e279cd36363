// Covers: presentation
// Changed frames are rendered and sent; on a slow link, only the newest of several frames.
#include "app/shell/presentation.hpp"

#include <doctest/doctest.h>

using kino::Presentation;

TEST_CASE("renders only frames that show something new on a fast link") {
  Presentation presentation;
  CHECK(presentation.worth_rendering(0, false, 0.5));
  presentation.sent(7, 0.002);
  CHECK_FALSE(presentation.slow());
  CHECK(presentation.worth_rendering(8, true, 1.001));
  CHECK_FALSE(presentation.worth_rendering(7, true, 1.001));
  CHECK_FALSE(presentation.worth_rendering(7, false, 100));
}

TEST_CASE("renders the next frame after an expose event or a worker's result until it is sent") {
  Presentation presentation;
  presentation.sent(7, 0.002);
  presentation.renew();
  CHECK(presentation.worth_rendering(7, false, 1.1));
  CHECK(presentation.worth_rendering(7, false, 1.2));
  presentation.sent(7, 0.002);
  CHECK_FALSE(presentation.worth_rendering(7, false, 1.4));
}

TEST_CASE("renders a changing picture on a slow link once per sending time") {
  Presentation presentation;
  presentation.sent(7, 2.0);
  CHECK(presentation.slow());
  CHECK_FALSE(presentation.worth_rendering(7, false, 9.0));
  CHECK(presentation.worth_rendering(8, false, 10.0));
  CHECK_FALSE(presentation.worth_rendering(8, true, 10.0));
  CHECK_FALSE(presentation.worth_rendering(9, true, 11.9));
  CHECK(presentation.worth_rendering(9, true, 12.0));
  presentation.sent(9, 3.0);
  CHECK_FALSE(presentation.worth_rendering(8, true, 15.0));
  CHECK_FALSE(presentation.worth_rendering(8, true, 17.9));
  CHECK(presentation.worth_rendering(8, true, 18.0));
}

TEST_CASE("treats a link as fast once sending has become fast") {
  Presentation presentation;
  presentation.sent(7, 2.0);
  presentation.sent(8, 0.01);
  CHECK_FALSE(presentation.slow());
  CHECK(presentation.worth_rendering(9, true, 2.01));
}
