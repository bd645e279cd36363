// Immutable model of an allocator snapshot: the entries of PyTorch's caching allocator, as columns.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/damage.hpp"
#include "core/base/huge_memory.hpp"
#include "core/base/ids.hpp"
#include "core/base/library_frames.hpp"
#include "core/base/string_table.hpp"
#include "core/memory/snapshot_history.hpp"
#include "core/memory/snapshot_stacks.hpp"

namespace kino {

/// Action of an entry; `unknown` for actions of later versions.
enum class SnapshotAction : std::uint8_t {
  alloc,
  free_requested,  ///< free by the user; the block remains active until free_completed
  free_completed,
  segment_alloc,
  segment_free,
  segment_map,
  segment_unmap,
  snapshot,
  oom,
  annotate,  ///< text for the live block at this address, such as user metadata
  free,      ///< both frees in one entry: in traces, memory timelines, and files that a viewer has rewritten
  unknown,
};
inline constexpr std::size_t kSnapshotActionCount = static_cast<std::size_t>(SnapshotAction::unknown) + 1;
/// Returns the name of an action in the file.
std::string_view text_of(SnapshotAction action);
/// Returns the action of a name; `unknown` for other texts.
SnapshotAction snapshot_action_of(std::string_view text);

/// Rare or repetitive properties of entries; equal notes are stored once.
struct EntryNote {
  std::uint32_t compile_context = StringTable::kAbsent;  ///< index into Snapshot::strings, as are the next 3
  std::uint32_t user_metadata = StringTable::kAbsent;
  std::uint32_t category = StringTable::kAbsent;        ///< in memory timelines and by profile_plot()
  std::uint32_t forward_frames = StringTable::kAbsent;  ///< one line per frame
  bool operator==(const EntryNote&) const = default;
};

/// Trace of one device, oldest entry first. All columns have equal lengths; 37 bytes per entry.
struct SnapshotEntries {
  Column<std::uint64_t> addr;    ///< for oom: free bytes on the device (device_free)
  Column<std::uint64_t> size;    ///< requested bytes, bytes of a segment, or active bytes (for snapshot)
  Column<std::int64_t> time_us;  ///< Unix time; kNoTime if the file has none
  Column<StackId> stack;         ///< kNoStack if none was recorded
  Column<std::uint32_t> note;    ///< index into Snapshot::notes
  Column<std::uint16_t> stream;  ///< index into Snapshot::streams
  Column<std::uint16_t> pool;    ///< index into Snapshot::pools
  Column<SnapshotAction> action;

