// The first phase of building: the ids of several batches become those of one trace.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace/build/event_batch.hpp"
#include "core/trace/build/named_devices.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Which records of the batches count, and what they say in the trace's names, categories and facts and in
/// the numbers of one table of tracks.
class MergedIds {
 public:
  using Decode = std::function<std::string(std::string_view)>;

  /// Takes what the batches know by ids, and their metadata, into `trace` and here; their records stay.
  /// `decode` undoes the file's escaping and may be empty. Records that start in `discarded` (sorted,
  /// disjoint) do not count, except those of repaired batches. O(texts + tracks log tracks).
  MergedIds(std::span<EventBatch> batches, std::vector<ByteRange> discarded, const Decode& decode,
            Trace& trace);

  /// Sorted by class, pid and tid: which thread met a track first is chance, the order of points in their
  /// columns is not.
  const TrackTable& tracks() const { return tracks_; }
  /// The number of a track in tracks(); its size when there is none. O(log tracks).
  std::uint32_t track_of(const TrackTable::Key& wanted) const;
  /// That count, in the order of the file.
  const std::vector<MetadataRecord>& metadata() const { return metadata_; }
  const NamedDevices& named_devices() const { return named_devices_; }

  bool all_count() const { return discarded_.empty(); }
  /// Whether a record of this batch that starts there does.
  bool counts(std::size_t batch, std::uint64_t source_offset) const {
    if (discarded_.empty() || repaired_[batch] != 0) return true;
    const auto it =
        std::upper_bound(discarded_.begin(), discarded_.end(), source_offset,
                         [](std::uint64_t at, const ByteRange& range) { return at < range.begin; });
    return it == discarded_.begin() || source_offset >= std::prev(it)->end;
  }

  // The record of a batch with the trace's ids and the number of its track.
  SliceRecord translated(std::size_t batch, SliceRecord record) const {
    const Maps& maps = maps_[batch];
    record.name = maps.names[record.name];
    record.category = maps.categories[record.category];
    record.track = maps.tracks[record.track];
    record.facts = maps.facts[record.facts];
    return record;
  }
  PointRecord translated(std::size_t batch, PointRecord record) const {
    const Maps& maps = maps_[batch];
    record.name = maps.names[record.name];
    record.category = maps.categories[record.category];
    record.track = maps.tracks[record.track];
    return record;
  }
  FlowPoint translated(std::size_t batch, FlowPoint record) const {
    record.category = CategoryId{maps_[batch].categories[index_of(record.category)]};
    record.track = TrackId{maps_[batch].tracks[index_of(record.track)]};
    return record;
  }
  template <class Record>  // of a track, and nothing else that has an id
  Record translated(std::size_t batch, Record record) const {
    record.track = maps_[batch].tracks[record.track];
    return record;
  }

 private:
  /// Of a batch: its ids to the trace's, and to tracks_'s.
  struct Maps {
    std::vector<std::uint32_t> names;
    std::vector<std::uint16_t> categories;
    std::vector<std::uint32_t> facts;
    std::vector<std::uint32_t> tracks;
  };

  void gather_metadata(std::span<EventBatch> batches, const Decode& decode);
  void merge(EventBatch& batch, const Decode& decode, Trace& trace);
  void sort_tracks();

  std::vector<ByteRange> discarded_;
  std::vector<std::uint8_t> repaired_;  // by batch
  std::vector<MetadataRecord> metadata_;
  NamedDevices named_devices_;
  std::vector<Maps> maps_;  // by batch
  TrackTable tracks_;
};

}  // namespace kino
