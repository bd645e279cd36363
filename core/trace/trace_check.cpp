#include "core/trace/trace_check.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <vector>

#include "core/base/parallel.hpp"

namespace kino {
namespace {

constexpr std::uint32_t kPiece = 1U << 16;
static_assert(kPiece % LodIndex::kBusyStride == 0);

/// Whether [first, first + count) is within [0, size).
bool fits(std::uint64_t first, std::uint64_t count, std::uint64_t size) {
  return first <= size && count <= size - first;
}

bool ordered(TimeRange range) {
  std::int64_t length = 0;
  return range.begin_ns <= range.end_ns && !__builtin_sub_overflow(range.end_ns, range.begin_ns, &length);
}

bool inside_or_at_end(TimeRange range, std::int64_t time_ns) {
  return time_ns >= range.begin_ns && time_ns <= range.end_ns;
}

bool sizes_agree(const Trace& trace) {
  const SliceColumns& slices = trace.slices;
  const InstantColumns& instants = trace.instants;
  const FlowLinks& flows = trace.flows;
  const std::size_t n = slices.start_ns.size();
  const std::size_t points = instants.time_ns.size();
  const std::size_t arrows = flows.from.size();
  return n < index_of(kNoSlice) && slices.duration_ns.size() == n && slices.source_offset.size() == n &&
         slices.name.size() == n && slices.parent.size() == n && slices.link.size() == n &&
         slices.category.size() == n && slices.kind.size() == n && points <= UINT32_MAX &&
         instants.source_offset.size() == points && instants.name.size() == points &&
         instants.category.size() == points && trace.samples.time_ns.size() <= UINT32_MAX &&
         trace.samples.value.size() == trace.samples.time_ns.size() && arrows <= UINT32_MAX &&
         flows.to.size() == arrows && flows.category.size() == arrows && flows.by_to.size() == arrows &&
         trace.name_kind.size() == trace.names.size() && trace.names.size() > 0;
}

/// Whether rows, their parts of the index, the rows of tracks, and the tracks of processes are contiguous.
/// Also checks that the instants and samples of tracks exist.
bool places_agree(const Trace& trace) {
  std::uint64_t slice = 0;
  LodRow lod;
  std::uint64_t row_index = 0;
  for (std::uint32_t t = 0; t < trace.tracks.size(); ++t) {
    const Track& track = trace.tracks[t];
    if (track.kind > TrackKind::counter || track.process >= trace.processes.size()) return false;
    if (track.first_row != row_index || !fits(row_index, track.row_count, trace.rows.size())) return false;
    if (!fits(track.first_instant, track.instant_count, trace.instants.time_ns.size())) return false;
    if (!fits(track.first_sample, track.sample_count, trace.samples.time_ns.size())) return false;
    for (std::uint32_t lane = 0; lane < track.row_count; ++lane, ++row_index) {
      const Row& row = trace.rows[row_index];
      if (index_of(row.track) != t || row.lane != lane || row.first_slice != slice) return false;
      if (row.lod.longest_offset != lod.longest_offset || row.lod.busy_offset != lod.busy_offset)
        return false;
      slice += row.slice_count;
      lod.longest_offset += LodIndex::longest_size(row.slice_count);
      lod.busy_offset += LodIndex::busy_size(row.slice_count);
    }
  }
  std::uint64_t track_index = 0;
  for (std::uint32_t p = 0; p < trace.processes.size(); ++p) {
    const Process& process = trace.processes[p];
    if (process.first_track != track_index) return false;
    if (!fits(track_index, process.track_count, trace.tracks.size())) return false;
    for (std::uint32_t i = 0; i < process.track_count; ++i, ++track_index) {
      if (trace.tracks[track_index].process != p) return false;
    }
  }
  return row_index == trace.rows.size() && track_index == trace.tracks.size() &&
         slice == trace.slice_count() && lod.longest_offset == trace.lod.longest.size() &&
         lod.busy_offset == trace.lod.busy_prefix_ns.size();
}

bool kinds_exist(const Trace& trace) {
  return std::ranges::all_of(trace.name_kind,
                             [](SliceKind kind) { return static_cast<int>(kind) < kSliceKindCount; }) &&
         std::ranges::all_of(trace.damage.entries(), [](const Damage& damage) {
           return static_cast<int>(damage.reason) < kDamageReasonCount;
         });
}

/// Returns the end of a slice. If it overflows, the result wraps and is before the start, which slices_hold()
/// rejects.
std::int64_t wrapping_end_ns(std::int64_t start_ns, std::int64_t duration_ns) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(start_ns) +
                                   static_cast<std::uint64_t>(duration_ns));
}

