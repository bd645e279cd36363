// Interface between the pages of a timeline's drawer and the panel.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/ui/view/slice_style.hpp"
#include "app/ui/view/timeline_state.hpp"
#include "core/base/worker_pool.hpp"
#include "core/trace/timeline/derived_counters.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Requests of the pages to the panel in this frame, in addition to their changes of TimelineState.
struct TimelineRequests {
  std::string find;  ///< a query to search for, or empty
  std::string sql;   ///< a query to run, or empty
  bool set_bookmark = false;
  bool import_bookmarks = false;
  bool save_note = false;                             ///< save a note of the view with all bookmarks
  std::shared_ptr<const CounterTracks> result_track;  ///< counters of a query, to be shown; or null
  bool remove_result_tracks = false;
  std::uint64_t go_to_bookmark = 0;       ///< id of the bookmark to show, or 0
  std::optional<std::string> ledger_row;  ///< row of the ledger to show, or "" for the ledger itself
  std::filesystem::path compare_with;     ///< trace to compare with, or empty
  bool show_quality = false;              ///< show the quality of the data
  bool save_report = false;
};

/// Objects of the panel that the pages use. All must outlive the pages. A worker calls `wake` when a result
/// is ready.
struct TimelineHost {
  TimelineState& state;
  TimelineRequests& page_requests;
  const SliceStyle& look;
  std::filesystem::path file;  ///< file of the trace; exported rows are saved beside it
  WorkerPool& pool;
  std::function<void()> wake;
};

}  // namespace kino
