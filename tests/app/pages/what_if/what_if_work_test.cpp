// Covers: what_if_work, what_if_page
#include "app/pages/what_if/what_if_work.hpp"

#include <doctest/doctest.h>

#include "app/pages/what_if/what_if_page.hpp"
#include "tests/fixtures/eventually.hpp"
#include "tests/fixtures/replayed_recording.hpp"

namespace {

constexpr std::uint64_t kWorkMib = kino_test::kReplayedMib;

struct MadeWork {
  std::shared_ptr<const kino::Snapshot> snapshot =
      std::make_shared<const kino::Snapshot>(kino_test::replayed_recording());
  kino::WhatIfWork work{snapshot, [] {}};

  bool finish() {
    return kino_test::eventually([&] {
      work.poll();
      return !work.running();
    });
  }
};

}  // namespace

TEST_CASE(
    "the what-if page has the verification, the baseline first, and other settings by reserved memory") {
  MadeWork made;
  CHECK(made.work.show(0));
  CHECK_FALSE(made.work.show(0));
  REQUIRE(made.finish());
  REQUIRE(made.work.proved() != nullptr);
  CHECK(made.work.proved()->refused().empty());
  const auto& rows = made.work.rows();
  REQUIRE(rows.size() >= 9);
  CHECK(made.work.known() == rows.size());
  REQUIRE(made.work.order().size() == rows.size());
  CHECK(made.work.order().front() == 0);
  CHECK(rows.front().answer.value()->result.peak_reserved == 50 * kWorkMib);
  std::uint64_t last = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const std::uint64_t peak = rows[made.work.order()[i]].answer.value()->result.peak_reserved;
    CHECK(peak >= last);
    last = peak;
  }
  CHECK(made.work.least_capacity() == 50 * kWorkMib);
  const std::size_t before = rows.size();
  made.work.search();
  made.work.search();
  REQUIRE(made.finish());
  CHECK(rows.size() > before);
  CHECK(rows.size() <= 30);
}

TEST_CASE("adds a user's setting as a row with a curve, with the given capacity") {
  MadeWork made;
  made.work.show(0);
  REQUIRE(made.finish());
  made.work.set_own("max_split_size_mb:20,roundup_power2_divisions:16");
  REQUIRE(made.finish());
  REQUIRE(made.work.chosen());
  CHECK(made.work.rows()[*made.work.chosen()].setting.conf ==
        "max_split_size_mb:20,roundup_power2_divisions:16");
  REQUIRE(made.work.curve() != nullptr);
  CHECK(made.work.curve()->peak.bytes ==
        made.work.rows()[*made.work.chosen()].answer.value()->result.peak_reserved);
  made.work.set_capacity(30 * kWorkMib);
  REQUIRE(made.finish());
  CHECK(made.work.rows().front().answer.value()->result.oom);
  CHECK_FALSE(made.work.least_capacity());
  // The choice is the same one, under the new capacity.
  REQUIRE(made.work.chosen());
  CHECK(made.work.rows()[*made.work.chosen()].setting.rules.capacity == 30 * kWorkMib);
  CHECK(made.work.curve()->end == 7);
  made.work.set_own({});
  CHECK_FALSE(made.work.chosen());
  CHECK(made.work.curve() == nullptr);
}

TEST_CASE("a file that the model cannot replay has no rows, and cancelled runs can resume") {
  kino::Snapshot wrong = kino_test::replayed_recording();
  wrong.devices.front().segments.clear();
  kino::WhatIfWork refused(std::make_shared<const kino::Snapshot>(std::move(wrong)), [] {});
  refused.show(0);
  REQUIRE(kino_test::eventually([&] {
    refused.poll();
    return !refused.running();
  }));
  CHECK_FALSE(refused.proved()->refused().empty());
  CHECK(refused.rows().empty());

  MadeWork made;
  made.work.show(0);
  REQUIRE(kino_test::eventually([&] {
    made.work.poll();
    return !made.work.rows().empty();
  }));
  made.work.cancel();
  REQUIRE(made.finish());
  CHECK(made.work.cancelled());
  made.work.resume();
  REQUIRE(made.finish());
  CHECK(made.work.known() == made.work.rows().size());
}

TEST_CASE("choices form one settings text, which is empty if all are as recorded") {
  CHECK(kino::WhatIfChoice{}.conf().empty());
  CHECK(kino::WhatIfChoice{{1, 0, 3, 0}}.conf() == "expandable_segments:True,roundup_power2_divisions:4");
  CHECK(kino::WhatIfChoice{{0, 99, 0, 1}}.conf() == "garbage_collection_threshold:0.6");
}

TEST_CASE("each column of a what-if curve has the maximum of its events") {
  kino::WhatIfCurve curve;
  curve.events = {kino::kBeforeRecording, 10, 20, 30};
  curve.bytes = {5, 9, 4, 7};
  CHECK(curve.highest(kino::kBeforeRecording, kino::kBeforeRecording) == 5);
  CHECK(curve.highest(0, 9) == 5);
  CHECK(curve.highest(0, 10) == 9);
  CHECK(curve.highest(20, 29) == 4);
  CHECK(curve.highest(15, 40) == 9);
  curve.end = 25;
  CHECK(curve.highest(25, 30) == 0);
  CHECK(kino::what_if_columns(curve, {kino::kNoMoment, 3, 12, 12, 24, 26}) ==
        std::vector<std::uint64_t>{0, 5, 9, 9, 9, 0});
}
