// Covers: link_speeds
// Slow groups and pairs of ranks in small jobs, computed by hand.
#include "core/job/link_speeds.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "tests/fixtures/link_fixture.hpp"

using kino_test::MadeRank;

using kino_test::job_with;
using kino_test::kLinkElements;
using kino_test::MadeGroup;

TEST_CASE("reports a group that transfers slower than similar groups, with both speeds") {
  const kino::JobAnalysis job =
      job_with(8, {{{0, 4}}, {.ranks = {1, 5}, .transfer_ns = 300'000}, {{2, 6}}, {{3, 7}}});
  const std::vector<const kino::LinkSpeed*> slow = job.slow_links();
  REQUIRE(slow.size() == 1);
  CHECK(slow[0]->ranks == std::vector<std::int64_t>{1, 5});
  CHECK(slow[0]->operation == "reduce-scatter");
  CHECK(slow[0]->bytes == 2 * kLinkElements);
  CHECK(slow[0]->transfers == 8);
  CHECK(slow[0]->others == 3);
  // Half of 8 MiB within 300.35 and 40.35 us.
  CHECK(slow[0]->own.gb_per_s == doctest::Approx(kLinkElements / 300'350.0).epsilon(0.001));
  CHECK(slow[0]->own.low < slow[0]->own.gb_per_s);
  CHECK(slow[0]->own.high > slow[0]->own.gb_per_s);
  CHECK(slow[0]->of_others.gb_per_s == doctest::Approx(kLinkElements / 40'350.0).epsilon(0.001));
  CHECK(static_cast<double>(slow[0]->lost_ns) == doctest::Approx(8 * 260'000).epsilon(0.001));
  CHECK(job.links.size() == 4);
}

TEST_CASE("reports the slower of two groups if it is at least twice as slow") {
  CHECK(job_with(4, {{{0, 2}}, {.ranks = {1, 3}, .transfer_ns = 75'000}}).slow_links().empty());
  const kino::JobAnalysis job = job_with(4, {{{0, 2}}, {.ranks = {1, 3}, .transfer_ns = 90'000}});
  REQUIRE(job.slow_links().size() == 1);
  CHECK(job.slow_links()[0]->others == 1);
}

TEST_CASE("reports no slow link without similar groups, with small messages or with few transfers") {
  const MadeGroup slow{.ranks = {1, 5}, .transfer_ns = 300'000};
  CHECK(job_with(8, {slow}).slow_links().empty());
  CHECK(job_with(8, {slow, {{0, 1}}, {{2, 3}}, {{4, 5}}})
            .slow_links()
            .empty());  // groups of adjacent ranks are not similar
  CHECK(job_with(8, {slow, {{0, 4, 6}}, {{2, 3, 7}}}).slow_links().empty());
  const std::int64_t small = 1 << 18;  // 512 KiB
  CHECK(job_with(8, {{.ranks = {1, 5}, .transfer_ns = 300'000, .elements = small},
                     {.ranks = {0, 4}, .elements = small},
                     {.ranks = {2, 6}, .elements = small}})
            .slow_links()
            .empty());
  CHECK(job_with(8, {{.ranks = {1, 5}, .transfer_ns = 300'000, .transfers = 5}, {{0, 4}}, {{2, 6}}})
            .slow_links()
            .empty());
  // Sizes differ by more than a quarter of a doubling.
  CHECK(job_with(8, {slow,
                     {.ranks = {0, 4}, .elements = 2 * kLinkElements},
                     {.ranks = {2, 6}, .elements = 2 * kLinkElements}})
            .slow_links()
            .empty());
}

TEST_CASE("does not compare groups with unrecorded members") {
  std::vector<MadeGroup> groups{{{0, 4}}, {.ranks = {1, 5}, .transfer_ns = 300'000}, {{2, 6}}};
  CHECK(job_with(8, groups).slow_links().size() == 1);
  groups[1].ranks.push_back(9);
  std::vector<MadeRank> digests;
  kino::JobAnalysis job = job_with(10, groups);
  CHECK(job.slow_links().empty());
}

TEST_CASE("compares pairs that send messages between the same stages of other pipelines") {
  // Stages 0, 1, 2 of three pipelines. Messages between stages 1 and 2 are always slow; between 0 and 1 only
  // those of the second pipeline.
  std::vector<MadeRank> digests;
  for (std::int64_t rank = 0; rank < 9; ++rank) digests.push_back(kino_test::rank_of(rank, 9));
  for (std::int64_t pipeline = 0; pipeline < 3; ++pipeline) {
    const std::vector<std::int64_t> ranks{pipeline, pipeline + 3, pipeline + 6};
    for (const std::int64_t rank : ranks) {
      digests[static_cast<std::size_t>(rank)].groups.push_back(
          {std::to_string(pipeline + 1), "PIPELINE_MODEL_PARALLEL_GROUP", ranks});
    }
    for (std::int64_t stage = 0; stage < 2; ++stage) {
      const bool slow = stage == 1 || pipeline == 1;
      for (int i = 0; i < 8; ++i) {
        for (const bool sends : {true, false}) {
          MadeRank& digest = digests[static_cast<std::size_t>(pipeline + 3 * (stage + (sends ? 0 : 1)))];
          const std::int64_t at = 1'000'000 * (i + 1) + 400'000 * stage;
          kino::CommunicationKernel& kernel =
              kino_test::add(digest, at, at + (slow ? 300'000 : 40'000) + 100 * i, i);
          kernel.kind = sends ? kino::CollectiveKind::send : kino::CollectiveKind::receive;
          kernel.dtype = digest.texts.intern("BFloat16");
          kernel.group = 1;
          kernel.in_elements = kernel.out_elements = kLinkElements;
          kernel.source = ranks[static_cast<std::size_t>(stage)];
          kernel.target = ranks[static_cast<std::size_t>(stage + 1)];
        }
      }
    }
  }
  for (MadeRank& digest : digests)
    std::ranges::sort(digest.kernels, {}, &kino::CommunicationKernel::start_ns);
  const kino::JobAnalysis job = kino_test::analysis_of(std::move(digests));
  const std::vector<const kino::LinkSpeed*> slow = job.slow_links();
  REQUIRE(slow.size() == 1);
  CHECK(slow[0]->ranks == std::vector<std::int64_t>{1, 4});
  CHECK(slow[0]->others == 2);
  CHECK(slow[0]->of_others.gb_per_s == doctest::Approx(2 * kLinkElements / 40'350.0).epsilon(0.001));
}
