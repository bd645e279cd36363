// What a set of many snapshots keeps of one device of one of them: peaks, what was live then, its curve.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/base/result.hpp"
#include "core/memory/snapshot.hpp"
#include "core/memory/tables/snapshot_categories.hpp"

namespace kino {

/// What makes a row of what is live at a peak.
enum class SumsBy : std::uint8_t { line, function, file, category, module };
inline constexpr std::size_t kSumsByCount = static_cast<std::size_t>(SumsBy::module) + 1;

/// What has one name at the peak. `key` tells it from others, also of other snapshots: whole paths.
struct SumRow {
  std::string key;
  Message name;
  std::uint64_t bytes = 0;
  std::uint64_t count = 0;  ///< allocations
};

/// A stretch of events, from the one before the next point's on.
struct SumPoint {
  EventIndex event = kBeforeRecording;  ///< the first
  std::int64_t time_us = SnapshotEntries::kNoTime;
  std::uint64_t lowest = 0;
  std::uint64_t highest = 0;
  std::uint64_t last = 0;
};

/// An allocation that failed.
struct SumOutOfMemory {
  EventIndex event = kBeforeRecording;
  std::int64_t time_us = SnapshotEntries::kNoTime;
  std::uint64_t asked = 0;
  std::uint64_t device_free = 0;  ///< outside of the allocator
  std::uint64_t times = 0;        ///< how often one failed in the recording; the rest is of the first
  std::uint64_t reserved = 0;     ///< by the allocator then; with device_free what it could have
};

/// At most some hundred kB, however large the snapshot was.
struct SnapshotSums {
  static constexpr std::size_t kMostRows = 4096;    ///< of a grouping; the smallest ones share one more row
  static constexpr std::size_t kMostPoints = 2048;  ///< the highest and lowest of each part are kept

  std::int32_t device = 0;       ///< its ordinal
  bool history = true;           ///< false: only the state when the snapshot was taken is known
  std::uint64_t peak_bytes = 0;  ///< as requested, from alloc to free_completed
  EventIndex peak_event = kBeforeRecording;
  std::int64_t peak_us = SnapshotEntries::kNoTime;  ///< Unix time
  std::uint64_t peak_count = 0;                     ///< allocations that are live then
  Message peak_place;  ///< the line of code that reached it; empty of what is older than the recording
  std::uint64_t reserved_peak_bytes = 0;
  std::uint64_t reserved_end_bytes = 0;
  std::uint64_t events = 0;
  std::int64_t first_us = SnapshotEntries::kNoTime;  ///< earliest and latest of its events
  std::int64_t last_us = SnapshotEntries::kNoTime;
  std::optional<SumOutOfMemory> out_of_memory;
  /// By SumsBy, the largest first; the bytes of each add up to the peak.
  std::array<std::vector<SumRow>, kSumsByCount> rows;
  std::vector<SumPoint> curve;  ///< of what is active; of a recording without events one point
  std::vector<Message> notes;   ///< what is missing in the recording, a sentence each

  const std::vector<SumRow>& by(SumsBy which) const { return rows[static_cast<std::size_t>(which)]; }
};

/// The key of what is in none of SnapshotSums::kMostRows.
inline std::string_view smaller_rows_key() { return english(msg::smaller_ones); }

/// Fails with a sentence for rules that cannot be read, and when stopped. O(entries + allocations * log +
/// stored frames).
Result<SnapshotSums> snapshot_sums(const Snapshot& snapshot, std::size_t device, const CategoryRuleSet& rules,
                                   const std::stop_token& stop = {});

/// The devices of a snapshot that count in a set: GPUs on which an allocation failed, or that had a tenth of
/// the highest peak or more, in order. The others hold what a process leaves by accident on a GPU that is
/// another rank's; the second list has them.
struct CountedDevices {
  std::vector<std::size_t> counted;
  std::vector<std::size_t> left_out;
};
CountedDevices counted_devices(const Snapshot& snapshot);

}  // namespace kino
