// The expanded ranks: loads the traces of the visible ones and draws their tracks.
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

/// UI thread only, with a current OpenGL context.
class ExpandedRanks {
 public:
  /// Largest number of ranks whose tracks are listed by stream.
  static constexpr std::size_t kMostByStream = 64;

  /// `pool` must outlive the object. `wake` is called from any thread when a result is ready.
  ExpandedRanks(OpenOptions options, WorkerPool& pool, std::function<void()> wake);

  /// Fills JobState::tracks. Call once per frame, before JobState::place().
  void update(JobState& state);
  /// Draws into JobBoxes::lanes.
  void draw(ImDrawList& list, const JobState& state, const ColorOptions& look);
  /// Returns the tracks of an expanded rank; null if they are not drawn.
  const RankTracks* of(std::uint32_t rank) const;

  bool complete() const;
  bool wants_frames() const;

 private:
  OpenOptions options_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  std::unique_ptr<RankTraces> traces_;  // created for the first expanded rank
  std::uint64_t seen_ = 0;
  bool missing_ = false;  // a wanted trace is being read
  std::map<std::uint32_t, std::unique_ptr<RankTracks>> drawn_;
};

}  // namespace kino
