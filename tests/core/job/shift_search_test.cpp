#include "core/job/shift_search.hpp"

#include <random>
#include <vector>

#include <doctest/doctest.h>

using kino::CollectiveKind;
using kino::CommunicationItem;

namespace {

std::vector<CommunicationItem> sequence(std::size_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<CommunicationItem> items;
  std::int64_t time = 1'000'000;
  for (std::size_t i = 0; i < count; ++i) {
    CommunicationItem item;
    time += 50'000 + static_cast<std::int64_t>(random() % 900'000);
    item.start_ns = time - 20'000;
    item.end_ns = time;
    item.kind = CollectiveKind::all_reduce;
    item.family = 1;
    item.algorithm = 1;
    items.push_back(item);
  }
  return items;
}

}  // namespace

TEST_CASE("a list that begins later is found by its ends, whatever the clocks and however they jitter") {
  for (const std::size_t count : {20U, 100U, 1500U}) {
    for (const std::size_t late : {0U, 1U, 7U}) {
      const std::vector<CommunicationItem> reference = sequence(count, 7);
      std::vector<CommunicationItem> list(reference.begin() + static_cast<std::ptrdiff_t>(late),
                                          reference.end());
      std::mt19937 random(3);
      for (CommunicationItem& item : list)
        item.end_ns += 300'000 + static_cast<std::int64_t>(random() % 3000);
      const auto found = kino::best_shift(reference, list);
      CAPTURE(count);
      REQUIRE(found);
      CHECK(found->best.shift == static_cast<std::int64_t>(late));
      CHECK(found->certain);
      CHECK(found->best.median_ns == doctest::Approx(301'500).epsilon(0.01));
    }
  }
}

TEST_CASE("equal spacing leaves the order open, unless steps or a fit of the clocks tell") {
  std::vector<CommunicationItem> reference = sequence(12, 1);
  for (std::size_t i = 0; i < reference.size(); ++i)
    reference[i].end_ns = 1'000'000 + 100'000 * static_cast<std::int64_t>(i);
  const std::vector<CommunicationItem> list(reference.begin() + 2, reference.end());
  const auto alone = kino::best_shift(reference, list);
  REQUIRE(alone);
  CHECK_FALSE(alone->certain);
  const auto fitted = kino::best_shift(reference, list, 0);
  REQUIRE(fitted);
  CHECK(fitted->best.shift == 2);
  CHECK(fitted->certain);
  std::vector<CommunicationItem> steps = reference;
  for (std::size_t i = 0; i < steps.size(); ++i) steps[i].step = static_cast<std::int64_t>(i);
  const auto labelled = kino::best_shift(steps, std::vector(steps.begin() + 2, steps.end()));
  REQUIRE(labelled);
  CHECK(labelled->best.shift == 2);
  CHECK(labelled->certain);
}

TEST_CASE("signatures conflict where both tell something else, and never over what one does not tell") {
  CommunicationItem a;
  a.kind = CollectiveKind::all_gather;
  a.family = 1;
  a.in_elements = 100;
  a.told = true;
  CommunicationItem b = a;
  CHECK_FALSE(kino::signatures_conflict(a, b));
  b.in_elements = 101;
  CHECK(kino::signatures_conflict(a, b));
  b.in_elements = -1;
  CHECK_FALSE(kino::signatures_conflict(a, b));
  b.dtype = 5;
  CHECK_FALSE(kino::signatures_conflict(a, b));
  a.dtype = 6;
  CHECK(kino::signatures_conflict(a, b));
  a = b = CommunicationItem{};
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

TEST_CASE("without a list, or with nothing that fits, there is no shift") {
  const std::vector<CommunicationItem> reference = sequence(5, 2);
  CHECK_FALSE(kino::best_shift(reference, {}));
  CHECK_FALSE(kino::best_shift({}, reference));
  std::vector<CommunicationItem> other = reference;
  for (CommunicationItem& item : other) item.family = 9;
  CHECK_FALSE(kino::best_shift(reference, other));
}

TEST_CASE("of long lists that repeat, a fit of the clocks tells which of their likes is meant") {
  // Four steps with the same beat, but for what jitters: the steps themselves are not told.
  std::vector<CommunicationItem> step = sequence(1000, 11);
  const std::int64_t length = step.back().end_ns;
  std::vector<CommunicationItem> reference;
  std::mt19937 random(5);
  for (std::int64_t s = 0; s < 4; ++s) {
    for (CommunicationItem item : step) {
      item.end_ns += s * length + static_cast<std::int64_t>(random() % 2000);
      reference.push_back(item);
    }
  }
  std::vector<CommunicationItem> list(reference.begin() + 3, reference.end());
  constexpr std::int64_t kApart = 60'000'000'000;  // clocks of two machines, and no one knows
  for (CommunicationItem& item : list) item.end_ns += static_cast<std::int64_t>(random() % 2000);
  const auto near = kino::best_shift(reference, list, 1000);
  REQUIRE(near);
  CHECK(near->best.shift == 3);
  CHECK(near->certain);
  // What fitted clocks say may be wrong: then all shifts are looked at, and the fit counts for little.
  const auto beside = kino::best_shift(reference, list, -300e6);
  REQUIRE(beside);
  CHECK(beside->best.shift == 3);
  for (CommunicationItem& item : list) item.end_ns += kApart;
  CHECK_FALSE(kino::best_shift(reference, list));  // over ten seconds is no clock
}
