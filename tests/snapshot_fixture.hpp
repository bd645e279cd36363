// Helpers of the snapshot tests: devices made of rows, and snapshots opened from a file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/snapshot.hpp"

namespace kino_test {

struct EntryRow {
  kino::SnapshotAction action;
  std::uint64_t addr = 0;
  std::uint64_t size = 0;
  std::int64_t time_us = kino::SnapshotEntries::kNoTime;
  std::optional<kino::StackId> stack{};  ///< the number of the row unless told
};

inline kino::SnapshotDevice device_of(const std::vector<EntryRow>& rows,
                                      std::vector<kino::SnapshotSegment> segments = {},
                                      std::vector<kino::SnapshotBlock> blocks = {}) {
  kino::SnapshotDevice device;
  kino::SnapshotEntries& entries = device.entries;
  const std::size_t count = rows.size();
  entries.reset(count);
  for (std::size_t i = 0; i < count; ++i) {
    entries.addr[i] = rows[i].addr;
    entries.size[i] = rows[i].size;
    entries.time_us[i] = rows[i].time_us;
    entries.stack[i] = rows[i].stack.value_or(kino::StackId{static_cast<std::uint32_t>(i)});
    entries.action[i] = rows[i].action;
  }
  device.segments = std::move(segments);
  device.blocks = std::move(blocks);
  kino::build_history(device);
  return device;
}

}  // namespace kino_test
