// Many ranks painted pixel by pixel.
#include "app/job/rank_image.hpp"

#include <memory>

#include <doctest/doctest.h>

#include "tests/fixtures/job_fixture.hpp"

using kino::RankPainting;

namespace {

/// The first collective of late_job(): rank 2 comes 400 us late. A column is 10 us.
RankPainting painting_of_late_job() {
  RankPainting painting;
  const auto job = std::make_shared<const kino::JobAnalysis>(kino_test::late_job());
  painting.picture =
      std::make_shared<const kino::JobPicture>(kino::picture_of(job, {}, kino::PageClocks::fitted, {}));
  painting.ns_per_px = 10'000;
  painting.width = 45;
  painting.back = 0xff000000U;
  painting.compute = 0xff0000ffU;
  painting.communication = 0xff00ff00U;
  painting.copy = 0xffff0000U;
  return painting;
}

}  // namespace

TEST_CASE("a row of pixels is what its rank did; nothing else is touched") {
  RankPainting painting = painting_of_late_job();
  painting.height = 3;
  painting.bands = {{.rank = 2, .top = 0, .bottom = 1, .marked = false}};
  const std::vector<std::uint32_t> pixels = kino::painted(painting, {});
  REQUIRE(pixels.size() == 45 * 3);
  CHECK(pixels[10] == 0);
  CHECK(pixels[35] == painting.compute);
  CHECK(pixels[42] == painting.communication);
  CHECK(pixels[45 + 42] == 0);
}

TEST_CASE("of ranks that share a row of pixels the one that waits is seen, but a marked one keeps its own") {
  RankPainting painting = painting_of_late_job();
  painting.height = 12;
  painting.bands = {{.rank = 2, .top = 5, .bottom = 5.5F, .marked = false},
                    {.rank = 0, .top = 5.5F, .bottom = 6, .marked = false}};
  CHECK(kino::painted(painting, {})[5 * 45 + 35] != painting.compute);
  painting.bands[0].marked = true;
  const std::vector<std::uint32_t> pixels = kino::painted(painting, {});
  CHECK(pixels[5 * 45 + 35] == painting.compute);
  CHECK(pixels[3 * 45 + 35] == painting.compute);
}

TEST_CASE("a painting without rows or columns is empty") {
  RankPainting painting = painting_of_late_job();
  painting.width = 0;
  painting.height = 5;
  painting.bands = {{.rank = 0, .top = 0, .bottom = 5, .marked = true}};
  CHECK(kino::painted(painting, {}).empty());
}
