// Covers: damage
#include "core/base/damage.hpp"

#include <set>
#include <string>

#include <doctest/doctest.h>

using kino::DamageLog;
using kino::DamageReason;

TEST_CASE("damage counts by reason and keeps the earliest offset with its sample") {
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

TEST_CASE("samples are bounded, and a count of 0 adds no entry") {
  DamageLog log;
  log.add(DamageReason::no_phase, 1, std::string(1000, 'x'));
  log.add(DamageReason::no_phase, 1, "y", 0);
  log.add(DamageReason::unknown_phase, 1, "y", 0);
  REQUIRE(log.entries().size() == 1);
  CHECK(log.entries()[0].sample.size() == kino::Damage::kSampleBytes);
}

TEST_CASE("notes on reading are not damage") {
  DamageLog log;
  log.add(DamageReason::time_in_ns, 5, "t", 55);
  log.add(DamageReason::event_lines, 7, "e", 3);
  log.add(DamageReason::unclosed_array, 9, "");
  CHECK(log.total() == 0);
  log.add(DamageReason::invalid_escape, 2, "\\p", 2);
  CHECK(log.total() == 2);
}

TEST_CASE("a missing bracket is a truncation if the source itself ended early") {
  DamageLog log;
  log.add(DamageReason::unclosed_array, 40, "");
  log.settle_missing_brackets();
  CHECK(log.count(DamageReason::unclosed_array) == 1);
  log.add(DamageReason::truncated_gzip, 40, "");
  log.settle_missing_brackets();
  CHECK(log.count(DamageReason::unclosed_array) == 0);
  CHECK(log.count(DamageReason::truncated_file) == 1);
}

TEST_CASE("every reason has a distinct text") {
  std::set<std::string_view> texts;
  for (int i = 0; i < kino::kDamageReasonCount; ++i) {
    const auto reason = static_cast<DamageReason>(i);
    CHECK_FALSE(kino::english(kino::text_of(reason)).empty());
    CHECK(texts.insert(kino::english(kino::text_of(reason))).second);
    CHECK(kino::drops_event(reason) ==
          (kino::english(kino::text_of(reason)).find("skipped") != std::string_view::npos));
  }
}

TEST_CASE("several cases of one reason have a text in the plural") {
  CHECK(kino::text_of(DamageReason::overlap_spilled, 1) == kino::text_of(DamageReason::overlap_spilled));
  CHECK(kino::english(kino::text_of(DamageReason::overlap_spilled, 462))
            .starts_with("slices that do not nest in their track"));
  CHECK(kino::english(kino::text_of(DamageReason::trailing_data, 3)).starts_with("runs of bytes"));
  CHECK(kino::text_of(DamageReason::gzip_checksum, 3) == kino::text_of(DamageReason::gzip_checksum));
}

TEST_CASE("without() subtracts cases, and drops reasons without remaining cases") {
  DamageLog log;
  log.add(DamageReason::overlap_spilled, 5, "", 7);
  log.add(DamageReason::no_phase, 9, "");
  CHECK(log.without(DamageReason::overlap_spilled, 3).count(DamageReason::overlap_spilled) == 4);
  const DamageLog rest = log.without(DamageReason::overlap_spilled, 7);
  REQUIRE(rest.entries().size() == 1);
  CHECK(rest.entries()[0].reason == DamageReason::no_phase);
}

TEST_CASE("the last truncation of a file is reported, and a wrong checksum only if there is none") {
  DamageLog damage;
  CHECK(damage.cut() == nullptr);
  damage.add(DamageReason::negative_duration, 900, "");
  CHECK(damage.cut() == nullptr);
  damage.add(DamageReason::gzip_checksum, 1862, "");
  REQUIRE(damage.cut() != nullptr);
  CHECK(damage.cut()->reason == DamageReason::gzip_checksum);
  damage.add(DamageReason::truncated_event, 1101, "");
  CHECK(damage.cut()->first_offset == 1101);
  damage.add(DamageReason::truncated_file, 1145, "");
  CHECK(damage.cut()->first_offset == 1145);
  damage.add(DamageReason::truncated_gzip, 1145, "");
  CHECK(damage.cut()->reason == DamageReason::truncated_gzip);
}
