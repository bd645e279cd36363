// Whose GPU is slower, by kernels that ran alone: by hand.
#include "core/job/gpu_index.hpp"

#include <vector>

#include <doctest/doctest.h>

#include "core/analysis/trace_tables.hpp"
#include "core/job/rank_digest.hpp"
#include "tests/fixtures/event_fixture.hpp"

using kino::KernelClass;
using kino::RankDigest;

namespace {

KernelClass class_of(std::uint64_t key, std::uint32_t calls, double median_ns) {
  KernelClass added;
  added.key = key;
  added.alone_calls = calls;
  added.alone_median_ns = median_ns;
  added.alone_ns = static_cast<std::int64_t>(median_ns) * calls;
  return added;
}

std::vector<const RankDigest*> pointers_to(const std::vector<RankDigest>& ranks) {
  std::vector<const RankDigest*> pointers;
  for (const RankDigest& rank : ranks) pointers.push_back(&rank);
  return pointers;
}

}  // namespace

TEST_CASE("the GPU index weighs kernels by their time, and leaves out what few calls or few ranks tell") {
  std::vector<RankDigest> ranks(3);
  ranks[0].classes = {class_of(1, 10, 100), class_of(2, 3, 1000), class_of(3, 5, 10)};
  ranks[1].classes = {class_of(1, 10, 100), class_of(2, 3, 1000), class_of(4, 2, 7)};
  ranks[2].classes = {class_of(1, 10, 150), class_of(2, 3, 1000), class_of(4, 2, 70)};
  const kino::GpuIndex index = kino::gpu_index(pointers_to(ranks));
  CHECK(index.classes == 2);  // 3 is on one rank only, 4 was called twice
  REQUIRE(index.ranks.size() == 3);
  CHECK(index.ranks[0].value() == doctest::Approx(1));
  CHECK(index.ranks[1].value() == doctest::Approx(1));
  CHECK(index.ranks[2].value() == doctest::Approx((1500 * 1.5 + 3000 * 1.0) / 4500));
}

TEST_CASE("ranks without kernels that others have too have no GPU index, and no overlap costs anything") {
  std::vector<RankDigest> ranks(2);
  ranks[0].classes = {class_of(1, 10, 100)};
  ranks[1].classes = {class_of(2, 10, 100)};
  const kino::GpuIndex index = kino::gpu_index(pointers_to(ranks));
  CHECK(index.classes == 0);
  CHECK_FALSE(index.ranks[0]);
  CHECK_FALSE(kino::overlap_cost(pointers_to(ranks)));
  CHECK(kino::gpu_index({}).ranks.empty());
}

TEST_CASE("kernels beside communication are a class of their own, and what that costs is said") {
  kino::EventFixture events;
  for (std::int64_t i = 0; i < 6; ++i) events.kernel("gemm", 1000 * i, i < 3 ? 100 : 130);
  events.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 3000, 2900, 0, "20");
  const auto trace = events.build();
  kino::CommunicationKernel communication;
  communication.start_ns = 3000;
  communication.duration_ns = 2900;
  RankDigest rank;
  rank.classes = kino::kernel_classes_of(*trace, kino::gpu_work_in(*trace, kino::whole_range(*trace)),
                                         {&communication, 1}, {});
  REQUIRE(rank.classes.size() == 1);
  CHECK(rank.classes[0].alone_calls == 3);
  CHECK(rank.classes[0].alone_median_ns == 100);
  CHECK(rank.classes[0].alone_ns == 300);
  CHECK(rank.classes[0].beside_calls == 3);
  CHECK(rank.classes[0].beside_median_ns == 130);
  const RankDigest* const one = &rank;
  CHECK(kino::overlap_cost({&one, 1}).value() == doctest::Approx(1.3));
}
