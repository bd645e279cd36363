// A device of an allocator snapshot with a random history, for tests.
#pragma once

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "snapshot_fixture.hpp"

namespace kino_test {

/// Allocations and frees in a random order, some of them of memory older than the recording; an entry every
/// millisecond or so.
inline kino::SnapshotDevice random_device(unsigned seed, std::size_t count) {
  using kino::SnapshotAction;
  std::mt19937 random(seed);
  const auto below = [&random](std::uint64_t limit) { return random() % limit; };
  std::vector<EntryRow> entries;
  std::vector<kino::SnapshotSegment> segments;
  std::vector<kino::SnapshotBlock> blocks;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> live;
  for (std::uint32_t i = 0; i < 4; ++i) {
    const std::uint64_t addr = std::uint64_t{i + 1} << 40;
    const std::uint64_t size = 100 + below(5000);
    kino::SnapshotSegment segment;
    segment.addr = addr;
    segment.size = segment.allocated = segment.active = segment.requested = size;
    segment.first_block = i;
    segment.block_count = 1;
    segments.push_back(segment);
    blocks.push_back({addr, size, size, kino::kNoStack, kino::BlockState::allocated});
  }
  for (std::uint64_t i = 0; i < 4; ++i) live.emplace_back((i + 100) << 40, 100 + below(5000));
  std::vector<std::pair<std::uint64_t, std::uint64_t>> pending;
  std::int64_t time_us = 1'700'000'000'000'000;
  for (std::uint64_t next = 1; entries.size() < count; ++next) {
    time_us += static_cast<std::int64_t>(below(2000));
    const auto kind = below(10);
    if (kind < 5 || live.empty()) {
      live.emplace_back(next << 20, 1 + below(below(4) == 0 ? 100000 : 500));
      entries.push_back({SnapshotAction::alloc, live.back().first, live.back().second, time_us,
                         kino::StackId{static_cast<std::uint32_t>(1 + below(5))}});
    } else if (kind < 9) {
      const std::size_t at = below(live.size());
      entries.push_back({SnapshotAction::free_requested, live[at].first, live[at].second, time_us});
      pending.push_back(live[at]);
      live.erase(live.begin() + static_cast<std::ptrdiff_t>(at));
    } else {
      for (const auto& [addr, size] : pending) {
        entries.push_back({SnapshotAction::free_completed, addr, size, time_us});
      }
      pending.clear();
    }
  }
  return device_of(entries, std::move(segments), std::move(blocks));
}

}  // namespace kino_test
