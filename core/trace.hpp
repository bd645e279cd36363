// The immutable model of one trace: columns of slices, rows of disjoint slices, tracks, counters, instants.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/argument_columns.hpp"
#include "core/compact_text.hpp"
#include "core/damage.hpp"
#include "core/flow_links.hpp"
#include "core/huge_memory.hpp"
#include "core/ids.hpp"
#include "core/lod_index.hpp"
#include "core/slice_kind.hpp"
#include "core/string_table.hpp"

namespace kino {

/// Times are ns since Trace::origin_unix_ns. [begin_ns, end_ns).
struct TimeRange {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t length_ns() const { return end_ns - begin_ns; }
  bool operator==(const TimeRange&) const = default;
};

/// A run of disjoint slices in order of start: one line on screen. `lane` 0 is the outermost.
struct Row {
  TrackId track{};
  std::uint32_t lane = 0;
  std::uint32_t first_slice = 0;
  std::uint32_t slice_count = 0;
  LodRow lod;  ///< where the row's part of Trace::lod lies
};

enum class TrackKind : std::uint8_t { gpu_stream, gpu_annotation, gpu_sync, cpu_thread, async, counter };

/// One stream, thread, async group or counter series. 80 bytes and its texts: a hostile file of a few MB has
/// hundreds of thousands.
struct Track {
  TrackKind kind{};
  bool bytes = false;    ///< counters: the unit is bytes
  CompactText name;      ///< as a person reads it: "stream 7", "thread 1102 (python)", "pt_data_worker"
  CompactText contents;  ///< what a GPU stream carries, most time first: "compute, copy"; may be empty
  CompactText tid;       ///< as written in the file
  std::uint32_t process = 0;
  std::uint32_t first_row = 0;
  std::uint32_t row_count = 0;
  std::uint32_t spilled_count = 0;  ///< slices further down than the lane below their parent
  std::uint32_t first_instant = 0;
  std::uint32_t instant_count = 0;
  std::uint32_t first_sample = 0;  ///< counters: index into the sample columns
  std::uint32_t sample_count = 0;
  double min_value = 0;  ///< counters
  double max_value = 0;
};

/// One group on screen: a GPU, a CPU process, or whatever else the file calls a process.
struct Process {
  std::string pid;    ///< as written in the file
  std::string title;  ///< "GPU 0 · NVIDIA H100", "python 1102 · CPU"
  bool gpu = false;
  bool bookkeeping = false;       ///< the profiler's own events: no work of the program
  std::uint32_t first_track = 0;  ///< tracks of a process are consecutive
  std::uint32_t track_count = 0;
};

/// Ordered by row, then start. 39 bytes a slice.
struct SliceColumns {
  Column<std::int64_t> start_ns;
  Column<std::int64_t> duration_ns;
  Column<std::uint64_t> source_offset;  ///< of the event's `{` in the decompressed text
  Column<NameId> name;
  Column<SliceId> parent;  ///< innermost enclosing slice on the track, or kNoSlice
  Column<SliceId> link;    ///< GPU work -> its launch; launch -> its first GPU work; or kNoSlice
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

/// Every element of the event array is in exactly one of these.
struct EventCounts {
  std::uint64_t total = 0;
  std::uint64_t complete = 0;  ///< X
  std::uint64_t begin = 0;     ///< B
  std::uint64_t end = 0;       ///< E
  std::uint64_t async = 0;     ///< b, n, e, S, T, F, p
  std::uint64_t instants = 0;  ///< i, I, R and other point-like phases
  std::uint64_t counters = 0;  ///< C
  std::uint64_t flows = 0;     ///< s, t, f
  std::uint64_t metadata = 0;  ///< M
  std::uint64_t empty = 0;     ///< {}
  std::uint64_t dropped = 0;   ///< counted by reason in the damage
  EventCounts& operator+=(const EventCounts& other);
};

/// What a header field of the file says; absent ones are -1 or empty.
struct JobInfo {
  std::int64_t rank = -1;
  std::int64_t world_size = -1;
  std::string backend;
  std::vector<std::string> device_names;          ///< by device id
  std::vector<std::int64_t> device_memory_bytes;  ///< likewise, of the device (totalGlobalMem); 0: unknown
};

/// Immutable once published. Reading needs no lock; all spans live as long as the Trace.
struct Trace {
  StringTable names;
  StringTable categories;
  std::vector<SliceKind> name_kind;  ///< by NameId: kind of the first slice so named, for colours
  SliceColumns slices;
  InstantColumns instants;
  SampleColumns samples;
  FlowLinks flows;
  ArgumentColumns arguments;
  std::vector<Row> rows;
  std::vector<Track> tracks;       ///< in display order
  std::vector<Process> processes;  ///< in display order
  LodIndex lod;

  std::int64_t origin_unix_ns = 0;  ///< Unix time of ns 0, or of the file's own clock when it has no epoch
  std::int64_t base_time_ns = 0;    ///< the share of it that the file's header tells; 0 without one
  TimeRange range;                  ///< everything that has a time
  TimeRange content;                ///< `range` without far outliers: what "fit all" shows
  EventCounts counts;
  std::uint64_t paired_slices = 0;  ///< matched B/E pairs
  std::uint64_t async_slices = 0;   ///< matched async pairs
  std::uint64_t launches_linked = 0;
  DamageLog damage;
  JobInfo job;

  std::size_t slice_count() const { return slices.start_ns.size(); }
  std::int64_t end_ns(SliceId id) const {
    return slices.start_ns[index_of(id)] + slices.duration_ns[index_of(id)];
  }
  std::string_view name_of(SliceId id) const { return names[index_of(slices.name[index_of(id)])]; }
  /// The row a slice lies in. O(log rows).
  RowId row_of(SliceId id) const;
  /// The slice of `row` that covers `time_ns`, or kNoSlice. O(log slices).
  SliceId slice_at(RowId row, std::int64_t time_ns) const;
  /// Bytes of all columns and indices.
  std::size_t size_bytes() const;
};

}  // namespace kino