/// Checks slices [first, last) of one row, and that the first of them follows the slice before it.
bool slices_hold(const Trace& trace, const Row& row, std::uint32_t first, std::uint32_t last) {
  const SliceColumns& slices = trace.slices;
  const auto count = static_cast<std::uint32_t>(trace.slice_count());
  const std::uint32_t names = trace.names.size();
  const std::uint32_t categories = trace.categories.size();
  const std::uint32_t family = trace.rows[trace.track(row.track).first_row].first_slice;
  std::int64_t free_from = first == row.first_slice
                               ? std::numeric_limits<std::int64_t>::min()
                               : wrapping_end_ns(slices.start_ns[first - 1], slices.duration_ns[first - 1]);
  bool good = true;
  for (std::uint32_t i = first; i < last; ++i) {
    const std::int64_t start = slices.start_ns[i];
    const std::int64_t duration = slices.duration_ns[i];
    const std::int64_t end = wrapping_end_ns(start, duration);
    const std::uint32_t parent = index_of(slices.parent[i]);
    const std::uint32_t link = index_of(slices.link[i]);
    good &= (duration >= 0) & (start >= free_from) & (start >= trace.range.begin_ns) & (end >= start) &
            (end <= trace.range.end_ns) & (index_of(slices.name[i]) < names) &
            (index_of(slices.category[i]) < categories) &
            (static_cast<int>(slices.kind[i]) < kSliceKindCount) &
            ((parent == index_of(kNoSlice)) | ((parent >= family) & (parent < row.first_slice))) &
            ((link == index_of(kNoSlice)) | (link < count));
    free_from = end;
  }
  return good;
}

/// Checks the sums of busy time that end with a slice in [first, last). `first` must be the start of a block.
bool busy_holds(const Trace& trace, const Row& row, std::uint32_t first, std::uint32_t last) {
  const std::int64_t* const prefix = trace.lod.busy_prefix_ns.data() + row.lod.busy_offset;
  if (first == row.first_slice && prefix[0] != 0) return false;
  bool good = true;
  for (std::uint32_t block = first; last - block >= LodIndex::kBusyStride; block += LodIndex::kBusyStride) {
    const std::uint32_t k = (block - row.first_slice) / LodIndex::kBusyStride;
    auto sum = static_cast<std::uint64_t>(prefix[k]);
    for (std::uint32_t i = block; i < block + LodIndex::kBusyStride; ++i) {
      sum += static_cast<std::uint64_t>(trace.slices.duration_ns[i]);
    }
    good &= static_cast<std::uint64_t>(prefix[k + 1]) == sum;
  }
  return good;
}

/// Checks that every entry of the row's part of the index refers to a slice of its own block.
bool longest_holds(const Trace& trace, const Row& row) {
  const std::uint32_t* level = trace.lod.longest.data() + row.lod.longest_offset;
  std::uint64_t block_slices = LodIndex::kFanOut;
  for (std::uint64_t size = row.slice_count; size > LodIndex::kFanOut; block_slices *= LodIndex::kFanOut) {
    size = (size + LodIndex::kFanOut - 1) / LodIndex::kFanOut;
    for (std::uint64_t block = 0; block < size; ++block) {
      if (level[block] / block_slices != block || level[block] >= row.slice_count) return false;
    }
    level += size;
  }
  return true;
}

bool points_hold(const Trace& trace) {
  const InstantColumns& instants = trace.instants;
  const auto is_name = [&](NameId name) { return index_of(name) < trace.names.size(); };
  const auto is_category = [&](CategoryId category) { return index_of(category) < trace.categories.size(); };
  const auto in_range = [&](std::int64_t time_ns) { return inside_or_at_end(trace.range, time_ns); };
  return std::ranges::all_of(instants.name, is_name) && std::ranges::all_of(instants.category, is_category) &&
         std::ranges::all_of(instants.time_ns, in_range) &&
         std::ranges::all_of(trace.samples.time_ns, in_range) &&
         std::ranges::all_of(trace.tracks, [&](const Track& track) {
           return std::ranges::is_sorted(instants.time_ns.sub(track.first_instant, track.instant_count)) &&
                  std::ranges::is_sorted(trace.samples.time_ns.sub(track.first_sample, track.sample_count));
         });
}

