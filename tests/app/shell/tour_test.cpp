// Covers: tour, record_sheet
// The tour continues once a step is done, and only then. The guide contains the snippets for recording.
#include "app/shell/tour.hpp"

#include <fstream>
#include <iterator>
#include <string>

#include <doctest/doctest.h>

#include "app/shell/record_sheet.hpp"

using kino::Tour;

TEST_CASE("each step of the tour advances when it is done, in order") {
  Tour tour;
  CHECK(tour.step() == Tour::Step::none);
  tour.see({.span_ns = 1, .selected = true, .asked = true});
  CHECK(tour.step() == Tour::Step::none);
  tour.begin();
  tour.see({.span_ns = 1000, .selected = true, .asked = true});
  CHECK(tour.step() == Tour::Step::zoom);
  tour.see({.span_ns = 501});
  CHECK(tour.step() == Tour::Step::zoom);
  tour.see({.span_ns = 500, .asked = true});
  CHECK(tour.step() == Tour::Step::click);
  tour.see({.span_ns = 500, .asked = true});
  CHECK(tour.step() == Tour::Step::click);
  tour.see({.span_ns = 500, .selected = true});
  CHECK(tour.step() == Tour::Step::ask);
  tour.see({.span_ns = 500, .selected = true});
  CHECK(tour.step() == Tour::Step::ask);
  tour.see({.span_ns = 900, .asked = true});
  CHECK(tour.step() == Tour::Step::done);
}

TEST_CASE("a restarted tour starts from the current view") {
  Tour tour;
  tour.begin();
  tour.see({.span_ns = 1000});
  tour.see({.span_ns = 100});
  CHECK(tour.step() == Tour::Step::click);
  tour.begin();
  tour.see({.span_ns = 100});
  CHECK(tour.step() == Tour::Step::zoom);
  tour.see({.span_ns = 50});
  CHECK(tour.step() == Tour::Step::click);
  tour.end();
  CHECK(tour.step() == Tour::Step::none);
}

TEST_CASE("the guide contains the recording snippets of the window") {
  std::ifstream file(KINETOSCOPE_SOURCE "/assets/guide/recording.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  REQUIRE(!kino::record_recipes().empty());
  for (const kino::RecordRecipe& recipe : kino::record_recipes())
    CHECK(page.find(recipe.python) != std::string::npos);
}
