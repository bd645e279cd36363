// The immutable model of one trace: columns of slices, rows of disjoint slices, tracks, counters, instants.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/damage.hpp"
#include "core/base/huge_memory.hpp"
#include "core/base/ids.hpp"
#include "core/base/string_table.hpp"
#include "core/trace/argument_columns.hpp"
#include "core/trace/compact_text.hpp"
#include "core/trace/flow_links.hpp"
#include "core/trace/lod_index.hpp"
#include "core/trace/slice_kind.hpp"

namespace kino {

/// The half-open range [begin_ns, end_ns) in ns since Trace::origin_unix_ns.
struct TimeRange {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t length_ns() const { return end_ns - begin_ns; }
  bool operator==(const TimeRange&) const = default;
};

/// A list of disjoint slices in order of start, shown as one line. `lane` 0 is the outermost.
struct Row {
  TrackId track{};
  std::uint32_t lane = 0;
  std::uint32_t first_slice = 0;
  std::uint32_t slice_count = 0;
  LodRow lod;  ///< offsets of the row's part of Trace::lod
};

enum class TrackKind : std::uint8_t { gpu_stream, gpu_annotation, gpu_sync, cpu_thread, async, counter };

/// One stream, thread, async group or counter series. A track takes 80 bytes and its texts. It must be small,
/// since a hostile file of a few MB can have hundreds of thousands of tracks.
struct Track {
  TrackKind kind{};
  bool bytes = false;    ///< counters: whether the unit is bytes
  CompactText name;      ///< for display: "stream 7", "thread 1102 (python)", "pt_data_worker"
  CompactText contents;  ///< kinds of work of a GPU stream, most time first: "compute, copy"; may be empty
  CompactText tid;       ///< as written in the file
  std::uint32_t process = 0;
  std::uint32_t first_row = 0;
  std::uint32_t row_count = 0;
  std::uint32_t spilled_count = 0;  ///< number of slices with LaneAssigner::Placement::spilled
  std::uint32_t first_instant = 0;
  std::uint32_t instant_count = 0;
  std::uint32_t first_sample = 0;  ///< counters: index into the sample columns
  std::uint32_t sample_count = 0;
  double min_value = 0;  ///< counters
  double max_value = 0;
};

/// One group of tracks on screen: a GPU, a CPU process, or another process of the file.
struct Process {
  std::string pid;    ///< as written in the file
  std::string title;  ///< "GPU 0 · NVIDIA H100", "python 1102 · CPU"
  bool gpu = false;
  bool bookkeeping = false;       ///< the profiler's own events, not the program's
  std::uint32_t first_track = 0;  ///< tracks of a process are consecutive
  std::uint32_t track_count = 0;
};

/// All slices, ordered by row, then start. 39 bytes per slice.
struct SliceColumns {
  Column<std::int64_t> start_ns;
  Column<std::int64_t> duration_ns;
  /// Byte offset of the event in its source. For JSON, it is the offset of the event's `{` in the
  /// decompressed text.
  Column<std::uint64_t> source_offset;
  Column<NameId> name;
  Column<SliceId> parent;  ///< innermost enclosing slice on the track, or kNoSlice
  Column<SliceId> link;    ///< launch of GPU work, or first GPU work of a launch; or kNoSlice
  Column<CategoryId> category;
  Column<SliceKind> kind;
};

/// Ordered by track, then time.
struct InstantColumns {
  Column<std::int64_t> time_ns;
  Column<std::uint64_t> source_offset;
  Column<NameId> name;
  Column<CategoryId> category;
};

/// Ordered by track, then time.
struct SampleColumns {
  Column<std::int64_t> time_ns;
  Column<double> value;
};

/// The type of an event, independent of the source's terms.
enum class EventType : std::uint8_t {
  instants,
  counters,
  flows,  ///< starts, intermediate points and ends of arrows
  metadata,
  complete,  ///< a slice with its duration
  begin,     ///< start of a slice on a thread
  end,       ///< end of a slice on a thread
  async,     ///< begin, step or end of a slice that is not on a thread
  empty,
  dropped,  ///< counted by reason in Trace::damage
};
/// Names in JSON, in the order of EventType.
inline constexpr std::array<std::string_view, 10> kEventTypeNames = {
    "instants", "counters", "flows", "metadata", "complete", "begin", "end", "async", "empty", "dropped"};
static_assert(kEventTypeNames.size() == static_cast<std::size_t>(EventType::dropped) + 1);

/// Number of events of each type. Every event of the source has exactly one type.
struct EventCounts {
  std::array<std::uint64_t, kEventTypeNames.size()> by_sort{};
  std::uint64_t& operator[](EventType sort) { return by_sort[static_cast<std::size_t>(sort)]; }
  std::uint64_t operator[](EventType sort) const { return by_sort[static_cast<std::size_t>(sort)]; }
  std::uint64_t total() const;
  EventCounts& operator+=(const EventCounts& other);
};

/// Ranks that communicate with each other, as listed in the header.
struct ProcessGroupInfo {
  std::string name;
  std::string description;
  std::vector<std::int64_t> ranks;  ///< ranks in the job, in the group's order
};

/// Header fields of the file; absent ones are -1 or empty.
struct JobInfo {
  std::int64_t rank = -1;
  std::int64_t world_size = -1;
  std::string backend;
  std::vector<std::string> device_names;          ///< by device id
  std::vector<std::int64_t> device_memory_bytes;  ///< by device id: totalGlobalMem; 0: unknown
  std::vector<ProcessGroupInfo> groups;           ///< as in the header; usually those of this rank
};

/// Immutable once published. Reading needs no lock; all spans live as long as the Trace.
struct Trace {
  StringTable names;
  StringTable categories;
  std::vector<SliceKind> name_kind;  ///< by NameId: smallest SliceKind of its slices, for colors
  SliceColumns slices;
  InstantColumns instants;
  SampleColumns samples;
  FlowLinks flows;
  ArgumentColumns arguments;
  std::vector<Row> rows;
  std::vector<Track> tracks;       ///< in display order
  std::vector<Process> processes;  ///< in display order
  LodIndex lod;

