// Covers: snapshot_set_tables
// Tables of a set of snapshots.
#include "core/memory/snapshot_set/snapshot_set_tables.hpp"

#include <string>

#include <doctest/doctest.h>

#include "tests/fixtures/table_cells.hpp"

using kino::SnapshotMember;
using kino::SnapshotSet;
using kino::Table;
using kino::TableRequest;
using kino_test::integer;
using kino_test::text;

namespace {

SnapshotSet made_set(std::size_t count) {
  std::vector<SnapshotMember> members;
  for (std::size_t i = 0; i < count; ++i) {
    SnapshotMember it{
        "rank" + std::to_string(i) + ".pickle", static_cast<std::int64_t>(i), true, true, {}, i};
    const std::uint64_t more = i == 1 ? 700 : 0;
    it.sums.peak_bytes = 1000 + more;
    it.sums.peak_us = 1'500;
    it.sums.first_us = 1'000;
    it.sums.last_us = 2'000;
    for (auto& rows : it.sums.rows) rows = {{"/a.py:1 f", "a.py:1 f", 1000 + more, 1}};
    members.push_back(std::move(it));
  }
  members[2].sums.out_of_memory = kino::SumOutOfMemory{3, 1'700, 4096, 512, 1};
  return kino::snapshot_set(std::move(members));
}

Table table(const SnapshotSet& set, const std::string& name, const std::string& group = "") {
  TableRequest request;
  request.name = name;
  request.group = group;
  auto made = kino::snapshot_set_table(set, request);
  REQUIRE(made.ok());
  return std::move(made).value();
}

}  // namespace

TEST_CASE("the table of snapshots lists out-of-memory first, then by distance from the median") {
  const SnapshotSet set = made_set(5);
  const Table made = table(set, "snapshots");
  REQUIRE(made.row_count() == 5);
  CHECK(text(made, "snapshot", 0) == "rank 2");
  CHECK(text(made, "state", 0) == "out of memory");
  CHECK(integer(made, "asked_bytes", 0) == 4096);
  CHECK(integer(made, "device_free_bytes", 0) == 512);
  CHECK(text(made, "snapshot", 1) == "rank 1");
  CHECK(text(made, "state", 1) == "outlier");
  CHECK(integer(made, "difference_bytes", 1) == 700);
  CHECK(text(made, "largest_place", 1) == "a.py:1 f");
  CHECK(integer(made, "largest_difference_bytes", 1) == 700);
  CHECK(integer(made, "peak_ns", 1) == 500'000);
  CHECK(integer(made, "asked_bytes", 1) == kino::kNoInteger);
  CHECK(integer(made, "begin_unix_ns", 1) == 1'000'000);
  CHECK(integer(made, "end_unix_ns", 1) == 2'000'000);
  CHECK(made.find("begin_unix_ns")->definition == "Start of the recording, Unix time in ns");
  CHECK(made.find("end_unix_ns")->definition == "End of the recording, Unix time in ns");
  CHECK(made.links.size() == 5);
  CHECK(made.links[0].recording() == 2);
}

TEST_CASE("the table of lines has one column per snapshot, only in exports if there are many") {
  const Table few = table(made_set(4), "snapshot-lines");
  CHECK(integer(few, "range_bytes", 0) == 700);
  CHECK(integer(few, "bytes_2", 0) == 1700);
  CHECK(!few.find("bytes_2")->export_only);
  CHECK(few.find("bytes_2")->title == "rank 1");
  CHECK(text(few, "highest_snapshot", 0) == "rank 1");
  const Table many = table(made_set(40), "snapshot-lines", "module");
  CHECK(many.find("bytes_40")->export_only);
}

TEST_CASE("the table of differences has one row per difference from the median") {
  const Table made = table(made_set(5), "snapshot-differences", "file");
  REQUIRE(made.row_count() == 1);
  CHECK(text(made, "snapshot", 0) == "rank 1");
  CHECK(integer(made, "difference_bytes", 0) == 700);
  CHECK(integer(made, "median_bytes", 0) == 1000);
}

TEST_CASE("every table of an empty set has columns and no rows") {
  for (const kino::TableInfo* const kind : kino::snapshot_set_table_kinds()) {
    const Table made = table({}, std::string(kind->name));
    CHECK(made.row_count() == 0);
    CHECK(made.columns.size() > 3);
  }
}

TEST_CASE("refuses unknown tables, unknown groups and unsupported options") {
  TableRequest request;
  request.name = "kernels";
  CHECK(!kino::snapshot_set_table({}, request).ok());
  request.name = "snapshots";
  request.group = "line";
  CHECK(!kino::snapshot_set_table({}, request).ok());
  request.group = "";
  request.at = "peak";
  CHECK(!kino::snapshot_set_table({}, request).ok());
}
