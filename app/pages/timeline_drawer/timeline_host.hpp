// What the pages of a timeline's drawer get from the panel, and how they ask it for something.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "app/ui/view/slice_look.hpp"
#include "app/ui/view/timeline_state.hpp"
#include "core/base/worker_pool.hpp"
#include "core/trace/timeline/derived_counters.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// What pages asked the panel for in this frame, beside what they did to the TimelineState.
struct TimelineAsks {
  std::string find;  ///< to be searched for; empty: nothing
  std::string sql;   ///< to be asked; empty: nothing
  bool set_bookmark = false;
  bool import_bookmarks = false;
  bool save_note = false;                             ///< with all bookmarks
  std::shared_ptr<const CounterTracks> result_track;  ///< of a query, to be shown; null: nothing
  bool forget_result_tracks = false;
  std::uint64_t go_to_bookmark = 0;  ///< an id, or 0
};

/// All of it outlives the pages. `wake` is called from a worker when there is news.
struct TimelineHost {
  TimelineState& state;
  TimelineAsks& asks;
  const SliceLook& look;
  std::filesystem::path file;  ///< what rows are saved beside
  WorkerPool& pool;
  std::function<void()> wake;
};

}  // namespace kino