  static constexpr std::int64_t kNoTime = INT64_MIN;
  /// Replaces all entries with `count` entries of zeros.
  void reset(std::size_t count);
  std::size_t entry_count() const { return action.size(); }
  std::size_t size_bytes() const;
};

/// Id of a memory pool. (0, 0) is the default pool; all others are private. `graph`: id of a CUDA graph's
/// pool; `user`: id of a pool that the user made.
struct PoolId {
  std::int64_t graph = 0;
  std::int64_t user = 0;
  bool operator==(const PoolId&) const = default;
};

enum class BlockState : std::uint8_t { allocated, pending_free, inactive };

/// A block at the end of the recording.
struct SnapshotBlock {
  std::uint64_t addr = 0;
  std::uint64_t size = 0;       ///< rounded size
  std::uint64_t requested = 0;  ///< 0 if inactive
  StackId stack = kNoStack;
  BlockState state = BlockState::inactive;
};

/// A segment at the end of the recording, or a mapped run of an expandable segment.
struct SnapshotSegment {
  std::uint64_t addr = 0;
  std::uint64_t size = 0;
  std::uint64_t allocated = 0;  ///< from the file, or summed over the blocks if missing
  std::uint64_t active = 0;
  std::uint64_t requested = 0;
  std::uint32_t first_block = 0;  ///< index into SnapshotDevice::blocks, which are sorted by address
  std::uint32_t block_count = 0;
  StackId stack = kNoStack;
  std::uint16_t stream = 0;
  std::uint16_t pool = 0;
  bool small = false;
  bool expandable = false;
};

/// Start or end of a record_function region. In the order of the annotations, the regions of a device are
/// nested.
struct SnapshotAnnotation {
  std::uint32_t name = StringTable::kAbsent;
  std::int32_t device = 0;
  std::int64_t time_us = 0;
  bool start = true;
};

/// Completeness and consistency of a device's data.
struct SnapshotQuality {
  std::uint64_t freed_without_alloc = 0;  ///< older allocations that are freed in the recording
  std::uint64_t unseen_in_segments = 0;   ///< final blocks that no entry allocated, and SnapshotDevice::older
  std::uint64_t not_in_segments = 0;      ///< allocations that are live at the end, but in no block
  std::uint64_t allocated_twice = 0;      ///< allocations at an address that was live: a free is missing
  std::uint64_t entries_without_stack = 0;  ///< entries without a stack, except snapshot entries
  std::uint64_t time_backwards = 0;         ///< entries with an earlier time than some entry before them
  /// Actions that must have occurred but were not recorded, because of skip_actions or a filter.
  std::vector<SnapshotAction> missing_actions;
  /// Whether frees have separate stacks. If not, PyTorch wrote the stacks of the allocations
  /// (context="state", "alloc").
  bool frees_have_stacks = false;
  /// Whether free_completed was not recorded, so allocations end at free_requested.
  bool ends_at_request = false;
  /// Rounded active bytes of the last snapshot entry minus active bytes of the segments: memory allocated or
  /// freed between the two. nullopt if there is no such entry.
  std::optional<std::int64_t> residual_bytes;
  /// Returns whether allocations from before the recording exist, because entries were overwritten or the
  /// recording started late.
  bool begins_late() const { return freed_without_alloc + unseen_in_segments > 0; }
};

/// An allocation from before the recording that is live at its end. Only in memory timelines, which have no
/// segments.
struct OlderAllocation {
  std::uint64_t addr = 0;
  std::uint64_t size = 0;
  std::uint32_t note = 0;  ///< index into Snapshot::notes
};

struct SnapshotDevice {
  std::int32_t ordinal = 0;
  bool host = false;  ///< pinned host memory, recorded since torch 2.14; in traces, all host memory
  SnapshotEntries entries;
  std::vector<SnapshotSegment> segments;  ///< by address
  std::vector<SnapshotBlock> blocks;
  std::vector<OlderAllocation> older;  ///< older allocations that are not in `blocks`
  AllocationHistory history;
  SnapshotQuality trust;
  std::string title = {};  ///< name of the GPU on the timeline, if the snapshot is of a trace; may be empty

  std::span<const SnapshotBlock> blocks_of(const SnapshotSegment& segment) const {
    return std::span(blocks).subspan(segment.first_block, segment.block_count);
  }
};

/// Type of the source file.
enum class SnapshotSource : std::uint8_t {
  pickle,
  json,
  html,
  memory_timeline,
  trace,  ///< [memory] events of a trace; see snapshot_of_trace()
};

struct Snapshot {
  SnapshotSource source = SnapshotSource::pickle;
  std::vector<SnapshotDevice> devices;  ///< by ordinal, hosts last; only those with entries or segments
  StringTable strings;
  SnapshotStacks stacks;
  std::vector<std::uint64_t> streams;  ///< cudaStream_t as a number; index 0 is the default stream, 0
  std::vector<PoolId> pools;           ///< index 0 is the default pool
  std::vector<EntryNote> notes;        ///< index 0 is empty
  std::vector<SnapshotAnnotation> annotations;                ///< in the order of the file
  std::vector<std::pair<std::string, std::string>> settings;  ///< settings of the allocator, as text
  DamageLog damage;
  LibraryList libraries = default_libraries();  ///< libraries whose frames are not user frames

  std::string_view text(std::uint32_t id) const {
    return id == StringTable::kAbsent ? std::string_view() : strings[id];
  }
  const SnapshotFrame& frame(FrameId id) const { return stacks.frame(id); }
  std::string_view setting(std::string_view name) const;
  /// Returns the size of all columns and tables.
  std::size_t size_bytes() const;
};

}  // namespace kino
