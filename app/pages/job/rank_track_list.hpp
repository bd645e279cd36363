// Which tracks of a rank's trace are shown below its row: the GPU's streams, then the threads that do
// something.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/pages/job/rank_traces.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// One track.
struct RankTrackLine {
  static constexpr std::uint32_t kFewLanes = 4;
  static constexpr std::uint32_t kMostLanes = 40;

  std::uint32_t track = 0;  ///< TrackId
  std::uint32_t first_row = 0;
  std::uint32_t lanes = 0;  ///< that there are, at most kMostLanes
  bool open = false;        ///< all of them are shown, else the outermost kFewLanes
  bool launches = false;    ///< the thread that launched most of the GPU's work
  std::string title;        ///< of a stream the same on all ranks
  std::string contents;

  std::uint32_t shown_lanes() const { return open || lanes < kFewLanes ? lanes : kFewLanes; }
};

/// What is known of the trace of an expanded rank. UI thread only.
struct RankTrackList {
  WantedTrace::State state = WantedTrace::State::reading;
  Error error;                         ///< when it failed
  std::shared_ptr<const Trace> trace;  ///< when it is ready; then
  std::vector<RankTrackLine> lines;
  std::uint32_t more = 0;  ///< tracks that are left out, since there are very many
};

/// O(tracks).
RankTrackList track_list_of(const WantedTrace& wanted);

}  // namespace kino
