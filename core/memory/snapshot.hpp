// The immutable model of an allocator snapshot: what PyTorch's caching allocator recorded, as columns.
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

/// What the allocator did; `unknown` stands for an action of a later version.
enum class SnapshotAction : std::uint8_t {
  alloc,
  free_requested,  ///< the user's free; the block stays active until free_completed
  free_completed,
  segment_alloc,
  segment_free,
  segment_map,
  segment_unmap,
  snapshot,
  oom,
  annotate,  ///< a text for the live block at this address, as user metadata
  free,      ///< both frees in one: only in files that a viewer has rewritten
  unknown,
};
inline constexpr std::size_t kSnapshotActionCount = static_cast<std::size_t>(SnapshotAction::unknown) + 1;
/// As it is written in the file.
std::string_view text_of(SnapshotAction action);
/// `unknown` for everything else.
SnapshotAction snapshot_action_of(std::string_view text);

/// What few entries say, or the same in most of them; interned.
struct EntryNote {
  std::uint32_t compile_context = StringTable::kAbsent;  ///< in Snapshot::strings, like all of these
  std::uint32_t user_metadata = StringTable::kAbsent;
  std::uint32_t category = StringTable::kAbsent;        ///< only files of torch.cuda._memory_viz.profile_plot
  std::uint32_t forward_frames = StringTable::kAbsent;  ///< one line a frame
  bool operator==(const EntryNote&) const = default;
};

/// The trace of one device, oldest first; all columns are equally long. 37 bytes an entry.
struct SnapshotEntries {
  Column<std::uint64_t> addr;    ///< oom: the bytes free on the device (device_free)
  Column<std::uint64_t> size;    ///< bytes: requested ones for alloc and frees, active ones for snapshot
  Column<std::int64_t> time_us;  ///< Unix time; kNoTime where the file has none
  Column<StackId> stack;         ///< kNoStack where none was recorded
  Column<std::uint32_t> note;    ///< in Snapshot::notes
  Column<std::uint16_t> stream;  ///< in Snapshot::streams
  Column<std::uint16_t> pool;    ///< in Snapshot::pools
  Column<SnapshotAction> action;

  static constexpr std::int64_t kNoTime = INT64_MIN;
  /// So many entries, all zero; what was there is gone.
  void reset(std::size_t count);
  std::size_t size_entries() const { return action.size(); }
  std::size_t size_bytes() const;
};

/// A private pool: (0, 0) is the default one; the first number is that of a CUDA graph, the second the
/// user's.
struct PoolId {
  std::int64_t graph = 0;
  std::int64_t user = 0;
  bool operator==(const PoolId&) const = default;
};

enum class BlockState : std::uint8_t { allocated, pending_free, inactive };

/// A block at the end of the recording.
struct SnapshotBlock {
  std::uint64_t addr = 0;
  std::uint64_t size = 0;       ///< rounded, as the allocator cut it
  std::uint64_t requested = 0;  ///< 0 when inactive
  StackId stack = kNoStack;
  BlockState state = BlockState::inactive;
};

/// A segment at the end of the recording, or a mapped run of an expandable one.
struct SnapshotSegment {
  std::uint64_t addr = 0;
  std::uint64_t size = 0;
  std::uint64_t allocated = 0;  ///< as the file says, or summed up where it does not
  std::uint64_t active = 0;
  std::uint64_t requested = 0;
  std::uint32_t first_block = 0;  ///< in SnapshotDevice::blocks, in the order of their addresses
  std::uint32_t block_count = 0;
  StackId stack = kNoStack;
  std::uint16_t stream = 0;
  std::uint16_t pool = 0;
  bool small = false;
  bool expandable = false;
};

/// A region of record_function, from START to END. Regions of a device nest by their order.
struct SnapshotAnnotation {
  std::uint32_t name = StringTable::kAbsent;
  std::int32_t device = 0;
  std::int64_t time_us = 0;
  bool start = true;
};

/// How far the numbers of a device can be believed.
struct SnapshotTrust {
  std::uint64_t freed_without_alloc = 0;    ///< allocations older than the recording, freed in it
  std::uint64_t unseen_in_segments = 0;     ///< blocks at the end that no entry allocated
  std::uint64_t not_in_segments = 0;        ///< live at the end, but in no block of the segments
  std::uint64_t allocated_twice = 0;        ///< an address allocated while it was live: its free is missing
  std::uint64_t entries_without_stack = 0;  ///< of the actions that should have one
  std::uint64_t time_backwards = 0;         ///< entries that are older than the one before
  /// Actions of which there must be some but are none: recorded with skip_actions, or filtered.
  std::vector<SnapshotAction> missing_actions;
  /// Frees have stacks of their own. Else PyTorch writes those of the allocations (context="state", "alloc").
  bool frees_have_stacks = false;
  /// free_completed is missing altogether, so allocations end at free_requested.
  bool ends_at_request = false;
  /// Rounded active bytes that the last snapshot entry names, less the active bytes of the segments: what was
  /// allocated or freed between the two. Without such an entry nothing.
  std::optional<std::int64_t> residual_bytes;
  /// Whether older entries were overwritten, or recording began late: something was there before.
  bool begins_late() const { return freed_without_alloc + unseen_in_segments > 0; }
};

/// An allocation of which only is known that it was there before the recording and is still there behind it:
/// of memory timelines, which have no segments.
struct OlderAllocation {
  std::uint64_t addr = 0;
  std::uint64_t size = 0;
  std::uint32_t note = 0;  ///< in Snapshot::notes
};

struct SnapshotDevice {
  std::int32_t ordinal = 0;
  bool host = false;  ///< pinned host memory, recorded since torch 2.14
  SnapshotEntries entries;
  std::vector<SnapshotSegment> segments;  ///< by address
  std::vector<SnapshotBlock> blocks;
  std::vector<OlderAllocation> older;  ///< besides those that `blocks` tell of
  AllocationHistory history;
  SnapshotTrust trust;
};

/// Which file it came from.
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
  std::vector<std::uint64_t> streams;  ///< cudaStream_t as a number; number 0 is 0, the default stream
  std::vector<PoolId> pools;           ///< number 0 is the default pool
  std::vector<EntryNote> notes;        ///< number 0 has nothing
  std::vector<SnapshotAnnotation> annotations;                ///< in the order of the file
  std::vector<std::pair<std::string, std::string>> settings;  ///< of the allocator, as text
  DamageLog damage;
  LibraryList libraries = default_libraries();  ///< for user_frame()

  std::string_view text(std::uint32_t id) const {
    return id == StringTable::kAbsent ? std::string_view() : strings[id];
  }
  const SnapshotFrame& frame(FrameId id) const { return stacks.frame(id); }
  std::string_view setting(std::string_view name) const;
  /// Of all columns and tables.
  std::size_t size_bytes() const;
};

}  // namespace kino
