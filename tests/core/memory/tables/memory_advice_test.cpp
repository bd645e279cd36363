// Covers: memory_advice
#include "core/memory/tables/memory_advice.hpp"

#include <algorithm>
#include <map>
#include <random>

#include <doctest/doctest.h>

#include "core/memory/snapshot_text.hpp"
#include "tests/fixtures/replayed_recording.hpp"

namespace {

using kino::AdviceKind;
using kino::MemoryAdvice;
using kino::SnapshotAction;

constexpr std::uint64_t kAdviceMib = kino_test::kReplayedMib;

kino::SnapshotScope scope_of(const kino::Snapshot& snapshot) {
  kino::SnapshotScope scope;
  scope.snapshot = &snapshot;
  return scope;
}

/// Returns the highest sum of live memory of other frames after any event.
std::uint64_t peak_without(const kino::Snapshot& snapshot, kino::FrameId frame) {
  const kino::SnapshotDevice& device = snapshot.devices.front();
  const kino::Allocations& all = device.history.allocations;
  std::uint64_t most = 0;
  for (kino::EventIndex event = kino::kBeforeRecording;
       event < static_cast<kino::EventIndex>(device.entries.entry_count()); ++event) {
    std::uint64_t live = 0;
    for (std::size_t i = 0; i < all.count(); ++i) {
      if (all.begin[i] > event || event >= all.end[i]) continue;
      if (all.origin[i] != kino::AllocationOrigin::freed_only && all.stack[i] != kino::kNoStack &&
          kino::place_frame(snapshot, all.stack[i]) == frame)
        continue;
      live += all.size[i];
    }
    most = std::max(most, live);
  }
  return most;
}

}  // namespace

TEST_CASE("each change has the remaining peak of live and reserved memory, the lowest first") {
  const kino::Snapshot snapshot = kino_test::replayed_recording();
  const kino::MemoryAdviceList made = kino::advise_memory(scope_of(snapshot));
  CHECK(made.live.bytes == 36 * kAdviceMib);
  REQUIRE(made.reserved);
  CHECK(*made.reserved == 50 * kAdviceMib);
  REQUIRE(made.advices.size() >= 3);
  const MemoryAdvice& first = made.advices.front();
  CHECK(first.kind == AdviceKind::place);
  CHECK(first.what == "6.py:6 f6");
  CHECK(first.live.bytes == 8 * kAdviceMib);
  CHECK(first.live.event == 2);
  CHECK(first.reserved == 20 * kAdviceMib);
  CHECK(first.place.bytes == 30 * kAdviceMib);
  std::map<std::string, const MemoryAdvice*> by_name;
  for (const MemoryAdvice& advice : made.advices) by_name.emplace(advice.what.str(), &advice);
  // Expandable segments need no complete second segment; the advice has the assignment.
  REQUIRE(by_name.contains("expandable_segments:True"));
  CHECK(by_name["expandable_segments:True"]->line == "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True");
  CHECK(by_name["expandable_segments:True"]->live.bytes == made.live.bytes);
  // Rounding up reserves no less, so it is no advice.
  CHECK_FALSE(by_name.contains("roundup_power2_divisions:2"));
}

TEST_CASE("without a replay only live memory is reported, and the table has the reason") {
  kino::Snapshot snapshot = kino_test::replayed_recording();
  snapshot.devices.front().segments.clear();
  const kino::MemoryAdviceList made = kino::advise_memory(scope_of(snapshot));
  CHECK_FALSE(made.reserved);
  REQUIRE_FALSE(made.advices.empty());
  CHECK_FALSE(made.advices.front().reserved);
  const kino::Table table = kino::advice_table(scope_of(snapshot));
  CHECK(table.row_count() == made.advices.size());
  CHECK(table.links.size() == table.row_count());
  CHECK(std::ranges::find(table.notes, made.proved->refused()) != table.notes.end());
}

TEST_CASE("an empty recording has no advice") {
  kino::Snapshot snapshot;
  snapshot.devices.push_back(kino_test::device_of({}));
  CHECK(kino::advise_memory(scope_of(snapshot)).advices.empty());
  CHECK(kino::advice_table(scope_of(snapshot)).row_count() == 0);
}

TEST_CASE("the peak without a line of code equals the sum of all else at every event") {
  std::mt19937 random(7);
  for (int round = 0; round < 10; ++round) {
    kino::Snapshot snapshot = kino_test::replayed_recording();
    std::vector<kino_test::EntryRow> rows;
    std::map<std::uint64_t, std::uint64_t> live;
    for (int i = 0; i < 300; ++i) {
      const std::uint64_t addr = (1 + random() % 20) * kAdviceMib;
      const kino::StackId stack{static_cast<std::uint32_t>(random() % 6)};
      if (const auto at = live.find(addr); at != live.end()) {
        rows.push_back({SnapshotAction::free_requested, addr, at->second, {}, stack});
        rows.push_back({SnapshotAction::free_completed, addr, at->second, {}, stack});
        live.erase(at);
      } else {
        live[addr] = 1 + random() % 5000;
        rows.push_back({SnapshotAction::alloc, addr, live[addr], {}, stack});
      }
    }
    snapshot.devices.front() = kino_test::device_of(rows);
    const kino::MemoryAdviceList made = kino::advise_memory(scope_of(snapshot));
    CHECK(made.advices.size() >= 3);
    for (const MemoryAdvice& advice : made.advices)
      CHECK(advice.live.bytes == peak_without(snapshot, advice.place.frame));
  }
}
