// The expanded ranks: loads their traces and draws their tracks.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>

#include <imgui.h>

#include "app/pages/job/job_state.hpp"
#include "app/pages/job/rank_traces.hpp"
#include "app/pages/job/rank_tracks.hpp"
#include "app/shell/settings/color_modes.hpp"
#include "core/base/worker_pool.hpp"
#include "loaders/cache/open_options.hpp"

namespace kino {

/// Loads and draws the tracks of the expanded ranks. UI thread only, with a current OpenGL context.
class ExpandedRanks {
 public:
  /// Largest number of ranks whose tracks are shown while they are listed by stream.
  static constexpr std::size_t kMostByStream = 64;

  /// `pool` must outlive the object. `wake` is called from any thread when a result is ready.
  ExpandedRanks(OpenOptions options, WorkerPool& pool, std::function<void()> wake);

  /// Requests the traces of the expanded ranks, and updates JobState::tracks. Call once per frame, before
  /// JobState::place().
  void update(JobState& state);
  /// Draws into JobBoxes::lanes.
  void draw(ImDrawList& list, const JobState& state, const ColorOptions& look);
  /// Returns the tracks of an expanded rank; null if draw() did not draw them in the last frame.
  const RankTracks* of(std::uint32_t rank) const;

  bool complete() const;
  bool wants_frames() const;

 private:
  OpenOptions options_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  std::unique_ptr<RankTraces> traces_;  // created for the first expanded rank
  std::uint64_t seen_ = 0;
  bool missing_ = false;  // whether a wanted trace is being read
  std::map<std::uint32_t, std::unique_ptr<RankTracks>> drawn_;
};

}  // namespace kino
