#include "core/trace/timeline/stream_packing.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/base/parallel.hpp"
#include "core/base/saturating.hpp"
#include "core/trace/build/lanes.hpp"

namespace kino {
namespace {

/// Returns the kind of the packed track for a slice kind; `other` for slices that are not GPU work.
SliceKind pack_kind(SliceKind kind) { return is_gpu_work(kind) ? kind : SliceKind::other; }

/// The slices of one packed track.
struct Bucket {
  SliceKind kind{};
  std::string group;
  std::vector<SliceId> slices;  // in order of (start, longer first, id)
  std::int64_t busy_ns = 0;
};

Message track_name(const Bucket& bucket) {
  switch (bucket.kind) {
    case SliceKind::compute:
      return msg::word_compute;
    case SliceKind::communication:
      return bucket.group.empty() ? Message(msg::word_communication)
                                  : Message(msg::packed_communication_of, bucket.group);
    case SliceKind::copy:
      return msg::word_copies;
    default:
      return msg::packed_other_work;
  }
}

class Packer {
 public:
  Packer(const Trace& trace, const std::function<std::string(SliceId)>& group_of, const std::stop_token& stop)
      : trace_(trace), group_of_(group_of), stop_(stop) {
    packed_.first_track = static_cast<std::uint32_t>(trace.tracks.size());
    packed_.first_row = static_cast<std::uint32_t>(trace.rows.size());
    packed_.process_packed.assign(trace.processes.size(), 0);
  }

  PackedStreams pack() {
    std::uint32_t last_slice = 0;
    std::size_t count = 0;
    packed_.first_slice = PackedStreams::kNone;
    for (std::uint32_t process = 0; process < trace_.processes.size(); ++process) {
      std::vector<std::uint32_t> streams = streams_of(process);
      if (streams.size() < 2) continue;
      packed_.process_packed[process] = 1;
      for (const std::uint32_t stream : streams) {
        const auto [first, last] = slices_of(trace_.tracks[stream]);
        packed_.first_slice = std::min(packed_.first_slice, first);
        last_slice = std::max(last_slice, last);
        count += last - first;
      }
      streams_.push_back(std::move(streams));
    }
    if (count == 0) return std::move(packed_);
    packed_.position = Column<std::uint32_t>(last_slice - packed_.first_slice);
    std::fill_n(packed_.position.data(), packed_.position.size(), PackedStreams::kNone);
    packed_.start_ns = Column<std::int64_t>(count);
    packed_.duration_ns = Column<std::int64_t>(count);
    packed_.name = Column<NameId>(count);
    packed_.original = Column<SliceId>(count);
    for (const std::vector<std::uint32_t>& streams : streams_) {
      for (const Bucket& bucket : buckets_of(streams)) {
        if (stop_.stop_requested()) return std::move(packed_);
        add_track(bucket, streams);
      }
    }
    build_index();
    return std::move(packed_);
  }

 private:
  std::vector<std::uint32_t> streams_of(std::uint32_t process) const {
    const Process& group = trace_.processes[process];
    std::vector<std::uint32_t> streams;
    for (std::uint32_t k = 0; k < group.track_count; ++k) {
      const Track& track = trace_.tracks[group.first_track + k];
      if (track.kind == TrackKind::gpu_stream && track.row_count > 0)
        streams.push_back(group.first_track + k);
    }
    return streams;
  }

  /// Returns slices [first, last) of a track, whose rows and slices are contiguous.
  std::pair<std::uint32_t, std::uint32_t> slices_of(const Track& track) const {
    const Row& first = trace_.rows[track.first_row];
    const Row& last = trace_.rows[track.first_row + track.row_count - 1];
    return {first.first_slice, last.first_slice + last.slice_count};
  }

  std::vector<Bucket> buckets_of(const std::vector<std::uint32_t>& streams) {
    std::vector<SliceId> slices;
    for (const std::uint32_t stream : streams) {
      const auto [first, last] = slices_of(trace_.tracks[stream]);
      for (std::uint32_t slice = first; slice < last; ++slice) slices.push_back(SliceId{slice});
    }
    const SliceColumns& columns = trace_.slices;
    std::ranges::sort(slices, {}, [&](SliceId slice) {
      return std::tuple(trace_.start_ns(slice), -trace_.duration_ns(slice), slice);
    });
    const std::vector<std::string> groups = groups_of(slices);
    std::map<std::pair<SliceKind, std::string>, Bucket> buckets;
    for (std::size_t k = 0, next_group = 0; k < slices.size(); ++k) {
      if (k % kCancelStride == 0 && stop_.stop_requested()) return {};
      const std::uint32_t i = index_of(slices[k]);
      const SliceKind kind = pack_kind(columns.kind[i]);
      std::string group;
      if (kind == SliceKind::communication && next_group < groups.size()) group = groups[next_group++];
      Bucket& bucket = buckets[{kind, group}];
      bucket.kind = kind;
      bucket.group = std::move(group);
      bucket.slices.push_back(slices[k]);
      add_saturating(bucket.busy_ns, columns.duration_ns[i]);
    }
    std::vector<Bucket> ordered;
    ordered.reserve(buckets.size());
    for (auto& [key, bucket] : buckets) ordered.push_back(std::move(bucket));
    std::ranges::stable_sort(ordered, {},
                             [](const Bucket& bucket) { return std::pair(bucket.kind, -bucket.busy_ns); });
    return ordered;
  }

