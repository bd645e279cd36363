// A set of tracks to sum up, possibly with packed tracks, and the slices on them.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/trace/timeline/stream_packing.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Tracks by their indices in ShownRows: the trace's own tracks, then the tracks of `packed`.
struct TrackSet {
  std::vector<std::uint32_t> tracks;            ///< ascending
  std::shared_ptr<const PackedStreams> packed;  ///< null: no packed tracks
  bool operator==(const TrackSet&) const = default;
};

/// The slices of a set of tracks. Each slice is included once, even if a packed track and its stream are both
/// in the set.
class ChosenSlices {
 public:
  /// Determines the chosen slices. O(tracks).
  ChosenSlices(const Trace& trace, const TrackSet& choice);

  /// Returns the tracks of the trace that can have chosen slices, ascending. These are the tracks of the set,
  /// and all streams of a GPU with a packed track in the set.
  const std::vector<TrackId>& tracks() const { return tracks_; }
  /// Whether all slices of the track are chosen.
  bool whole(TrackId track) const { return whole_[index_of(track)] != 0; }
  /// Whether a slice on one of tracks() is chosen. O(log packed tracks).
  bool holds(TrackId track, SliceId slice) const { return whole(track) || packed(slice); }

 private:
  bool packed(SliceId slice) const;

  std::vector<std::uint8_t> whole_;  // by track
  std::vector<TrackId> tracks_;
  std::shared_ptr<const PackedStreams> streams_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>>
      packed_slices_;  // ranges [first, last) of the packed columns, ascending
};

}  // namespace kino
