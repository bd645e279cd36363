// Covers: shift_search, job_kernels
#include "core/job/shift_search.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include <doctest/doctest.h>

using kino::CollectiveKind;
using kino::CommunicationList;
using kino::CommunicationSignature;
using kino::SignatureConflicts;

namespace {

/// Signature 0 is an all-reduce, signature 1 another operation.
const SignatureConflicts& conflicts() {
  static const SignatureConflicts kConflicts(
      {{.family = 1, .algorithm = 1, .kind = CollectiveKind::all_reduce},
       {.family = 9, .algorithm = 9, .kind = CollectiveKind::barrier}});
  return kConflicts;
}

auto shift_of(const CommunicationList& reference, const CommunicationList& list,
              std::optional<double> expected_ns = {}) {
  return kino::best_shift(reference, list, conflicts(), expected_ns);
}

CommunicationList sequence(std::size_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  CommunicationList items;
  std::int64_t time = 1'000'000;
  for (std::size_t i = 0; i < count; ++i) {
    time += 50'000 + static_cast<std::int64_t>(random() % 900'000);
    items.end_ns.push_back(time);
    items.signature.push_back(0);
    items.step.push_back(-1);
  }
  return items;
}

CommunicationList without_first(const CommunicationList& items, std::size_t count) {
  const auto cut = [&](const auto& column) {
    return std::vector(column.begin() + static_cast<std::ptrdiff_t>(count), column.end());
  };
  return {cut(items.end_ns), cut(items.signature), cut(items.step)};
}

}  // namespace

TEST_CASE("finds a list that begins later by its ends, for any clocks and jitter") {
  for (const std::size_t count : {20U, 100U, 1500U}) {
    for (const std::size_t late : {0U, 1U, 7U}) {
      const CommunicationList reference = sequence(count, 7);
      CommunicationList list = without_first(reference, late);
      std::mt19937 random(3);
      for (std::int64_t& end_ns : list.end_ns) end_ns += 300'000 + static_cast<std::int64_t>(random() % 3000);
      const auto found = shift_of(reference, list);
      CAPTURE(count);
      REQUIRE(found);
      CHECK(found->best.shift == static_cast<std::int64_t>(late));
      CHECK(found->certain);
      CHECK(found->best.median_ns == doctest::Approx(301'500).epsilon(0.01));
    }
  }
}

TEST_CASE("equal spacing leaves the order uncertain, unless steps or a clock fit decide") {
  CommunicationList reference = sequence(12, 1);
  for (std::size_t i = 0; i < reference.size(); ++i)
    reference.end_ns[i] = 1'000'000 + 100'000 * static_cast<std::int64_t>(i);
  const CommunicationList list = without_first(reference, 2);
  const auto alone = shift_of(reference, list);
  REQUIRE(alone);
  CHECK_FALSE(alone->certain);
  const auto fitted = shift_of(reference, list, 0);
  REQUIRE(fitted);
  CHECK(fitted->best.shift == 2);
  CHECK(fitted->certain);
  CommunicationList steps = reference;
  for (std::size_t i = 0; i < steps.size(); ++i) steps.step[i] = static_cast<std::int32_t>(i);
  const auto labelled = shift_of(steps, without_first(steps, 2));
  REQUIRE(labelled);
  CHECK(labelled->best.shift == 2);
  CHECK(labelled->certain);
}

TEST_CASE("signatures conflict if both have different values, and never over a missing value") {
  CommunicationSignature a;
  a.kind = CollectiveKind::all_gather;
  a.family = 1;
  a.in_elements = 100;
  a.told = true;
  CommunicationSignature b = a;
  CHECK_FALSE(kino::signatures_conflict(a, b));
  b.in_elements = 101;
  CHECK(kino::signatures_conflict(a, b));
  b.in_elements = -1;
  CHECK_FALSE(kino::signatures_conflict(a, b));
  b.dtype = 5;
  CHECK_FALSE(kino::signatures_conflict(a, b));
  a.dtype = 6;
  CHECK(kino::signatures_conflict(a, b));
  a = b = CommunicationSignature{};
  a.family = 1;
  b.family = 2;
  CHECK(kino::signatures_conflict(a, b));
  a.kind = CollectiveKind::send;
  b.kind = CollectiveKind::receive;
  CHECK_FALSE(kino::signatures_conflict(a, b));
  a.kind = b.kind = CollectiveKind::all_to_all;
  b.family = 1;
  a.in_elements = 1;
  b.in_elements = 2;
  CHECK_FALSE(kino::signatures_conflict(a, b));
}

TEST_CASE("there is no shift without a list, or if nothing fits") {
  const CommunicationList reference = sequence(5, 2);
  CHECK_FALSE(shift_of(reference, {}));
  CHECK_FALSE(shift_of({}, reference));
  CommunicationList other = reference;
  for (std::uint32_t& it : other.signature) it = 1;
  CHECK_FALSE(shift_of(reference, other));
}

TEST_CASE("in long repetitive lists, a clock fit selects the shift") {
  // Four equal steps except for jitter, without step numbers.
  const CommunicationList step = sequence(1000, 11);
  const std::int64_t length = step.end_ns.back();
  CommunicationList reference;
  std::mt19937 random(5);
  for (std::int64_t s = 0; s < 4; ++s) {
    for (const std::int64_t end_ns : step.end_ns) {
      reference.end_ns.push_back(end_ns + s * length + static_cast<std::int64_t>(random() % 2000));
      reference.signature.push_back(0);
      reference.step.push_back(-1);
    }
  }
  CommunicationList list = without_first(reference, 3);
  constexpr std::int64_t kApart = 60'000'000'000;  // clocks of two machines, without a fit
  for (std::int64_t& it : list.end_ns) it += static_cast<std::int64_t>(random() % 2000);
  const auto near = shift_of(reference, list, 1000);
  REQUIRE(near);
  CHECK(near->best.shift == 3);
  CHECK(near->certain);
  // Fitted clocks may be wrong: then all shifts are searched, and the fit has little weight.
  const auto beside = shift_of(reference, list, -300e6);
  REQUIRE(beside);
  CHECK(beside->best.shift == 3);
  for (std::int64_t& it : list.end_ns) it += kApart;
  CHECK_FALSE(shift_of(reference, list));  // more than ten seconds are not a clock offset
}
