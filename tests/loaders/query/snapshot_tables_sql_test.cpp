// Covers: snapshot_tables_sql, listed_table, program_tables
// Tables of snapshots in SQL.
#include <memory>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "core/memory/snapshot.hpp"
#include "tests/fixtures/query_fixture.hpp"
#include "tests/fixtures/snapshot_fixture.hpp"

using kino::SnapshotAction;

namespace {

constexpr std::int64_t kBeginUs = 1'743'406'976'000'000;

/// Two devices; on the first one, step() in train.py makes two allocations, and one of them is freed.
std::shared_ptr<const kino::QueryModel> model() {
  auto snapshot = std::make_shared<kino::Snapshot>();
  kino::SnapshotFrame inner;
  inner.name = snapshot->strings.intern("forward");
  inner.file = snapshot->strings.intern("/job/model.py");
  inner.line = 7;
  kino::SnapshotFrame outer = inner;
  outer.name = snapshot->strings.intern("step");
  outer.file = snapshot->strings.intern("/job/train.py");
  outer.line = 40;
  const std::vector<kino::FrameId> frames{snapshot->stacks.intern(inner), snapshot->stacks.intern(outer)};
  const kino::StackId stack = snapshot->stacks.intern(frames);
  snapshot->streams = {0};
  snapshot->pools = {{}};
  snapshot->notes = {{}};
  snapshot->devices.push_back(
      kino_test::device_of({{SnapshotAction::segment_alloc, 0x1000, 4096, kBeginUs, stack},
                            {SnapshotAction::alloc, 0x1000, 512, kBeginUs + 1, stack},
                            {SnapshotAction::alloc, 0x1200, 1024, kBeginUs + 2, stack},
                            {SnapshotAction::free_requested, 0x1000, 512, kBeginUs + 3, stack},
                            {SnapshotAction::free_completed, 0x1000, 512, kBeginUs + 4, stack}}));
  snapshot->devices.push_back(
      kino_test::device_of({{SnapshotAction::alloc, 0x9000, 64, kBeginUs + 9, kino::kNoStack}}));
  snapshot->devices[1].ordinal = 1;
  return std::make_shared<const kino::QueryModel>(std::move(snapshot), "memory.pickle", 5);
}

}  // namespace

TEST_CASE("a snapshot's allocations, events, segments and frames are tables") {
  const std::vector files{model()};
  const auto ask = [&](std::string_view sql) { return kino_test::asked(files, sql); };
  CHECK(ask("SELECT id, device, bytes, alloc_event, free_event, live_at_end, rank FROM allocation") ==
        "0|0|512|1|4|0|5\n1|0|1024|2|NULL|1|5\n2|1|64|0|NULL|1|5");
  CHECK(ask("SELECT free_ts - alloc_ts, stream, pool, origin FROM allocation WHERE id = 0") ==
        "3000|0|default|recorded");
  CHECK(ask("SELECT a.id, s.id, s.bytes FROM allocation a LEFT JOIN segment s ON s.id = a.segment_id") ==
        "0|0|4096\n1|0|4096\n2|NULL|NULL");
  CHECK(ask("SELECT place FROM allocation WHERE id = 1") == "model.py:7 forward");
  CHECK(ask("SELECT category IS NOT NULL, sureness IS NOT NULL, why IS NOT NULL FROM allocation WHERE id = "
            "2") == "1|1|1");
  CHECK(ask("SELECT action, bytes, active_bytes, reserved_bytes, allocation_id FROM memory_event") ==
        "segment_alloc|4096|0|4096|NULL\nalloc|512|512|4096|0\nalloc|1024|1536|4096|1\n"
        "free_requested|512|1536|4096|0\nfree_completed|512|1024|4096|0\nalloc|64|64|0|2");
  CHECK(ask("SELECT device, bytes, begin_event, end_event, expandable FROM segment") == "0|4096|0|NULL|0");
  CHECK(
      ask("SELECT a.id, f.depth, f.name, f.filename, f.line FROM allocation a JOIN frame f USING (stack_id) "
          "WHERE a.device = 0 ORDER BY 1, 2") ==
      "0|0|forward|/job/model.py|7\n0|1|step|/job/train.py|40\n"
      "1|0|forward|/job/model.py|7\n1|1|step|/job/train.py|40");
  CHECK(ask("SELECT COUNT(*), MAX(stack_id) FROM frame") == "2|1");
  CHECK(ask("SELECT COUNT(*) FROM frame WHERE stack_id = 99 OR stack_id = -1 OR stack_id IS NULL") == "0");
  CHECK(ask("SELECT COUNT(*) FROM slice") == "0");
  CHECK(ask("SELECT COUNT(*) FROM kernel") == "0");
}

TEST_CASE("the tables of a snapshot are equal in SQL and on the command line") {
  const std::vector files{model()};
  const auto ask = [&](std::string_view sql) { return kino_test::asked(files, sql); };
  CHECK(ask("SELECT bytes, count FROM table_live") == "1536|2");
  CHECK(ask("SELECT COUNT(*) FROM table_events") == "5");
  CHECK(ask("SELECT a.bytes, t.bytes FROM table_allocations t JOIN allocation a ON a.id = allocation_id "
            "ORDER BY 1") == "512|512\n1024|1024");
  CHECK(ask("SELECT COUNT(*) FROM table_segments") == "1");
  CHECK(ask("SELECT COUNT(*) FROM table_compare").starts_with("error"));
  const kino_test::TemporaryFolder folder;
  const auto trace = kino_test::query_model_of(folder, R"({"traceEvents": []})");
  REQUIRE(trace != nullptr);
  CHECK(kino_test::asked({trace}, "SELECT COUNT(*) FROM table_live") ==
        "error: SQL: The table live cannot be computed for this file");
}

TEST_CASE("a trace has no allocations in SQL") {
  const kino_test::TemporaryFolder folder;
  const auto trace = kino_test::query_model_of(folder, R"({"traceEvents": []})");
  REQUIRE(trace != nullptr);
  for (const char* const table : {"allocation", "memory_event", "segment", "frame"})
    CHECK(kino_test::asked({trace}, "SELECT COUNT(*) FROM " + std::string(table)) == "0");
}
