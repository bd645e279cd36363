// The ranks whose tracks are shown: has their traces read, as far as they are in sight, and draws them.
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
  /// So many ranks at most have their streams below each other.
  static constexpr std::size_t kMostByStream = 64;

  /// `pool` outlives it; `wake` is called from any thread when there is news.
  ExpandedRanks(OpenOptions options, WorkerPool& pool, std::function<void()> wake);

  /// Fills JobState::tracks. Before the state is placed, once a frame.
  void update(JobState& state);
  /// Into the lanes.
  void draw(ImDrawList& list, const JobState& state, const LookOptions& look);
  /// Of a rank that is there; else null.
  const RankTracks* of(std::uint32_t rank) const;

  bool complete() const;
  bool wants_frames() const;

 private:
  OpenOptions options_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  std::unique_ptr<RankTraces> traces_;  // once one is wanted
  std::uint64_t seen_ = 0;
  bool missing_ = false;  // a trace that is wanted is being read
  std::map<std::uint32_t, std::unique_ptr<RankTracks>> drawn_;
};

}  // namespace kino
