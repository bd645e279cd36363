// Where each rank stands in the parallel layout of its job.
#include "app/job/rank_layout.hpp"

#include <filesystem>
#include <memory>
#include <vector>

#include <doctest/doctest.h>

#include "tests/fixtures/job_fixture.hpp"

using kino::RankLayout;

namespace {

/// 8 ranks: pairs of neighbours, of ranks two apart, and of ranks four apart.
kino::JobAnalysis cube(const char* first, const char* second, const char* third) {
  std::vector<kino::RankDigest> digests = kino_test::ranks_of({0, 1, 2, 3, 4, 5, 6, 7}, 8);
  for (kino::RankDigest& digest : digests) {
    const std::int64_t r = digest.rank;
    digest.groups.push_back({"1", first, {r & ~1LL, r | 1}});
    digest.groups.push_back({"2", second, {r & ~2LL, r | 2}});
    digest.groups.push_back({"3", third, {r & ~4LL, r | 4}});
  }
  return kino_test::analysis_of(std::move(digests));
}

}  // namespace

TEST_CASE("groups without a description are told apart by the distance of their ranks") {
  const RankLayout layout = kino::layout_of(cube("undefined", "undefined", "undefined"), {});
  CHECK(layout.words() == "tp 2 · dp 2 · dp 2");
  REQUIRE(layout.dimensions.size() == 3);
  CHECK(layout.dimensions[2].places == std::vector<std::int64_t>{0, 0, 0, 0, 1, 1, 1, 1});
  CHECK(layout.machine_count == 0);
}

TEST_CASE("descriptions name the dimensions, files the machines") {
  const std::vector<std::filesystem::path> files{"a_1.2.pt.trace.json", "b_1.2.pt.trace.json",
                                                 "a_2.2.pt.trace.json"};
  const RankLayout layout =
      kino::layout_of(cube("TENSOR_MODEL_PARALLEL_GROUP", "mesh_dp", "PIPELINE_MODEL_PARALLEL_GROUP"), files);
  CHECK(layout.words() == "tp 2 · dp 2 · pp 2");
  CHECK(layout.machine_count == 2);
  CHECK(layout.machines[2] == "a");
  CHECK(kino::layout_of(kino::JobAnalysis{}, {}).words().empty());
}