bool arguments_hold(const Trace& trace) {
  const ArgumentColumns& arguments = trace.arguments;
  const std::size_t count = trace.slice_count();
  const std::size_t memory = arguments.memory_time_ns.size();
  if ((!arguments.facts.empty() && arguments.facts.size() != count) ||
      arguments.operators.size() != arguments.exceptions.size() || arguments.memory_bytes.size() != memory ||
      arguments.memory_address.size() != memory || arguments.memory_device.size() != memory ||
      arguments.memory_track.size() != memory || arguments.memory_total_bytes.size() != memory) {
    return false;
  }
  const std::uint32_t texts = arguments.texts.size();
  const auto exists = [&](SliceId slice) { return index_of(slice) < count; };
  return std::ranges::all_of(arguments.facts, [&](std::uint32_t index) { return index < texts; }) &&
         std::ranges::all_of(arguments.exceptions, exists) && std::ranges::is_sorted(arguments.exceptions) &&
         std::ranges::all_of(arguments.operators,
                             [&](SliceId slice) { return slice == kNoSlice || exists(slice); }) &&
         std::ranges::is_sorted(arguments.memory_time_ns) &&
         std::ranges::all_of(arguments.memory_time_ns,
                             [&](std::int64_t time_ns) { return inside_or_at_end(trace.range, time_ns); }) &&
         std::ranges::all_of(arguments.memory_track, [&](TrackId track) {
           return track == kNoTrack || index_of(track) < trace.tracks.size();
         });
}

bool flows_hold(const Trace& trace) {
  const FlowLinks& flows = trace.flows;
  const std::size_t count = trace.slice_count();
  const auto exists = [&](SliceId slice) { return index_of(slice) < count; };
  if (!std::ranges::all_of(flows.from, exists) || !std::ranges::all_of(flows.to, exists)) return false;
  if (!std::ranges::is_sorted(flows.from)) return false;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    if (index_of(flows.category[i]) >= trace.categories.size() || flows.by_to[i] >= flows.size())
      return false;
    if (i > 0 && flows.to[flows.by_to[i]] < flows.to[flows.by_to[i - 1]]) return false;
  }
  if (!std::ranges::all_of(flows.launched, exists)) return false;
  const auto launch_of = [&](SliceId work) { return trace.link(work); };
  return std::ranges::is_sorted(flows.launched, {}, launch_of);
}

struct CheckedPiece {
  const Row* row;
  std::uint32_t first;
  std::uint32_t last;
};

std::vector<CheckedPiece> pieces_of(const Trace& trace) {
  std::vector<CheckedPiece> pieces;
  for (const Row& row : trace.rows) {
    for (std::uint32_t done = 0; done < row.slice_count;) {
      const std::uint32_t taken = std::min(kPiece, row.slice_count - done);
      pieces.push_back({&row, row.first_slice + done, row.first_slice + done + taken});
      done += taken;
    }
  }
  return pieces;
}

}  // namespace

bool is_consistent(const Trace& trace, unsigned threads, const std::stop_token& stop) {
  if (!sizes_agree(trace) || !ordered(trace.range) || !ordered(trace.content)) return false;
  if (!inside_or_at_end(trace.range, trace.content.begin_ns) ||
      !inside_or_at_end(trace.range, trace.content.end_ns))
    return false;
  if (!places_agree(trace) || !kinds_exist(trace)) return false;
  const std::vector<CheckedPiece> pieces = pieces_of(trace);
  std::atomic<bool> good{true};
  threads = thread_count_or_default(threads);
  parallel_for(threads, pieces.size(), stop, [&](std::size_t i, unsigned) {
    const CheckedPiece& piece = pieces[i];
    if (!good.load(std::memory_order_relaxed)) return;
    const bool whole = piece.first == piece.row->first_slice;  // longest_holds() checks a row once
    if (!slices_hold(trace, *piece.row, piece.first, piece.last) ||
        !busy_holds(trace, *piece.row, piece.first, piece.last) ||
        (whole && !longest_holds(trace, *piece.row))) {
      good = false;
    }
  });
  return good && !stop.stop_requested() && points_hold(trace) && flows_hold(trace) && arguments_hold(trace) &&
         !stop.stop_requested();
}

}  // namespace kino
