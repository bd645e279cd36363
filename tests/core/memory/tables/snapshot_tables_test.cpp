// Covers: snapshot_tables, live_memory, snapshot_columns, snapshot_groups, snapshot_growth, snapshot_segments,
//   snapshot_comparison, recording_notes, snapshot_steps, snapshot_summary, snapshot_categories, snapshot_search
// Search, categories and tables of a snapshot on a recording small enough to work out by hand.
#include "core/memory/tables/snapshot_tables.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "core/memory/snapshot_steps.hpp"
#include "core/memory/snapshot_summary.hpp"
#include "core/memory/tables/snapshot_categories.hpp"
#include "core/memory/tables/snapshot_search.hpp"
#include "tests/fixtures/random_device.hpp"
#include "tests/fixtures/snapshot_fixture.hpp"
#include "tests/fixtures/table_cells.hpp"

using kino_test::integer;
using kino_test::text;

namespace {

using kino::AllocationId;
using kino::EventIndex;
using kino::LiveGrouping;
using kino::Snapshot;
using kino::SnapshotAction;
using kino::SnapshotQuery;
using kino::SnapshotScope;
using kino::StackId;
using kino::Table;

kino::StackId stack_of(Snapshot& snapshot, const std::vector<std::pair<const char*, const char*>>& frames) {
  std::vector<kino::FrameId> ids;
  std::int64_t line = 10;
  for (const auto& [file, name] : frames) {
    ids.push_back(snapshot.stacks.intern(
        kino::SnapshotFrame{snapshot.strings.intern(name), snapshot.strings.intern(file), line++}));
  }
  return snapshot.stacks.intern(ids);
}

/// Three steps of 1 ms: each allocates a temporary that it frees, and 100 bytes that are never freed. Before
/// the steps, there are a weight of 1000 bytes that is never freed, and 70 bytes older than the recording.
Snapshot leaky() {
  Snapshot snapshot;
  snapshot.streams = {0, 7};
  snapshot.pools = {{}, {0, 1}};
  snapshot.notes = {{}};
  const StackId weight =
      stack_of(snapshot, {{"/site-packages/torch/nn/linear.py", "__init__"}, {"/me/train.py", "build"}});
  const StackId temporary =
      stack_of(snapshot, {{"/site-packages/torch/nn/linear.py", "forward"}, {"/me/train.py", "train"}});
  const StackId leak = stack_of(snapshot, {{"/me/train.py", "keep_loss"}, {"/me/train.py", "train"}});
  std::vector<kino_test::EntryRow> rows{{SnapshotAction::alloc, 0x1000, 1000, 0, weight}};
  for (std::uint64_t step = 0; step < 3; ++step) {
    const auto at = static_cast<std::int64_t>(1000 * step);
    rows.push_back({SnapshotAction::alloc, 0x9000, 400, at + 100, temporary});
    rows.push_back({SnapshotAction::alloc, 0x20000 + 0x1000 * step, 100, at + 200, leak});
    rows.push_back({SnapshotAction::free_requested, 0x9000, 400, at + 300, temporary});
    rows.push_back({SnapshotAction::free_completed, 0x9000, 400, at + 300, temporary});
  }
  rows.push_back({SnapshotAction::oom, 5, 5000, 3000, leak});
  kino::SnapshotSegment segment;
  segment.addr = 0x700000;
  segment.size = segment.allocated = segment.active = segment.requested = 70;
  segment.block_count = 1;
  snapshot.devices.push_back(kino_test::device_of(
      rows, {segment}, {{0x700000, 70, 70, kino::kNoStack, kino::BlockState::allocated}}));
  const auto annotate = [&](const char* name, std::int64_t time_us, bool start) {
    snapshot.annotations.push_back({snapshot.strings.intern(name), 0, time_us, start});
  };
  for (int step = 0; step < 3; ++step) {
    const std::string name = "ProfilerStep#" + std::to_string(step);
    annotate(name.c_str(), 1000 * step, true);
    annotate(name.c_str(), 1000 * step + 900, false);
  }
  return snapshot;
}

std::size_t found(const Snapshot& snapshot, const char* text) {
  const auto query = SnapshotQuery::compile(text, snapshot, 0);
  REQUIRE_MESSAGE(query.ok(), text);
  const kino::SnapshotHits hits = kino::find_in_snapshot(query.value(), snapshot.devices[0]);
  return query.value().requests_events() ? hits.events.size() : hits.allocations.size();
}

SnapshotScope scope_of(const Snapshot& snapshot, EventIndex at) {
  SnapshotScope scope;
  scope.snapshot = &snapshot;
  scope.at = at;
  return scope;
}

TEST_CASE("finds by frame, file, size, age, life, address, stream, pool and action") {
  const Snapshot snapshot = leaky();
  CHECK(found(snapshot, "") == 8);
  CHECK(found(snapshot, "KEEP_loss") == 3);
  CHECK(found(snapshot, "train.py:10 keep_loss") == 3);  // two words
  CHECK(found(snapshot, "\"train.py:11 train\"") == 6);
  CHECK(found(snapshot, "file:linear.py") == 4);
  CHECK(found(snapshot, "function:forward") == 3);
  CHECK(found(snapshot, "file:forward") == 0);
  CHECK(found(snapshot, "/lin..r\\.py:10\\s__init/") == 1);
  CHECK(found(snapshot, ">100") == 4);
  CHECK(found(snapshot, "size>=100B size<1kB") == 6);
  CHECK(found(snapshot, "=70") == 1);
  CHECK(found(snapshot, "age=3") == 4);
  CHECK(found(snapshot, "age>=3ms") == 2);
  CHECK(found(snapshot, "lives:before") == 1);
  CHECK(found(snapshot, "lives:always") == 1);
  CHECK(found(snapshot, "lives:end") == 5);
  CHECK(found(snapshot, "lives:freed") == 3);
  CHECK(found(snapshot, "-lives:end -file:linear.py") == 0);
  CHECK(found(snapshot, "-keep_loss") == 5);
  CHECK(found(snapshot, "steps>1") == 4);
  CHECK(found(snapshot, "0x9100") == 3);
  CHECK(found(snapshot, "0x700045") == 1);
  CHECK(found(snapshot, "0x700046") == 0);
  CHECK(found(snapshot, "stream:0") == 8);
  CHECK(found(snapshot, "stream:7") == 0);
  CHECK(found(snapshot, "pool:default") == 8);
  CHECK(found(snapshot, "pool:private") == 0);
  CHECK(found(snapshot, "action:oom") == 1);
  CHECK(found(snapshot, "action:free") == 6);
  CHECK(found(snapshot, "action:alloc keep_loss") == 3);
}

TEST_CASE("a malformed search has a reason") {
  const Snapshot snapshot = leaky();
  for (const char* wrong : {">100elephants", ">x", "age>3weeks", "steps>many", "lives:twice", "action:jump",
                            "/(/", "\"\"", "\"forward", "note:\"a b"})
    CHECK_FALSE_MESSAGE(SnapshotQuery::compile(wrong, snapshot, 0).ok(), wrong);
}

TEST_CASE("parses sizes with decimal and binary units") {
  CHECK(kino::bytes_from_text("1.5 GB") == 1'500'000'000U);
  CHECK(kino::bytes_from_text("4KiB") == 4096U);
  CHECK(kino::bytes_from_text("12") == 12U);
  CHECK_FALSE(kino::bytes_from_text("12 apples"));
  CHECK_FALSE(kino::bytes_from_text("-1"));
  CHECK_FALSE(kino::bytes_from_text("1e40"));
}

TEST_CASE("steps end at annotated regions, or are equal parts without them") {
  Snapshot snapshot = leaky();
  kino::SnapshotSteps steps = kino::snapshot_steps(snapshot, 0);
  CHECK(steps.region == "ProfilerStep");
  CHECK(steps.ends == std::vector<EventIndex>{4, 8, 12});
  CHECK(steps.begin == 1);
  REQUIRE(steps.names.size() == 3);
  CHECK(snapshot.text(steps.names[2]) == "ProfilerStep#2");
  snapshot.annotations.clear();
  steps = kino::snapshot_steps(snapshot, 0);
  CHECK(steps.region.empty());
  CHECK(steps.ends.size() == kino::kSnapshotParts);
  CHECK(steps.ends.back() == 13);
}

TEST_CASE("live memory is grouped by stack, file and size, and listed by allocation") {
  const Snapshot snapshot = leaky();
  const Table stacks = kino::live_memory_table(scope_of(snapshot, 6), LiveGrouping::stack);
  REQUIRE(stacks.row_count() == 4);
  CHECK(text(stacks, "place", 0) == "train.py:11 build");
  CHECK(integer(stacks, "bytes", 0) == 1000);
  CHECK(integer(stacks, "bytes", 1) == 400);
  CHECK(integer(stacks, "bytes", 2) == 200);
  CHECK(integer(stacks, "count", 2) == 2);
  CHECK(integer(stacks, "age_events", 2) == 4);
  CHECK(integer(stacks, "age_ns", 2) == 1'000'000);
  CHECK(text(stacks, "place", 3) == "no stack recorded");
  CHECK(integer(stacks, "age_events", 3) == kino::kNoInteger);
  const Table each = kino::live_memory_table(scope_of(snapshot, 6), LiveGrouping::allocation);
  CHECK(each.row_count() == 5);
  CHECK(integer(each, "freed_in_events", 1) == 2);
  const Table lines = kino::live_memory_table(scope_of(snapshot, 6), LiveGrouping::line);
  REQUIRE(lines.row_count() == 4);
  CHECK(text(lines, "place", 1) == "train.py:11 train");
  const Table files = kino::live_memory_table(scope_of(snapshot, 6), LiveGrouping::file);
  REQUIRE(files.row_count() == 2);
  CHECK(text(files, "place", 0) == "/me/train.py");
  CHECK(integer(files, "bytes", 0) == 1600);
  const Table sizes = kino::live_memory_table(scope_of(snapshot, 6), LiveGrouping::size);
  CHECK(text(sizes, "place", 0) == "512 B to 1.02 kB");
  CHECK(text(sizes, "place", 1) == "up to 512 B");
  SnapshotScope binary = scope_of(snapshot, 6);
  binary.units = kino::ByteUnits::binary;
  const Table halves = kino::live_memory_table(binary, LiveGrouping::size);
  CHECK(text(halves, "place", 0) == "512 B to 1.00 KiB");
}

TEST_CASE("comparing two moments lists the changes, the largest growth first") {
  const Snapshot snapshot = leaky();
  SnapshotScope scope = scope_of(snapshot, 12);
  scope.baseline = 2;
  const Table table = kino::live_memory_table(scope, LiveGrouping::stack);
  REQUIRE(table.row_count() == 2);
  CHECK(integer(table, "growth_bytes", 0) == 200);
  CHECK(integer(table, "growth_bytes", 1) == -400);
}

TEST_CASE("live memory of every grouping adds up to the curve, on random recordings") {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    Snapshot snapshot;
    snapshot.devices.push_back(kino_test::random_device(seed, 300));
    snapshot.streams = {0};
    snapshot.pools = {{}};
    snapshot.notes = {{}};
    for (std::uint32_t i = 0; i < 400; ++i) stack_of(snapshot, {{"a.py", std::to_string(i).c_str()}});
    for (const EventIndex at : {kino::kBeforeRecording, 0, 57, 299}) {
      const auto expected =
          static_cast<std::int64_t>(kino::curve_at(snapshot.devices[0], kino::MemoryCurve::requested, at));
      for (const LiveGrouping by : {LiveGrouping::stack, LiveGrouping::allocation, LiveGrouping::size,
                                    LiveGrouping::function, LiveGrouping::pool}) {
        const Table table = kino::live_memory_table(scope_of(snapshot, at), by);
        std::int64_t sum = 0;
        for (std::size_t row = 0; row < table.row_count(); ++row) sum += integer(table, "bytes", row);
        CHECK(sum == expected);
      }
    }
  }
}

TEST_CASE("compared moments differ by the growth of all rows, largest first, on random recordings") {
  Snapshot snapshot;
  snapshot.devices.push_back(kino_test::random_device(7, 1000));
  snapshot.streams = {0};
  snapshot.pools = {{}};
  snapshot.notes = {{}};
  for (std::uint32_t i = 0; i < 400; ++i) stack_of(snapshot, {{"a.py", std::to_string(i).c_str()}});
  const auto active = [&](EventIndex event) {
    return static_cast<std::int64_t>(
        kino::curve_at(snapshot.devices[0], kino::MemoryCurve::requested, event));
  };
  for (const auto& [now, before] : {std::pair{900, 100}, std::pair{100, 900}, std::pair{-1, 500}}) {
    SnapshotScope scope = scope_of(snapshot, now);
    scope.baseline = before;
    for (const LiveGrouping by : {LiveGrouping::stack, LiveGrouping::size}) {
      const Table table = kino::live_memory_table(scope, by);
      std::int64_t growth = 0;
      for (std::size_t row = 0; row < table.row_count(); ++row) {
        growth += integer(table, "growth_bytes", row);
        if (row > 0) CHECK(integer(table, "growth_bytes", row) <= integer(table, "growth_bytes", row - 1));
      }
      CHECK(growth == active(now) - active(before));
    }
  }
}

TEST_CASE("stacks have the stream and the pool of their largest allocation only on request") {
  const Snapshot snapshot = leaky();
  SnapshotScope scope = scope_of(snapshot, 6);
  CHECK(kino::live_memory_table(scope, LiveGrouping::stack).find("stream") == nullptr);
  scope.adds_largest_origin = true;
  const Table table = kino::live_memory_table(scope, LiveGrouping::stack);
  CHECK(table.find("stream") != nullptr);
  CHECK(table.find("pool") != nullptr);
}

TEST_CASE("a stack that grows in every step is first, and remains of steps are counted") {
  const Snapshot snapshot = leaky();
  const Table stacks = kino::growth_table(scope_of(snapshot, 0), kino::GrowthGrouping::stack);
  REQUIRE(stacks.row_count() == 3);
  CHECK(text(stacks, "place", 0) == "train.py:10 keep_loss");
  CHECK(integer(stacks, "per_step_bytes", 0) == 100);
  CHECK(integer(stacks, "growth_bytes", 0) == 200);
  CHECK(integer(stacks, "steps_grown", 0) == 2);
  CHECK(integer(stacks, "kept", 0) == 2);
  CHECK(integer(stacks, "per_step_bytes", 1) == 0);
  const Table steps = kino::growth_table(scope_of(snapshot, 0), kino::GrowthGrouping::step);
  REQUIRE(steps.row_count() == 3);
  CHECK(integer(steps, "kept_bytes", 0) == 100);
  CHECK(integer(steps, "kept_bytes", 1) == 100);
  CHECK(integer(steps, "allocated_bytes", 1) == 500);
  CHECK(integer(steps, "freed_bytes", 1) == 400);
  CHECK(integer(steps, "change_bytes", 2) == 100);
  CHECK(integer(steps, "peak_bytes", 2) == 1770);
  const Table kept = kino::growth_table(scope_of(snapshot, 0), kino::GrowthGrouping::allocation);
  REQUIRE(kept.row_count() == 4);
  CHECK(integer(kept, "steps", 0) == 3);
  CHECK(text(kept, "life", 3) == "the whole recording");
}

TEST_CASE("equal parts of a recording without steps have no growth per part") {
  Snapshot snapshot;
  snapshot.streams = {0};
  snapshot.pools = {{}};
  snapshot.notes = {{}};
  const StackId stack = stack_of(snapshot, {{"/me/train.py", "build"}});
  std::vector<kino_test::EntryRow> rows;
  rows.reserve(40);
  for (std::uint64_t i = 0; i < 40; ++i)
    rows.push_back({SnapshotAction::alloc, 0x1000 * (i + 1), 100, static_cast<std::int64_t>(i), stack});
  snapshot.devices.push_back(kino_test::device_of(rows));
  const Table table = kino::growth_table(scope_of(snapshot, 0), kino::GrowthGrouping::stack);
  REQUIRE(table.row_count() == 1);
  CHECK(table.find("per_step_bytes")->title == "Growth per part");
  CHECK(integer(table, "per_step_bytes", 0) == kino::kNoInteger);
  CHECK(integer(table, "growth_bytes", 0) > 0);
}

TEST_CASE("lists events with the active memory after them, and searches them") {
  const Snapshot snapshot = leaky();
  const Table all = kino::event_table(scope_of(snapshot, 0));
  REQUIRE(all.row_count() == 14);
  CHECK(integer(all, "active_bytes", 0) == 1070);
  CHECK(text(all, "action", 13) == "oom");
  CHECK(all.find("event")->unit == kino::Unit::id);
  const auto query = SnapshotQuery::compile("action:oom", snapshot, 0);
  SnapshotScope scope = scope_of(snapshot, 0);
  scope.query = &query.value();
  CHECK(kino::event_table(scope).row_count() == 1);
}

TEST_CASE("the segment table of a file without a recording shows the time of the snapshot") {
  Snapshot snapshot;
  snapshot.streams = {0};
  snapshot.pools = {{}};
  snapshot.notes = {{}};
  snapshot.devices.push_back(kino_test::device_of({}));
  const auto table =
      kino::segment_table(scope_of(snapshot, kino::kBeforeRecording), kino::SegmentGrouping::segment);
  CHECK(std::ranges::find(table.notes, "Segments when the snapshot was taken.") != table.notes.end());
}

TEST_CASE("segments and their blocks cover reserved memory") {
  const Snapshot snapshot = leaky();
  const Table segments = kino::segment_table(scope_of(snapshot, 13), kino::SegmentGrouping::segment);
  REQUIRE(segments.row_count() == 1);
  CHECK(text(segments, "address", 0) == "0x700000");
  CHECK(integer(segments, "reserved_bytes", 0) == 70);
  CHECK(integer(segments, "allocated_bytes", 0) == 70);
  CHECK(integer(kino::segment_table(scope_of(snapshot, 13), kino::SegmentGrouping::pool), "segments", 0) ==
        1);
  CHECK(text(kino::segment_table(scope_of(snapshot, 13), kino::SegmentGrouping::block), "state", 0) ==
        "allocated");
}

/// An allocation that is freed at another line, one that is made at the line of that free and never freed, and
/// one of which only the free is recorded, at the same line.
Snapshot freed() {
  Snapshot snapshot;
  snapshot.streams = {0};
  snapshot.pools = {{}};
  snapshot.notes = {{}};
  const StackId make = stack_of(snapshot, {{"/me/train.py", "make"}});
  const StackId drop = stack_of(snapshot, {{"/me/train.py", "drop"}});
  snapshot.devices.push_back(kino_test::device_of({{SnapshotAction::alloc, 0x1000, 100, 0, make},
                                                   {SnapshotAction::free_requested, 0x1000, 100, 1, drop},
                                                   {SnapshotAction::free_completed, 0x1000, 100, 1, drop},
                                                   {SnapshotAction::alloc, 0x1000, 30, 2, drop},
                                                   {SnapshotAction::free_requested, 0x5000, 70, 3, drop},
                                                   {SnapshotAction::free_completed, 0x5000, 70, 3, drop}}));
  return snapshot;
}

TEST_CASE("the stack of a free is where it was freed, never where the memory was allocated") {
  const Snapshot snapshot = freed();
  const kino::SnapshotDevice& device = snapshot.devices[0];
  const auto stack = [&](std::uint32_t id) { return kino::stack_of_free(device, AllocationId{id}); };
  CHECK(stack(0) == device.entries.stack[4]);  // the older allocation
  CHECK(stack(1) == device.entries.stack[1]);
  CHECK(stack(2) == kino::kNoStack);  // lives to the end
  const Table live = kino::live_memory_table(scope_of(snapshot, 3), LiveGrouping::stack);
  REQUIRE(live.row_count() == 2);
  CHECK(text(live, "place", 0) == "before the recording; freed in train.py:10 drop");
  CHECK(integer(live, "bytes", 0) == 70);
  CHECK(text(live, "place", 1) == "train.py:10 drop");
  CHECK(integer(live, "bytes", 1) == 30);
  for (const LiveGrouping by : {LiveGrouping::line, LiveGrouping::function, LiveGrouping::file}) {
    const Table rows = kino::live_memory_table(scope_of(snapshot, 3), by);
    REQUIRE(rows.row_count() == 2);
    CHECK(text(rows, "place", 0).starts_with("before the recording; freed in "));
  }
  CHECK(kino::folded_stacks(scope_of(snapshot, 3)) ==
        "older than the recording (stack of the free);train.py:10 drop 70\n"
        "train.py:10 drop 30\n");
  const Table events = kino::event_table(scope_of(snapshot, 0));
  CHECK(text(events, "place", 1) == "train.py:10 drop");
  CHECK(text(events, "allocated_in", 1) == "train.py:10 make");
  CHECK(text(events, "stack", 1) == "/me/train.py:10 drop");
  CHECK(text(events, "allocated_in", 4) == "before the recording; freed in train.py:10 drop");
  CHECK(text(events, "allocated_in", 0).empty());
  const Table all = kino::allocation_table(scope_of(snapshot, 0));
  CHECK(text(all, "freed_in", 1) == "train.py:10 drop");
  CHECK(text(all, "free_stack", 1) == "/me/train.py:10 drop");
  CHECK(text(all, "freed_in", 2).empty());
}

TEST_CASE("frees with stacks of their allocations have no place, with a note") {
  const Snapshot snapshot = leaky();
  CHECK(kino::stack_of_free(snapshot.devices[0], AllocationId{2}) == kino::kNoStack);
  const Table events = kino::event_table(scope_of(snapshot, 0));
  CHECK(text(events, "place", 3) == "where it was freed is not recorded");
  CHECK(text(events, "allocated_in", 3) == "train.py:11 train");
  CHECK(std::ranges::any_of(events.notes, [](const kino::Message& note) {
    return note.str().find("context=") != std::string::npos;
  }));
}

TEST_CASE("omits whole stacks that are too large, with a note") {
  const Snapshot snapshot = freed();
  SnapshotScope scope = scope_of(snapshot, 0);
  scope.most_stack_bytes = 10;
  const Table events = kino::event_table(scope);
  CHECK(events.find("stack") == nullptr);
  CHECK(std::ranges::any_of(events.notes, [](const kino::Message& note) {
    return note.str().find("omitted") != std::string::npos;
  }));
  scope.most_stack_bytes = 0;
  CHECK(kino::event_table(scope).find("stack") == nullptr);
}

/// Allocations at one line, called through C++ frames of some version, and at a second line of the function.
Snapshot of_kernels(const char* function, std::uint64_t bytes, std::int64_t moved = 0) {
  Snapshot snapshot;
  snapshot.streams = {0};
  snapshot.pools = {{}};
  snapshot.notes = {{}};
  const auto stack = [&](std::int64_t line) {
    const kino::FrameId frames[3] = {
        snapshot.stacks.intern(
            kino::SnapshotFrame{snapshot.strings.intern(function), snapshot.strings.intern("??"), 0}),
        snapshot.stacks.intern(kino::SnapshotFrame{snapshot.strings.intern("softmax"),
                                                   snapshot.strings.intern("/me/nn_utils.py"), line + moved}),
        snapshot.stacks.intern(kino::SnapshotFrame{snapshot.strings.intern("forward"),
                                                   snapshot.strings.intern("/me/model.py"), line + 5})};
    return snapshot.stacks.intern(frames);
  };
  snapshot.devices.push_back(kino_test::device_of({{SnapshotAction::alloc, 0x1000, bytes, 0, stack(6)},
                                                   {SnapshotAction::alloc, 0x2000, bytes / 2, 1, stack(7)}}));
  return snapshot;
}

TEST_CASE("compares two snapshots by Python frames, independent of C++ below them") {
  const Snapshot large = of_kernels("at::native::gemm_split_k", 6000);
  const Snapshot small = of_kernels("at::native::gemm", 1000);
  const auto compared = [&](LiveGrouping by) {
    return kino::snapshot_comparison(scope_of(large, 1), scope_of(small, 1), by);
  };
  const Table stacks = compared(LiveGrouping::stack);
  REQUIRE(stacks.row_count() == 2);
  CHECK(text(stacks, "place", 0) == "nn_utils.py:6 softmax");
  CHECK(integer(stacks, "difference_bytes", 0) == -5000);
  CHECK(text(stacks, "stack", 0) == "/me/nn_utils.py:6 softmax; /me/model.py:11 forward");
  CHECK(compared(LiveGrouping::line).row_count() == 2);
  const Table functions = compared(LiveGrouping::function);
  REQUIRE(functions.row_count() == 1);
  CHECK(text(functions, "place", 0) == "softmax");
  CHECK(integer(functions, "difference_bytes", 0) == -7500);
  CHECK(text(compared(LiveGrouping::file), "place", 0) == "/me/nn_utils.py");
  CHECK(text(compared(LiveGrouping::pool), "place", 0) == "pool default");
}

TEST_CASE("matches stacks whose lines have moved, with a note") {
  const Snapshot before = of_kernels("at::native::gemm", 6000);
  const Snapshot after = of_kernels("at::native::gemm", 1000, 1);
  for (const LiveGrouping by : {LiveGrouping::stack, LiveGrouping::line}) {
    // Line 6 has become line 7, which is not the previous line 7.
    const Table table = kino::snapshot_comparison(scope_of(before, 1), scope_of(after, 1), by);
    REQUIRE(table.row_count() == 2);
    CHECK(text(table, "place", 0) == "nn_utils.py:6 softmax");
    CHECK(integer(table, "before_bytes", 0) == 6000);
    CHECK(integer(table, "after_bytes", 0) == 1000);
    CHECK(text(table, "place", 1) == "nn_utils.py:7 softmax");
    CHECK(integer(table, "before_bytes", 1) == 3000);
    CHECK(integer(table, "after_bytes", 1) == 500);
    CHECK(
        table.notes.back() ==
        "In 1 function, all line numbers are shifted by the same distance. Its rows are matched and show the "
        "line numbers of side First.");
  }
  const Table functions =
      kino::snapshot_comparison(scope_of(before, 1), scope_of(after, 1), LiveGrouping::function);
  CHECK(functions.notes.size() == 2);
}

TEST_CASE("compares two snapshots by equal stacks, independent of their ids") {
  const Snapshot first = leaky();
  Snapshot second;
  stack_of(second, {{"/other.py", "first"}});
  Snapshot again = leaky();
  const Table table = kino::snapshot_comparison(scope_of(first, 2), scope_of(again, 13));
  REQUIRE(table.row_count() == 4);
  CHECK(integer(table, "difference_bytes", 0) == -400);
  CHECK(integer(table, "difference_bytes", 1) == 200);
  CHECK(text(table, "place", 1) == "train.py:10 keep_loss");
  CHECK(integer(table, "difference_bytes", 2) == 0);
  REQUIRE(table.row_count() == 4);
  CHECK(table.allocation_of(0) == kino::kNoAllocation);
  CHECK(table.allocation_of(0, 1) == kino::AllocationId{2});
  CHECK(table.allocation_of(1) == kino::AllocationId{3});
  REQUIRE(table.notes.size() == 2);
  CHECK(table.notes[0] == "First: 1.57 kB after event 2; Second: 1.37 kB after event 13.");
  CHECK(table.notes[1] ==
        "3 of 4 rows are in both snapshots (First: 1.17 kB of 1.57 kB; Second: 1.37 kB of 1.37 kB).");
  const Table here = kino::snapshot_comparison(scope_of(first, 2), scope_of(again, 13), LiveGrouping::stack,
                                               {}, kino::kThereAndHere);
  CHECK(here.find("before_bytes")->title == "Other");
  CHECK(here.find("after_bytes")->title == "This");
}

TEST_CASE("categories come from the first rule that matches") {
  const Snapshot snapshot = leaky();
  const auto built_in =
      kino::categorize(snapshot, 0, kino::default_category_rules(), kino::ByteUnits::decimal);
  REQUIRE(built_in.ok());
  const auto of = [&](std::size_t i) { return built_in.value().names[built_in.value().of_allocation[i]]; };
  CHECK(of(0) == "Before the recording");  // other rules name most of the older memory
  CHECK(of(1) == "Parameters");
  CHECK(of(2) == "Kept from forward");  // it outlives its pass, without a backward
  CHECK(of(3) == "Inputs and script tensors");
  const auto own = kino::categorize(snapshot, 0, {{{"Mine", "keep_loss"}, {"Never", "keep_loss"}}, false},
                                    kino::ByteUnits::decimal);
  REQUIRE(own.ok());
  CHECK(kino::english_texts(own.value().names) == std::vector<std::string>{"Mine", "Never", "Other"});
  CHECK(own.value().of_allocation[3] == 0);
  CHECK(own.value().of_allocation[0] == 2);
  CHECK_FALSE(kino::categorize(snapshot, 0, {{{"Wrong", ">x"}}, false}, kino::ByteUnits::decimal).ok());
  CHECK_FALSE(
      kino::categorize(snapshot, 0, {{{"Events", "action:oom"}}, true}, kino::ByteUnits::decimal).ok());
}

TEST_CASE("rules that extend the categories apply with their precedence") {
  const Snapshot snapshot = leaky();
  const auto named = [&](kino::RulePlace before, std::size_t allocation) {
    const auto made = kino::categorize(snapshot, 0, {{{"Mine", "", before}}, true}, kino::ByteUnits::decimal);
    REQUIRE(made.ok());
    return made.value().name_of(allocation);
  };
  CHECK(named(kino::RulePlace::packs, 1) == "Mine");
  CHECK(named(kino::RulePlace::phases, 3) == "Mine");
  CHECK(named(kino::RulePlace::last, 0) == "Mine");
  CHECK(named(kino::RulePlace::last, 1) == "Parameters");
  CHECK(named(kino::RulePlace::last, 3) == "Inputs and script tensors");
}

TEST_CASE("folded stacks have one line per stack, outermost first, with its bytes") {
  const Snapshot snapshot = leaky();
  const std::string folded = kino::folded_stacks(scope_of(snapshot, 13));
  CHECK(folded ==
        "train.py:11 build;linear.py:10 __init__ 1000\n"
        "train.py:11 train;train.py:10 keep_loss 300\n"
        "no stack recorded 70\n");
}

TEST_CASE("reports a recording that fills its ring buffer") {
  std::vector<kino_test::EntryRow> rows;
  for (std::uint64_t i = 0; i < 1000; ++i) rows.push_back({SnapshotAction::free_completed, i << 12, 8});
  const kino::SnapshotDevice full = kino_test::device_of(rows);
  CHECK(kino::ring_was_full(full));
  rows.pop_back();
  CHECK_FALSE(kino::ring_was_full(kino_test::device_of(rows)));
  const std::vector<kino::Message> notes = kino::recording_notes(full);
  REQUIRE_FALSE(notes.empty());
  CHECK(notes.front().str().find("exactly 1 000 events") != std::string::npos);
}

}  // namespace

