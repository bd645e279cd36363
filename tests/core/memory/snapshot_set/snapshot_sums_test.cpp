// Covers: snapshot_sums
// Summaries of single snapshots in a set.
#include "core/memory/snapshot_set/snapshot_sums.hpp"

#include <numeric>
#include <string>

#include <doctest/doctest.h>

#include "core/memory/tables/snapshot_categories.hpp"
#include "tests/fixtures/snapshot_fixture.hpp"

using kino::Snapshot;
using kino::SnapshotAction;
using kino::SnapshotSums;
using kino::StackId;
using kino::SumsBy;
using kino_test::EntryRow;

namespace {

constexpr auto kAlloc = SnapshotAction::alloc;
constexpr auto kRequested = SnapshotAction::free_requested;
constexpr auto kCompleted = SnapshotAction::free_completed;

kino::FrameId frame(Snapshot& snapshot, const char* file, std::int64_t line, const char* name) {
  return snapshot.stacks.intern(
      kino::SnapshotFrame{snapshot.strings.intern(name), snapshot.strings.intern(file), line});
}

SnapshotSums sums_of(const Snapshot& snapshot, std::size_t device = 0) {
  auto sums = kino::snapshot_sums(snapshot, device, kino::default_category_rules());
  REQUIRE(sums.ok());
  return std::move(sums).value();
}

std::uint64_t total(const std::vector<kino::SumRow>& rows) {
  return std::accumulate(rows.begin(), rows.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const kino::SumRow& row) { return sum + row.bytes; });
}

std::uint64_t bytes_of(const std::vector<kino::SumRow>& rows, const std::string& name) {
  for (const kino::SumRow& row : rows) {
    if (row.name == name) return row.bytes;
  }
  return 0;
}

}  // namespace