  /// Returns the process groups of the communication among `slices`, in their order. The groups are queried
  /// in file order, since the file may be compressed.
  std::vector<std::string> groups_of(const std::vector<SliceId>& slices) const {
    if (!group_of_) return {};
    const SliceColumns& columns = trace_.slices;
    std::vector<SliceId> communication;
    std::copy_if(slices.begin(), slices.end(), std::back_inserter(communication), [&](SliceId slice) {
      return pack_kind(columns.kind[index_of(slice)]) == SliceKind::communication;
    });
    std::vector<std::size_t> order(communication.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return trace_.source_offset(communication[i]); });
    std::vector<std::string> groups(communication.size());
    for (const std::size_t i : order) {
      if (stop_.stop_requested()) return {};
      groups[i] = group_of_(communication[i]);
    }
    return groups;
  }

  void add_track(const Bucket& bucket, const std::vector<std::uint32_t>& streams) {
    Track track;
    track.kind = TrackKind::gpu_stream;
    track.name = track_name(bucket).str();
    track.contents = Message(msg::packed_from_streams, std::to_string(streams.size())).str();
    track.process = trace_.tracks[streams.front()].process;
    track.first_row = packed_.first_row + static_cast<std::uint32_t>(packed_.rows.size());
    const SliceColumns& columns = trace_.slices;
    LaneAssigner lanes;
    std::vector<std::uint32_t> lane_of(bucket.slices.size());
    std::vector<std::uint32_t> counts;
    for (std::size_t k = 0; k < bucket.slices.size(); ++k) {
      const std::uint32_t i = index_of(bucket.slices[k]);
      const std::int64_t start = columns.start_ns[i];
      lane_of[k] = lanes.place(start, start + columns.duration_ns[i], 0).lane;
      if (lane_of[k] >= counts.size()) counts.resize(lane_of[k] + 1, 0);
      ++counts[lane_of[k]];
    }
    std::vector<std::uint32_t> next;
    for (std::uint32_t lane = 0; lane < counts.size(); ++lane) {
      next.push_back(filled_);
      const TrackId id{packed_.first_track + static_cast<std::uint32_t>(packed_.tracks.size())};
      packed_.rows.push_back({id, lane, filled_, counts[lane], {}});
      filled_ += counts[lane];
    }
    for (std::size_t k = 0; k < bucket.slices.size(); ++k) {
      const std::uint32_t i = index_of(bucket.slices[k]);
      const std::uint32_t at = next[lane_of[k]]++;
      packed_.start_ns[at] = columns.start_ns[i];
      packed_.duration_ns[at] = columns.duration_ns[i];
      packed_.name[at] = columns.name[i];
      packed_.original[at] = bucket.slices[k];
      packed_.position[i - packed_.first_slice] = at;
    }
    track.row_count = static_cast<std::uint32_t>(counts.size());
    packed_.tracks.push_back(std::move(track));
  }

  void build_index() {
    std::uint64_t longest = 0;
    std::uint64_t busy = 0;
    for (Row& row : packed_.rows) {
      row.lod = {longest, busy};
      longest += LodIndex::longest_size(row.slice_count);
      busy += LodIndex::busy_size(row.slice_count);
    }
    packed_.lod.longest = Column<std::uint32_t>(longest);
    packed_.lod.busy_prefix_ns = Column<std::int64_t>(busy);
    for (const Row& row : packed_.rows) {
      if (stop_.stop_requested()) return;
      packed_.lod.build_row(row.lod, packed_.duration_ns.sub(row.first_slice, row.slice_count));
    }
  }

  const Trace& trace_;
  const std::function<std::string(SliceId)>& group_of_;
  const std::stop_token& stop_;
  std::vector<std::vector<std::uint32_t>> streams_;  // by packed process
  PackedStreams packed_;
  std::uint32_t filled_ = 0;  // slices placed
};

}  // namespace

bool PackedStreams::holds(SliceId slice) const {
  const std::uint32_t i = index_of(slice);
  return i >= first_slice && i - first_slice < position.size() && position[i - first_slice] != kNone;
}

RowId PackedStreams::row_of(SliceId slice) const {
  const std::uint32_t at = position[index_of(slice) - first_slice];
  const auto after = std::ranges::upper_bound(rows, at, {}, &Row::first_slice);
  return RowId{first_row + static_cast<std::uint32_t>(after - rows.begin()) - 1};
}

SliceRow PackedStreams::row(RowId id) const {
  const Row& row = rows[index_of(id) - first_row];
  const auto part = [&row](const auto& column) { return column.sub(row.first_slice, row.slice_count); };
  return {part(start_ns), part(duration_ns), part(name), &lod, row.lod, row.first_slice, part(original)};
}

void ShownRows::add_stream_rows(std::uint32_t process, std::vector<RowId>& out) const {
  const Process& group = trace->processes[process];
  for (std::uint32_t k = 0; k < group.track_count; ++k) {
    const Track& track = trace->tracks[group.first_track + k];
    if (track.kind != TrackKind::gpu_stream) continue;
    for (std::uint32_t r = 0; r < track.row_count; ++r) out.push_back(RowId{track.first_row + r});
  }
}

PackedStreams pack_streams(const Trace& trace, const std::function<std::string(SliceId)>& group_of,
                           const std::stop_token& stop) {
  return Packer(trace, group_of, stop).pack();
}

}  // namespace kino
