// GPU streams packed by kind: the work of a GPU's streams in few disjoint rows. Replayed graphs distribute
// work over hundreds of meaningless streams.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/trace/timeline/derived_counters.hpp"
#include "core/trace/timeline/lod_tile.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Tracks and rows that replace the streams of some GPUs. Every slice of those streams is in exactly one row.
/// Their ids follow the trace's ids: tracks[i] has the id first_track + i, and rows[i] the id first_row + i.
/// The trace itself is unchanged. Takes 28 bytes per packed slice.
struct PackedStreams {
  std::uint32_t first_track = 0;
  std::uint32_t first_row = 0;  ///< trace.rows.size()
  std::vector<Track> tracks;    ///< by process: compute, communication by group, copies, other work
  std::vector<Row> rows;        ///< first_slice is an index into the columns here
  std::vector<std::uint8_t> process_packed;  ///< by process: whether its streams are packed

  Column<std::int64_t> start_ns;  ///< by row, then start
  Column<std::int64_t> duration_ns;
  Column<NameId> name;
  Column<SliceId> original;  ///< the slice of the trace
  LodIndex lod;

  /// Whether a slice of the trace is packed. row_of() returns the row of such a slice, in O(log rows).
  bool holds(SliceId slice) const;
  RowId row_of(SliceId slice) const;
  SliceRow row(RowId id) const;

  bool holds_track(std::uint32_t track) const {
    return track >= first_track && track - first_track < tracks.size();
  }

  std::uint32_t first_slice = 0;   ///< the first slice of the trace that may be packed
  Column<std::uint32_t> position;  ///< by slice from first_slice on: its index in the columns, or kNone
  static constexpr std::uint32_t kNone = 0xffffffffU;
};

/// Packs the streams of every GPU that has at least two. `group_of` returns the process group of a
/// communication slice, and is called once for each; the function may be empty. O(n log n) in the GPU's
/// slices.
PackedStreams pack_streams(const Trace& trace, const std::function<std::string(SliceId)>& group_of,
                           const std::stop_token& stop);

struct StreamAnnotations;

/// The rows and tracks of a trace, followed by the rows and tracks of its packed streams and derived
/// counters. Packed streams, counters and annotations may be null.
struct ShownRows {
  // Implicit, since a trace alone is the common case.
  ShownRows(const Trace& its_trace,  // NOLINT(google-explicit-constructor)
            const PackedStreams* its_packed = nullptr, const DerivedCounters* its_counters = nullptr,
            const StreamAnnotations* its_annotations = nullptr)
      : trace(&its_trace), packed(its_packed), counters(its_counters), annotations(its_annotations) {}

  const Trace* trace;
  const PackedStreams* packed;
  const DerivedCounters* counters;
  const StreamAnnotations* annotations;  ///< if set, they can be shown above their streams

  bool is_packed(RowId row) const { return index_of(row) >= trace->rows.size(); }
  const Row& row_at(RowId row) const {
    return is_packed(row) ? packed->rows[index_of(row) - packed->first_row] : trace->row(row);
  }
  std::size_t track_count() const {
    return trace->tracks.size() + (packed ? packed->tracks.size() : 0) + (counters ? counters->count() : 0);
  }
  bool is_packed_track(std::uint32_t track) const { return packed && packed->holds_track(track); }
  bool is_derived(std::uint32_t track) const { return counters && counters->holds(track); }
  const Track& track_at(std::uint32_t track) const {
    if (is_packed_track(track)) return packed->tracks[track - packed->first_track];
    return is_derived(track) ? counters->track_at(track) : trace->tracks[track];
  }
  /// Returns the samples of a counter track.
  CounterRow counter_at(std::uint32_t track) const {
    if (is_derived(track)) return counters->row(track);
    const Track& counter = trace->tracks[track];
    return {trace->samples.time_ns.sub(counter.first_sample, counter.sample_count),
            trace->samples.value.sub(counter.first_sample, counter.sample_count),
            {}};
  }
  SliceRow slices_of(RowId row) const {
    return is_packed(row) ? packed->row(row) : SliceRow::of(*trace, row);
  }
  /// Appends the trace's rows of a process's streams.
  void add_stream_rows(std::uint32_t process, std::vector<RowId>& out) const;
  /// Returns the trace's id of a slice of slices_of(row).
  SliceId original(RowId row, SliceId slice) const {
    return is_packed(row) && slice != kNoSlice ? packed->original[index_of(slice)] : slice;
  }
};

}  // namespace kino
