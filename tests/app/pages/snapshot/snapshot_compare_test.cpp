// Covers: snapshot_compare, snapshot_tables
// The other snapshot of a comparison, which can be closed and freed.
#include "app/pages/snapshot_drawer/snapshot_compare.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "app/pages/snapshot_drawer/snapshot_tables.hpp"
#include "core/memory/tables/snapshot_table_kinds.hpp"
#include "tests/fixtures/random_device.hpp"

namespace {

using kino::EventIndex;
using kino::OtherSnapshot;
using kino::Snapshot;
using kino::SnapshotState;
using kino::TableResultQuery;

/// A snapshot of devices with these ordinals, without stacks.
std::shared_ptr<const Snapshot> compared_snapshot(const std::vector<int>& ordinals) {
  auto snapshot = std::make_shared<Snapshot>();
  for (const int ordinal : ordinals) {
    std::vector<kino_test::EntryRow> rows(5, {kino::SnapshotAction::alloc, 0, 100, 0, kino::kNoStack});
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].addr = 0x1000 * (i + 1);
    rows[4] = rows[3];
    rows[4].action = kino::SnapshotAction::free_completed;
    snapshot->devices.push_back(kino_test::device_of(rows));
    snapshot->devices.back().ordinal = ordinal;
  }
  snapshot->streams = {0};
  snapshot->pools = {{}};
  snapshot->notes = {{}};
  return snapshot;
}

TEST_CASE("explains how to open another snapshot if there is none") {
  const auto snapshot = compared_snapshot({0});
  const SnapshotState state(snapshot);
  kino::SnapshotCompare compare;
  compare.update(state, {});
  TableResultQuery question;
  question.kind = &kino::kCompareTable;
  compare.ask(state, question);
  CHECK_FALSE(question.compared);
  const auto table = kino::tables_of(snapshot, nullptr)(question, {});
  REQUIRE_FALSE(table.ok());
  CHECK(table.error().what.str().find("another snapshot") != std::string::npos);
}

TEST_CASE("compares the live allocations at the peaks of devices with the same ordinal") {
  const auto snapshot = compared_snapshot({1});
  const auto with = compared_snapshot({0, 1});
  const SnapshotState state(snapshot);
  const SnapshotState other(with);
  std::optional<std::pair<std::size_t, kino::AllocationId>> told;
  const std::vector<OtherSnapshot> others = {
      {7, "other", &other, [&](std::size_t device, kino::AllocationId id) {
         told = {device, id};
       }}};
  kino::SnapshotCompare compare;
  compare.update(state, others);
  CHECK(compare.title() == "other");
  TableResultQuery question;
  question.kind = &kino::kCompareTable;
  compare.ask(state, question);
  REQUIRE(question.compared);
  CHECK(question.compared->device == 1);
  CHECK(question.compared->at == 3);
  CHECK(question.at == 3);
  const auto table = kino::tables_of(snapshot, nullptr)(question, {});
  REQUIRE(table.ok());
  REQUIRE(table.value().row_count() == 1);
  CHECK(std::get<kino::TableColumn::Integers>(table.value().find("difference_bytes")->values)[0] == 0);
  compare.select(kino::AllocationId{2});
  REQUIRE(told);
  CHECK(told->first == 1);
  CHECK(told->second == kino::AllocationId{2});
}

TEST_CASE("a query does not keep its snapshot alive, and differs from a query about the next one") {
  const auto snapshot = compared_snapshot({0});
  TableResultQuery question;
  question.kind = &kino::kCompareTable;
  auto with = compared_snapshot({0});
  question.compared = {with, 0, 3};
  TableResultQuery same = question;
  CHECK(same == question);
  same.compared->at = 2;
  CHECK_FALSE(same == question);
  const std::weak_ptr<const Snapshot> kept = with;
  with = nullptr;
  CHECK(kept.expired());
  CHECK_FALSE(kino::tables_of(snapshot, nullptr)(question, {}).ok());
  with = compared_snapshot({0});
  TableResultQuery next = question;
  next.compared->snapshot = with;
  CHECK_FALSE(next == question);
}

}  // namespace