TEST_CASE("a row with allocations of several categories is called mixed") {
  kino::AllocationCategories categories;
  categories.names = {"Parameters", "Optimizer state", "Gradients"};
  categories.of_allocation = {1, 1, 2, 0};
  CHECK(categories.text_of_set(0).empty());
  CHECK(categories.text_of_set(categories.bit_of(0) | categories.bit_of(1)) == "Optimizer state");
  CHECK(categories.text_of_set(categories.bit_of(0) | categories.bit_of(2)) ==
        "Mixed: Optimizer state and Gradients");
  CHECK(categories.text_of_set(categories.bit_of(0) | categories.bit_of(2) | categories.bit_of(3)) ==
        "Mixed: Parameters, Optimizer state and others");

  // At the end a weight, an older allocation, and three leaks of one stack are live.
  const Snapshot snapshot = leaky();
  SnapshotScope scope =
      scope_of(snapshot, static_cast<EventIndex>(snapshot.devices[0].entries.entry_count()) - 1);
  categories.of_allocation = {0, 0, 2, 1, 2, 2, 2, 1};
  categories.sure.assign(8, kino::Confidence::likely);
  categories.why.assign(8, 0);
  categories.whys = {"by hand"};
  scope.categories = &categories;
  const Table by_stack = kino::live_memory_table(scope, LiveGrouping::stack);
  REQUIRE(by_stack.row_count() == 3);
  CHECK(integer(by_stack, "bytes", 0) == 1000);
  CHECK(text(by_stack, "category", 0) == "Parameters");
  CHECK(integer(by_stack, "bytes", 1) == 300);
  CHECK(text(by_stack, "category", 1) == "Mixed: Optimizer state and Gradients");
  CHECK(text(by_stack, "category", 2) == "Parameters");
}
