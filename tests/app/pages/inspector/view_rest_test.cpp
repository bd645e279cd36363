// Covers: view_rest
// The moment at which the sums of the visible time are computed.
#include "app/pages/inspector/view_rest.hpp"

#include <doctest/doctest.h>

TEST_CASE("a view is summed at once if it is the first, else once it has rested for 150 ms") {
  kino::ViewRest rest;
  const kino::TimeView first{0, 1000, 800};
  CHECK(rest.note(first, 0.016));
  CHECK_FALSE(rest.note(first, 10));
  CHECK_FALSE(rest.waiting());

  const kino::TimeView moving{10, 1000, 800};
  const kino::TimeView second{20, 1000, 800};
  CHECK_FALSE(rest.note(moving, 0.1));
  CHECK_FALSE(rest.note(moving, 0.1));
  CHECK_FALSE(rest.note(second, 0.1));
  CHECK(rest.waiting());
  CHECK_FALSE(rest.note(second, 0.1));
  CHECK(rest.note(second, 0.06));
  CHECK_FALSE(rest.waiting());
  CHECK_FALSE(rest.note(second, 10));
}