TEST_CASE("live memory at the peak is summed by line, function and file, and each adds up to the peak") {
  Snapshot snapshot;
  snapshot.streams = {0};
  snapshot.pools = {{}};
  snapshot.notes = {{}};
  const std::array load{frame(snapshot, "/home/me/train.py", 10, "load")};
  const std::array forward{frame(snapshot, "/home/me/train.py", 20, "forward")};
  const std::array other{frame(snapshot, "/home/me/model.py", 20, "forward")};
  const StackId a = snapshot.stacks.intern(load);
  const StackId b = snapshot.stacks.intern(forward);
  const StackId c = snapshot.stacks.intern(other);
  snapshot.devices.push_back(kino_test::device_of({{kAlloc, 0x1000, 100, 1'000, a},
                                                   {kAlloc, 0x2000, 50, 2'000, b},
                                                   {kAlloc, 0x3000, 30, 3'000, c},
                                                   {kRequested, 0x2000, 50, 4'000, b},
                                                   {kCompleted, 0x2000, 50, 5'000, b},
                                                   {kAlloc, 0x4000, 20, 6'000, b}}));
  const SnapshotSums sums = sums_of(snapshot);
  CHECK(sums.peak_bytes == 180);
  CHECK(sums.peak_event == 2);
  CHECK(sums.peak_us == 3'000);
  CHECK(sums.peak_count == 3);
  CHECK(sums.peak_place == "model.py:20 forward");
  CHECK(sums.events == 6);
  CHECK(sums.first_us == 1'000);
  CHECK(sums.last_us == 6'000);
  CHECK(!sums.out_of_memory);
  CHECK(bytes_of(sums.by(SumsBy::line), "train.py:10 load") == 100);
  CHECK(bytes_of(sums.by(SumsBy::line), "train.py:20 forward") == 50);
  CHECK(bytes_of(sums.by(SumsBy::line), "model.py:20 forward") == 30);
  CHECK(bytes_of(sums.by(SumsBy::function), "forward") == 80);
  CHECK(bytes_of(sums.by(SumsBy::file), "/home/me/train.py") == 150);
  for (const auto& rows : sums.rows) CHECK(total(rows) == 180);
  REQUIRE(sums.by(SumsBy::line).size() == 3);
  CHECK(sums.by(SumsBy::line).front().bytes == 100);
}

TEST_CASE("a short curve has each event, starting with the value before") {
  Snapshot snapshot;
  snapshot.notes = {{}};
  snapshot.devices.push_back(kino_test::device_of({{kAlloc, 0x1000, 100, 10, kino::kEmptyStack},
                                                   {kRequested, 0x9000, 7, 20, kino::kEmptyStack},
                                                   {kCompleted, 0x9000, 7, 30, kino::kEmptyStack}}));
  const SnapshotSums sums = sums_of(snapshot);
  REQUIRE(sums.curve.size() == 4);
  CHECK(sums.curve[0].last == 7);
  CHECK(sums.curve[1].last == 107);
  CHECK(sums.curve[2].last == 107);
  CHECK(sums.curve[3].last == 100);
  CHECK(sums.curve[1].event == 0);
  CHECK(sums.curve[1].time_us == 10);
  CHECK(sums.curve[3].time_us == 30);
  CHECK(sums.peak_bytes == 107);
}

TEST_CASE("a long curve keeps the peak within the limit of points") {
  Snapshot snapshot;
  snapshot.notes = {{}};
  std::vector<EntryRow> rows;
  for (std::uint64_t i = 0; i < 9000; ++i) {
    const std::uint64_t size = i == 4321 ? 1'000'000 : 10 + i % 7;
    const auto time = static_cast<std::int64_t>(i);
    rows.push_back({kAlloc, 0x1000, size, time, kino::kEmptyStack});
    rows.push_back({kCompleted, 0x1000, size, time, kino::kEmptyStack});
  }
  snapshot.devices.push_back(kino_test::device_of(rows));
  const SnapshotSums sums = sums_of(snapshot);
  CHECK(sums.curve.size() <= SnapshotSums::kMostPoints);
  std::uint64_t highest = 0;
  kino::EventIndex before = -2;
  for (const kino::SumPoint& point : sums.curve) {
    highest = std::max(highest, point.highest);
    CHECK(point.event > before);
    CHECK(point.lowest <= point.highest);
    before = point.event;
  }
  CHECK(highest == sums.peak_bytes);
  CHECK(sums.curve.back().last == 0);
}

TEST_CASE("reports the first allocation that failed, and the number of failures") {
  Snapshot snapshot;
  snapshot.notes = {{}};
  snapshot.devices.push_back(kino_test::device_of({{kAlloc, 0x1000, 100, 10, kino::kEmptyStack},
                                                   {SnapshotAction::oom, 77, 5000, 20, kino::kEmptyStack},
                                                   {SnapshotAction::oom, 66, 6000, 30, kino::kEmptyStack}}));
  const SnapshotSums sums = sums_of(snapshot);
  REQUIRE(sums.out_of_memory);
  CHECK(sums.out_of_memory->asked == 5000);
  CHECK(sums.out_of_memory->device_free == 77);
  CHECK(sums.out_of_memory->reserved == 0);
  CHECK(sums.out_of_memory->event == 1);
  CHECK(sums.out_of_memory->times == 2);
}

TEST_CASE("a device without a recording has no peak, one point and no rows") {
  Snapshot snapshot;
  snapshot.notes = {{}};
  snapshot.devices.push_back(kino_test::device_of({}));
  const SnapshotSums sums = sums_of(snapshot);
  CHECK(sums.peak_bytes == 0);
  CHECK(sums.first_us == kino::SnapshotEntries::kNoTime);
  CHECK(sums.curve.size() == 1);
  for (const auto& rows : sums.rows) CHECK(rows.empty());
}

TEST_CASE(
    "a recording lacks events if it began late or has none of a kind, but not if only stacks are missing") {
  const auto lacks = [](const std::vector<EntryRow>& rows, std::vector<kino::SnapshotSegment> segments = {},
                        std::vector<kino::SnapshotBlock> blocks = {}) {
    Snapshot snapshot;
    snapshot.notes = {{}};
    snapshot.devices.push_back(kino_test::device_of(rows, std::move(segments), std::move(blocks)));
    return sums_of(snapshot).lacks_events;
  };
  const EntryRow alloc{kAlloc, 0x1000, 100, 1, kino::kNoStack};
  const EntryRow requested{kRequested, 0x1000, 100, 2, kino::kNoStack};
  const EntryRow completed{kCompleted, 0x1000, 100, 3, kino::kNoStack};
  const EntryRow older{kCompleted, 0x9000, 7, 4, kino::kNoStack};
  CHECK_FALSE(lacks({alloc, requested, completed}));
  CHECK(lacks({alloc, requested, completed, older}));
  CHECK(lacks({alloc, requested}));
  CHECK(lacks({alloc, completed}));
  kino::SnapshotSegment segment;
  segment.addr = 0x700000;
  segment.size = segment.allocated = segment.active = segment.requested = 70;
  segment.block_count = 1;
  CHECK_FALSE(lacks({}, {segment}, {{0x700000, 70, 70, kino::kNoStack, kino::BlockState::allocated}}));
}

TEST_CASE("rows beyond the limit are joined, so that sums stay complete") {
  Snapshot snapshot;
  snapshot.streams = {0};
  snapshot.pools = {{}};
  snapshot.notes = {{}};
  std::vector<EntryRow> rows;
  const std::size_t count = SnapshotSums::kMostRows + 100;
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::array one{frame(snapshot, "/a.py", static_cast<std::int64_t>(i + 1), "f")};
    rows.push_back(
        {kAlloc, 0x1000 + 0x1000 * i, i + 1, static_cast<std::int64_t>(i), snapshot.stacks.intern(one)});
    all += i + 1;
  }
  snapshot.devices.push_back(kino_test::device_of(rows));
  const SnapshotSums sums = sums_of(snapshot);
  const auto& lines = sums.by(SumsBy::line);
  REQUIRE(lines.size() == SnapshotSums::kMostRows + 1);
  CHECK(lines.back().key == kino::smaller_rows_key());
  CHECK(lines.back().count == 100);
  CHECK(lines.back().bytes == 100 * 101 / 2);
  CHECK(total(lines) == all);
}

TEST_CASE("a GPU below a tenth of the highest peak does not count, unless an allocation failed") {
  Snapshot snapshot;
  snapshot.notes = {{}};
  const auto add = [&](std::uint64_t size, bool failed, bool host) {
    std::vector<EntryRow> rows{{kAlloc, 0x1000, size, 1, kino::kEmptyStack}};
    if (failed) rows.push_back({SnapshotAction::oom, 0, 1, 2, kino::kEmptyStack});
    snapshot.devices.push_back(kino_test::device_of(rows));
    snapshot.devices.back().ordinal = static_cast<std::int32_t>(snapshot.devices.size()) - 1;
    snapshot.devices.back().host = host;
  };
  add(99, false, false);
  add(1000, false, false);
  add(100, false, false);
  add(1, true, false);
  add(5000, false, true);
  const kino::CountedDevices devices = kino::counted_devices(snapshot);
  CHECK(devices.counted == std::vector<std::size_t>{1, 2, 3});
  CHECK(devices.left_out == std::vector<std::size_t>{0});
}
