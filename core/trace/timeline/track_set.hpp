// Which tracks are summed up, where packed ones may stand in for streams, and which slices those are.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/trace/timeline/stream_packing.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Tracks as ShownRows counts them: the trace's own, then those of `packed`. Others are no part of it.
struct TrackSet {
  std::vector<std::uint32_t> tracks;            ///< ascending
  std::shared_ptr<const PackedStreams> packed;  ///< null: none of the tracks are packed ones
  bool operator==(const TrackSet&) const = default;
};

/// The slices of a choice: each once, also where a packed track and the stream it stands in for are chosen.
class ChosenSlices {
 public:
  /// `trace` must outlive it. O(tracks).
  ChosenSlices(const Trace& trace, const TrackSet& choice);

  /// The trace's tracks that have such slices, ascending. Of some of them only a part is chosen.
  const std::vector<TrackId>& tracks() const { return tracks_; }
  /// Whether all slices of the track are.
  bool whole(TrackId track) const { return whole_[index_of(track)] != 0; }
  /// Whether a slice is that lies on one of tracks(). O(log packed tracks).
  bool holds(TrackId track, SliceId slice) const { return whole(track) || packed(slice); }

 private:
  bool packed(SliceId slice) const;

  std::vector<std::uint8_t> whole_;  // by track
  std::vector<TrackId> tracks_;
  std::shared_ptr<const PackedStreams> streams_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> places_;  // in its columns, [first, last), ascending
};

}  // namespace kino