  std::int64_t origin_unix_ns = 0;  ///< Unix time of ns 0; on the file's own clock if it has no epoch
  std::int64_t base_time_ns = 0;    ///< part of origin_unix_ns that the file's header contains; 0 if none
  TimeRange range;                  ///< all events with a time
  TimeRange content;                ///< `range` without far outliers: shown by "fit all"
  EventCounts counts;
  std::uint64_t paired_slices = 0;  ///< slices from B events, with or without an E
  std::uint64_t async_slices = 0;   ///< slices from async starts, with or without an end
  std::uint64_t launches_linked = 0;
  DamageLog damage;
  JobInfo job;

  std::size_t slice_count() const { return slices.start_ns.size(); }
  std::int64_t start_ns(SliceId id) const { return slices.start_ns[index_of(id)]; }
  std::int64_t duration_ns(SliceId id) const { return slices.duration_ns[index_of(id)]; }
  std::int64_t end_ns(SliceId id) const { return start_ns(id) + duration_ns(id); }
  TimeRange range_of(SliceId id) const { return {start_ns(id), end_ns(id)}; }
  std::uint64_t source_offset(SliceId id) const { return slices.source_offset[index_of(id)]; }
  NameId name(SliceId id) const { return slices.name[index_of(id)]; }
  SliceId parent(SliceId id) const { return slices.parent[index_of(id)]; }
  SliceId link(SliceId id) const { return slices.link[index_of(id)]; }
  CategoryId category(SliceId id) const { return slices.category[index_of(id)]; }
  SliceKind kind(SliceId id) const { return slices.kind[index_of(id)]; }
  std::string_view name_of(SliceId id) const { return name_text(name(id)); }
  std::string_view name_text(NameId id) const { return names[index_of(id)]; }
  std::string_view category_text(CategoryId id) const { return categories[index_of(id)]; }
  const Row& row(RowId id) const { return rows[index_of(id)]; }
  const Track& track(TrackId id) const { return tracks[index_of(id)]; }
  /// Returns the row of a slice. O(log rows).
  RowId row_of(SliceId id) const;
  /// Returns the track of a slice. O(log rows).
  TrackId track_of(SliceId id) const { return row(row_of(id)).track; }
  /// Returns the last slice of `row` that covers `time_ns` or starts at it, or kNoSlice. O(log slices).
  SliceId slice_at(RowId row, std::int64_t time_ns) const;
  /// Returns the memory of all columns, indices, rows and tracks, in bytes.
  std::size_t size_bytes() const;
};

}  // namespace kino
