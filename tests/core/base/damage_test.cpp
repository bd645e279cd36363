#include "core/base/damage.hpp"

#include <set>
#include <string>

#include <doctest/doctest.h>

using kino::DamageLog;
using kino::DamageReason;

TEST_CASE("damage counts by reason and keeps the earliest place with its sample") {
  DamageLog log;
  log.add(DamageReason::no_timestamp, 500, "later");
  log.add(DamageReason::no_timestamp, 100, std::string(1000, 'x'));
  log.add(DamageReason::negative_duration, 7, "n");
  DamageLog other;
  other.add(DamageReason::no_timestamp, 50, "first", 3);
  log.merge(other);
  REQUIRE(log.entries().size() == 2);
  CHECK(log.count(DamageReason::no_timestamp) == 5);
  CHECK(log.entries()[0].first_offset == 50);
  CHECK(log.entries()[0].sample == "first");
  CHECK(log.count(DamageReason::unknown_phase) == 0);
}

TEST_CASE("samples are bounded and counting nothing leaves no line") {
  DamageLog log;
  log.add(DamageReason::no_phase, 1, std::string(1000, 'x'));
  log.add(DamageReason::no_phase, 1, "y", 0);
  log.add(DamageReason::unknown_phase, 1, "y", 0);
  REQUIRE(log.entries().size() == 1);
  CHECK(log.entries()[0].sample.size() == kino::Damage::kSampleBytes);
}

TEST_CASE("every reason has a text of its own") {
  std::set<std::string_view> texts;
  for (int i = 0; i < kino::kDamageReasonCount; ++i) {
    const auto reason = static_cast<DamageReason>(i);
    CHECK_FALSE(kino::text_of(reason).empty());
    CHECK(texts.insert(kino::text_of(reason)).second);
    CHECK(kino::drops_event(reason) == (kino::text_of(reason).find("dropped") != std::string_view::npos));
  }
}
