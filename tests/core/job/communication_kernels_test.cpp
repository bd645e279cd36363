// A rank's kernels and stretches packed: each comes back with all of its members.
#include "core/job/communication_kernels.hpp"

#include <cstdint>
#include <limits>
#include <random>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include "core/job/stretch_times.hpp"

using kino::CommunicationKernel;
using kino::CommunicationKernels;
using kino::Stretch;
using kino::Stretches;

namespace {

auto all_of(const CommunicationKernel& it) {
  return std::tuple(it.start_ns, it.duration_ns, it.in_elements, it.out_elements, it.sequence,
                    it.communication, it.source, it.target, it.step, it.slice, it.group, it.family,
                    it.algorithm, it.dtype, it.stream, it.kind, it.evidence, it.custom);
}

/// Few or all values of each member, in order of start.
std::vector<CommunicationKernel> random_kernels(std::size_t count, bool wild) {
  std::mt19937_64 random(count);
  const auto number = [&](std::uint64_t few) { return wild ? random() : random() % few; };
  std::vector<CommunicationKernel> kernels(count);
  std::int64_t at = 0;
  for (CommunicationKernel& it : kernels) {
    at += static_cast<std::int64_t>(random() % 1'000'000);
    it.start_ns = at;
    it.duration_ns = static_cast<std::int64_t>(random() % 100'000);
    it.in_elements = static_cast<std::int64_t>(number(3));
    it.out_elements = static_cast<std::int64_t>(number(2));
    it.sequence = static_cast<std::int64_t>(number(1000));
    it.communication = number(1);
    it.source = static_cast<std::int64_t>(number(2));
    it.target = static_cast<std::int64_t>(number(2));
    it.step = static_cast<std::int64_t>(number(4));
    it.slice = kino::SliceId{static_cast<std::uint32_t>(number(100'000))};
    it.group = static_cast<std::uint32_t>(number(2));
    it.family = static_cast<std::uint32_t>(number(2));
    it.algorithm = static_cast<std::uint32_t>(number(2));
    it.dtype = static_cast<std::uint32_t>(number(2));
    it.stream = static_cast<std::uint32_t>(number(2));
    it.kind = static_cast<kino::CollectiveKind>(random() % 4);
    it.evidence = static_cast<kino::GroupEvidence>(random() % 5);
    it.custom = random() % 2 != 0;
  }
  return kernels;
}

}  // namespace

TEST_CASE("packed kernels are what they were, with few kinds of them and when no two are alike") {
  for (const std::size_t count : {0U, 1U, 128U, 777U}) {
    for (const bool wild : {false, true}) {
      const std::vector<CommunicationKernel> kernels = random_kernels(count, wild);
      const CommunicationKernels packed(kernels);
      REQUIRE(packed.size() == count);
      CHECK(packed.sound(std::numeric_limits<std::int64_t>::max() / 3));
      if (wild) CHECK(packed.calls().size() == count);
      for (std::size_t i = 0; i < count; ++i) {
        REQUIRE(all_of(packed[i]) == all_of(kernels[i]));
        REQUIRE(packed.end_ns(i) == kernels[i].end_ns());
        REQUIRE(packed.sequence(i) == kernels[i].sequence);
        REQUIRE(packed.step(i) == kernels[i].step);
        REQUIRE(packed.slice(i) == kernels[i].slice);
        REQUIRE(packed.operation(i).group == kernels[i].group);
      }
    }
  }
}

TEST_CASE("kernels out of order, of too long times or of calls that do not exist are not sound") {
  std::vector<CommunicationKernel> kernels = random_kernels(200, false);
  CHECK_FALSE(CommunicationKernels(kernels).sound(kernels.back().start_ns - 1));
  kernels[150].duration_ns = -1;
  CHECK_FALSE(CommunicationKernels(kernels).sound(1'000'000'000'000));
  kernels[150].duration_ns = 1;
  CHECK(CommunicationKernels(kernels).sound(1'000'000'000'000));
  CommunicationKernels less(kernels);
  std::get<1>(less.members()).pop_back();
  CHECK_FALSE(less.sound(1'000'000'000'000));
  CommunicationKernels none(kernels);
  std::get<2>(none.members()).clear();
  CHECK_FALSE(none.sound(1'000'000'000'000));
  std::swap(kernels[3].start_ns, kernels[190].start_ns);
  CHECK_FALSE(CommunicationKernels(kernels).sound(1'000'000'000'000));
}

TEST_CASE("packed stretches are what they were, and parts that do not add up are not sound") {
  std::mt19937_64 random(5);
  std::vector<Stretch> stretches(300);
  for (std::size_t i = 1; i < stretches.size(); ++i) {
    Stretch& it = stretches[i];
    it.previous = i % 50 == 0 ? Stretch::kNone : static_cast<std::uint32_t>(random() % i);
    it.beside_ns = static_cast<std::int64_t>(random() % 1000);
    for (std::size_t part = 0; part < it.times.size(); part += 1 + random() % 4) {
      it.times[part] = static_cast<std::int64_t>(random() % 100'000);
      it.length_ns += it.times[part];
    }
  }
  constexpr std::int64_t kMostNs = std::numeric_limits<std::int64_t>::max() / 3;
  const auto check = [&](bool sound) {
    const Stretches packed(stretches);
    REQUIRE(packed.size() == stretches.size());
    CHECK(packed.sound(stretches.size(), kMostNs) == sound);
    for (std::size_t i = 0; i < stretches.size(); ++i) {
      const Stretch it = packed[i];
      REQUIRE(it.previous == stretches[i].previous);
      REQUIRE(it.length_ns == stretches[i].length_ns);
      REQUIRE(it.times == stretches[i].times);
      REQUIRE(it.beside_ns == stretches[i].beside_ns);
      REQUIRE(packed.previous(i) == it.previous);
      REQUIRE(packed.length_ns(i) == it.length_ns);
    }
  };
  check(true);
  CHECK_FALSE(Stretches(stretches).sound(100, kMostNs));
  ++stretches[200].length_ns;
  check(false);
  --stretches[200].length_ns;
  stretches[7].times[1] = stretches[7].times[2] = kMostNs / 2 + 1;  // each is short enough
  stretches[7].length_ns = 0;
  for (const std::int64_t part : stretches[7].times) stretches[7].length_ns += part;
  check(false);
  stretches[7] = {3, -1, {-1}, 0};
  check(false);
}
