// The tracks of a rank's trace listed below its row: GPU streams, then active threads.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/pages/job/rank_traces.hpp"
#include "core/trace/trace.hpp"

namespace kino {

struct RankTrackLine {
  static constexpr std::uint32_t kFewLanes = 4;
  static constexpr std::uint32_t kMostLanes = 40;

  std::uint32_t track = 0;  ///< index of the track in the trace
  std::uint32_t first_row = 0;
  std::uint32_t lanes = 0;  ///< number of lanes, at most kMostLanes
  bool open = false;        ///< whether all lanes are shown; if not, the outermost kFewLanes
  bool launches = false;    ///< whether it is the main thread; see main_thread_of()
  std::string title;        ///< title; equal on all ranks for the same stream
  std::string contents;

  std::uint32_t shown_lanes() const { return open || lanes < kFewLanes ? lanes : kFewLanes; }
};

/// The trace of an expanded rank and its tracks. UI thread only.
struct RankTrackList {
  WantedTrace::State state = WantedTrace::State::reading;
  Error error;                         ///< reason of the failure, once failed
  std::shared_ptr<const Trace> trace;  ///< trace, once ready
  std::vector<RankTrackLine> lines;
  std::uint32_t more = 0;  ///< number of tracks omitted because there are too many
};

/// Returns the tracks to list for a rank's trace, at most 40. O(tracks).
RankTrackList track_list_of(const WantedTrace& wanted);

}  // namespace kino
