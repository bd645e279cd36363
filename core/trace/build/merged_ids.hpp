// The first phase of building: replaces the ids of several batches by the ids of one trace.
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

/// Determines which records of the batches count, and maps their ids to the trace's names, categories and
/// facts, and to one table of tracks.
class MergedIds {
 public:
  using Decode = std::function<std::string(std::string_view)>;

  /// Moves the texts of the ids, and the metadata, from the batches into `trace` and this object; other
  /// records remain in the batches. `decode` undoes the file's escaping and may be empty. Records that start
  /// in `discarded` (sorted, disjoint) do not count, except records of repaired batches. O(texts + tracks log
  /// tracks).
  MergedIds(std::span<EventBatch> batches, std::vector<ByteRange> discarded, const Decode& decode,
            Trace& trace);

  /// Returns all tracks, sorted by class, pid and tid, so that their order does not depend on threads.
  const TrackTable& tracks() const { return tracks_; }
  /// Returns the index of a track in tracks(), or the table's size if it is absent. O(log tracks).
  std::uint32_t track_of(const TrackTable::Key& wanted) const;
  /// Returns the metadata records that count, in the order of the file.
  const std::vector<MetadataRecord>& metadata() const { return metadata_; }
  const NamedDevices& named_devices() const { return named_devices_; }

  bool all_count() const { return discarded_.empty(); }
  /// Whether a record of this batch at this offset counts.
  bool counts(std::size_t batch, std::uint64_t source_offset) const {
    if (discarded_.empty() || repaired_[batch] != 0) return true;
    const auto after = std::ranges::upper_bound(discarded_, source_offset, {}, &ByteRange::begin);
    return after == discarded_.begin() || source_offset >= std::prev(after)->end;
  }

  /// Returns the record of a batch with the trace's ids and the index of its track.
  template <class Record>
  Record translated(std::size_t batch, Record record) const {
    const Maps& maps = maps_[batch];
    record.track = maps.tracks[record.track];
    if constexpr (requires { record.name; }) {
      record.name = maps.names[record.name];
      record.category = maps.categories[record.category];
    }
    if constexpr (requires { record.facts; }) record.facts = maps.facts[record.facts];
    return record;
  }
  FlowPoint translated(std::size_t batch, FlowPoint record) const {
    record.category = CategoryId{maps_[batch].categories[index_of(record.category)]};
    record.track = TrackId{maps_[batch].tracks[index_of(record.track)]};
    return record;
  }

 private:
  /// Maps ids of a batch to the ids of the trace, and its tracks to tracks_.
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
