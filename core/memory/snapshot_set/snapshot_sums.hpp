// Summary of one device of a snapshot for a set: peaks, live memory at the peak, and its curve over time.
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

/// Grouping of live memory at a peak.
enum class SumsBy : std::uint8_t { line, function, file, category, module };
inline constexpr std::size_t kSumsByCount = static_cast<std::size_t>(SumsBy::module) + 1;

/// Live memory of one item at the peak. `key` identifies the item in all snapshots: lines, files and modules
/// by whole paths, functions and categories by name.
struct SumRow {
  std::string key;
  Message name;
  std::uint64_t bytes = 0;
  std::uint64_t count = 0;  ///< number of allocations
};

/// Extent of the live memory in an interval of events, which ends before the event of the next point.
struct SumPoint {
  EventIndex event = kBeforeRecording;  ///< first event of the interval
  std::int64_t time_us = SnapshotEntries::kNoTime;
  std::uint64_t lowest = 0;
  std::uint64_t highest = 0;
  std::uint64_t last = 0;
};

/// The first allocation that failed.
struct SumOutOfMemory {
  EventIndex event = kBeforeRecording;
  std::int64_t time_us = SnapshotEntries::kNoTime;
  std::uint64_t asked = 0;
  std::uint64_t device_free = 0;  ///< free memory of the device, outside of the allocator
  std::uint64_t times = 0;        ///< number of failed allocations; other members refer to the first one
  std::uint64_t reserved = 0;     ///< bytes reserved by the allocator; it could use reserved + device_free
};

/// Summary of one device. kMostRows and kMostPoints limit its size.
struct SnapshotSums {
  static constexpr std::size_t kMostRows = 4096;    ///< per grouping; the smallest rows share one more row
  static constexpr std::size_t kMostPoints = 2048;  ///< each point covers an interval of events

  std::int32_t device = 0;       ///< ordinal of the device
  bool history = true;           ///< false: only the state at the time of the snapshot is known
  bool lacks_events = false;     ///< see kino::lacks_events(); the peak covers only the recorded part
  std::uint64_t peak_bytes = 0;  ///< requested bytes, from alloc to free_completed
  EventIndex peak_event = kBeforeRecording;
  std::int64_t peak_us = SnapshotEntries::kNoTime;  ///< Unix time
  std::uint64_t peak_count = 0;                     ///< live allocations at the peak
  Message peak_place;  ///< line of code whose allocation reached the peak; empty if it precedes the recording
  std::uint64_t reserved_peak_bytes = 0;
  std::uint64_t reserved_end_bytes = 0;
  std::uint64_t events = 0;
  std::int64_t first_us = SnapshotEntries::kNoTime;  ///< earliest time of its events; `last_us`: latest time
  std::int64_t last_us = SnapshotEntries::kNoTime;
  std::optional<SumOutOfMemory> out_of_memory;
  /// Live memory at the peak by SumsBy, largest first. The bytes of each grouping add up to the peak.
  std::array<std::vector<SumRow>, kSumsByCount> rows;
  std::vector<SumPoint> curve;  ///< requested bytes; one point for a recording without events
  std::vector<Message> notes;   ///< notes on data that the recording lacks, one sentence each

  const std::vector<SumRow>& by(SumsBy which) const { return rows[static_cast<std::size_t>(which)]; }
};

/// Returns the key of the row for items beyond SnapshotSums::kMostRows.
inline std::string_view smaller_rows_key() { return english(msg::smaller_ones); }

/// Summarizes a device. Fails for rules that cannot be read, and if stopped. O(entries + allocations * log +
/// stored frames).
Result<SnapshotSums> snapshot_sums(const Snapshot& snapshot, std::size_t device, const CategoryRuleSet& rules,
                                   const std::stop_token& stop = {});

/// Devices of a snapshot that count in a set: GPUs on which an allocation failed, or whose peak is at least a
/// tenth of the highest peak. Other GPUs usually have only memory that a process accidentally allocates on
/// another rank's GPU.
struct CountedDevices {
  std::vector<std::size_t> counted;
  std::vector<std::size_t> left_out;
};
CountedDevices counted_devices(const Snapshot& snapshot);

}  // namespace kino
