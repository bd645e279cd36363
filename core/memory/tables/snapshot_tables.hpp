// Tables of a device of an allocator snapshot: what is live, segments, events, growth, comparisons.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/byte_text.hpp"
#include "core/base/messages/message.hpp"
#include "core/memory/memory_raster.hpp"
#include "core/memory/snapshot.hpp"
#include "core/memory/snapshot_steps.hpp"
#include "core/memory/tables/snapshot_categories.hpp"
#include "core/memory/tables/snapshot_search.hpp"
#include "core/tables/table.hpp"
#include "core/tables/table_kind.hpp"

namespace kino {

/// What makes a row of live memory.
enum class LiveGrouping : std::uint8_t {
  stack,
  allocation,
  line,
  function,
  file,
  size,
  category,
  stream,
  pool
};
/// Of the column that names a row.
msg::Id group_title(LiveGrouping by);

/// What a table is of. Everything must outlive the call.
struct SnapshotScope {
  const Snapshot* snapshot = nullptr;
  std::size_t device = 0;
  EventIndex at = kBeforeRecording;      ///< the moment of tables that have one
  EventIndex baseline = kNoMoment;       ///< an earlier or later one to compare with
  const SnapshotQuery* query = nullptr;  ///< only what it finds
  const AllocationCategories* categories = nullptr;
  std::vector<std::string> settings;     ///< of the allocator, for what-if
  ByteUnits units = ByteUnits::decimal;  ///< for amounts of memory in texts
  std::size_t most_rows =
      ~std::size_t{0};  ///< of tables with a row an allocation or event; a note tells of more
  /// Columns of whole stacks are left out, with a note, when they would be more text; 0: without one.
  std::uint64_t most_stack_bytes = std::uint64_t{256} << 20;
  /// Whether stacks of live memory have columns for the stream and the pool of their largest allocation.
  bool largest_places = false;
  const SnapshotDevice& of() const { return snapshot->devices[device]; }
};

/// Two snapshots that are compared.
struct SnapshotPair {
  const SnapshotScope& before;
  const SnapshotScope& after;
};

/// What is live after scope.at, the largest first; compared with the baseline, with what changed, the largest
/// growth first. O(live * log live).
Table live_memory_table(const SnapshotScope& scope, LiveGrouping by, const std::stop_token& stop = {});
extern const TableKind<SnapshotScope> kLiveTable;
/// Every allocation with its life. O(allocations).
Table allocation_table(const SnapshotScope& scope, const std::stop_token& stop = {});
extern const TableKind<SnapshotScope> kAllocationTable;
/// Every entry. O(entries).
Table event_table(const SnapshotScope& scope, const std::stop_token& stop = {});
extern const TableKind<SnapshotScope> kEventTable;

/// The allocator's segments at scope.at; by pool and stream; or their blocks. O(live * log live).
enum class SegmentGrouping : std::uint8_t { segment, pool, block };
Table segment_table(const SnapshotScope& scope, SegmentGrouping grouping, const std::stop_token& stop = {});
extern const TableKind<SnapshotScope> kSegmentTable;

/// What grows: bytes live at the end of each step, by stack; what each step left; allocations that live over
/// two ends of steps or more. O(allocations * log steps).
enum class GrowthGrouping : std::uint8_t { stack, step, allocation };
Table growth_table(const SnapshotScope& scope, GrowthGrouping grouping, const std::stop_token& stop = {});
extern const TableKind<SnapshotScope> kGrowthTable;

/// Names of the two sides in the columns and notes of a comparison.
struct ComparisonWords {
  msg::Id before;
  msg::Id after;
  msg::Id before_count;
  msg::Id after_count;
  msg::Id totals;
  msg::Id part_of_before;
  msg::Id part_of_after;
};
inline constexpr ComparisonWords kFirstAndSecond{msg::first,           msg::second,       msg::count_in_first,
                                                 msg::count_in_second, msg::first_second, msg::first_of,
                                                 msg::second_of};
inline constexpr ComparisonWords kThereAndHere{
    msg::there, msg::here, msg::count_there, msg::count_here, msg::there_here, msg::there_of, msg::here_of};

/// What two snapshots have live, each at its scope's moment, the largest difference first: by stacks of equal
/// Python frames, or by line, function, file, category or pool. Rows lead to the largest allocation of the
/// second one, which the table is of, and of the first, recording 1. O(live + frames of stacks).
Table snapshot_comparison(const SnapshotScope& before, const SnapshotScope& after,
                          LiveGrouping by = LiveGrouping::stack, const std::stop_token& stop = {},
                          const ComparisonWords& words = kFirstAndSecond);
extern const TableKind<SnapshotPair> kCompareTable;
/// What its group makes a row of.
LiveGrouping compared_by(std::size_t group);

/// What is missing in the recording of the device, a sentence each: begun late or overwritten, kinds of
/// events or stacks that were not recorded.
std::vector<Message> recording_notes(const SnapshotDevice& device);

/// "file.py:12 f;train.py:7 main", outermost first as flame graph tools read it: one line a stack with its
/// live bytes. What was freed in the recording without having been allocated in it stands below a frame of
/// its own. O(live + frames).
std::string folded_stacks(const SnapshotScope& scope, const std::stop_token& stop = {});

}  // namespace kino
