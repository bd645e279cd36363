// Tables of a device of an allocator snapshot: live memory, segments, events, growth, comparisons.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
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

/// Grouping of live memory into rows.
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
/// Returns the title of the column that names a row.
msg::Id group_title(LiveGrouping by);

/// Scope of a table. All members must outlive the call.
struct SnapshotScope {
  const Snapshot* snapshot = nullptr;
  std::size_t device = 0;
  EventIndex at = kBeforeRecording;      ///< event after which memory is shown, for tables of a single moment
  EventIndex baseline = kNoMoment;       ///< another event to compare with, earlier or later
  const SnapshotQuery* query = nullptr;  ///< if not null: only allocations or events that the query finds
  const AllocationCategories* categories = nullptr;
  std::vector<std::string> settings;        ///< allocator settings for what-if
  ByteUnits units = ByteUnits::decimal;     ///< for amounts of memory in texts
  std::size_t most_rows = ~std::size_t{0};  ///< for allocations, events or blocks; a note reports omissions
  /// Largest size of columns of whole stacks; larger columns are omitted with a note. 0: omitted without a
  /// note.
  std::uint64_t most_stack_bytes = std::uint64_t{256} << 20;
  /// Whether tables by stack have columns for the stream and the pool of the largest allocation.
  bool adds_largest_origin = false;
  const SnapshotDevice& of() const { return snapshot->devices[device]; }
};

/// Two snapshots to compare.
struct SnapshotPair {
  const SnapshotScope& before;
  const SnapshotScope& after;
};

/// Returns live memory after scope.at, largest first. With a baseline, returns the changes from the baseline
/// to scope.at, largest growth first. O(live * log live).
Table live_memory_table(const SnapshotScope& scope, LiveGrouping by, const std::stop_token& stop = {});
extern const TableKind<SnapshotScope> kLiveTable;
/// Returns all allocations with their lifetimes. O(allocations).
Table allocation_table(const SnapshotScope& scope, const std::stop_token& stop = {});
extern const TableKind<SnapshotScope> kAllocationTable;
/// Returns all entries. O(entries).
Table event_table(const SnapshotScope& scope, const std::stop_token& stop = {});
extern const TableKind<SnapshotScope> kEventTable;

/// Rows of the segment table at scope.at: segments, sums by pool, stream and kind, or blocks. O(live * log
/// live).
enum class SegmentGrouping : std::uint8_t { segment, pool, block };
Table segment_table(const SnapshotScope& scope, SegmentGrouping grouping, const std::stop_token& stop = {});
extern const TableKind<SnapshotScope> kSegmentTable;

/// Rows of the growth table: bytes live at the ends of at most 64 steps, by stack; memory left over from each
/// step; allocations that are live at two or more ends of steps, or in the whole recording. O(allocations *
/// log steps).
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
    msg::other_snapshot,         msg::this_snapshot,  msg::count_in_other_snapshot,
    msg::count_in_this_snapshot, msg::other_and_this, msg::other_bytes_of,
    msg::this_bytes_of};

/// Compares the live memory of two snapshots, each at its scope's moment, largest difference first. Rows are
/// stacks with equal Python frames, or lines, functions, files, categories or pools. Rows link to the largest
/// allocation of the second snapshot, which is the table's own recording, and of the first snapshot, which is
/// recording 1. O(live + frames of stacks).
Table snapshot_comparison(const SnapshotScope& before, const SnapshotScope& after,
                          LiveGrouping by = LiveGrouping::stack, const std::stop_token& stop = {},
                          const ComparisonWords& words = kFirstAndSecond);
extern const TableKind<SnapshotPair> kCompareTable;
/// Returns the grouping for the index of a table group.
LiveGrouping compared_by(std::size_t group);

/// Returns sentences on data that the recording of the device lacks: it started late or was overwritten, or
/// kinds of events or stacks were not recorded.
std::vector<Message> recording_notes(const SnapshotDevice& device);

/// Returns folded stacks with live bytes for flame graph tools, one line per stack, outermost frame first:
/// "train.py:7 main;file.py:12 f 4096". Older allocations that are freed in the recording are below a
/// separate frame. O(live + frames).
std::string folded_stacks(const SnapshotScope& scope, const std::stop_token& stop = {});

}  // namespace kino
