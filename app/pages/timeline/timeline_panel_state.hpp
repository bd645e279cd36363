// State of a TimelinePanel: its parts, and what they exchange in each frame.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <imgui.h>

#include "app/pages/inspector/inspector.hpp"
#include "app/pages/query/sql_page.hpp"
#include "app/pages/summary/summary_page.hpp"
#include "app/pages/timeline/added_tracks.hpp"
#include "app/pages/timeline/color_legend.hpp"
#include "app/pages/timeline/flow_view.hpp"
#include "app/pages/timeline/hover_card.hpp"
#include "app/pages/timeline/overview_strip.hpp"
#include "app/pages/timeline/pointing/distance_lines.hpp"
#include "app/pages/timeline/pointing/range_chip.hpp"
#include "app/pages/timeline/range_gesture.hpp"
#include "app/pages/timeline/step_ruler.hpp"
#include "app/pages/timeline/timeline_input.hpp"
#include "app/pages/timeline/timeline_panel.hpp"
#include "app/pages/timeline/timeline_sharing.hpp"
#include "app/pages/timeline/track_bar.hpp"
#include "app/pages/timeline/track_canvas.hpp"
#include "app/pages/timeline_drawer/range_page.hpp"
#include "app/pages/timeline_drawer/tables_page.hpp"
#include "app/pages/timeline_drawer/timeline_host.hpp"
#include "app/pages/timeline_drawer/trace_verdict.hpp"
#include "app/system/background_result.hpp"
#include "app/ui/bookmarks/bookmark_flags.hpp"
#include "app/ui/details/slice_commands.hpp"
#include "app/ui/drawer/drawer.hpp"
#include "app/ui/search/search_bar.hpp"
#include "app/ui/search/search_hits.hpp"
#include "app/ui/view/matched_rows.hpp"
#include "app/ui/view/slice_style.hpp"
#include "app/ui/view/timeline_state.hpp"
#include "app/ui/view/view_history.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/base/slice_set.hpp"
#include "core/base/worker_pool.hpp"
#include "core/trace/event_details.hpp"
#include "core/trace/timeline/stream_annotations.hpp"
#include "core/trace/trace.hpp"

namespace kino {

struct TimelinePanel::State : TimelineState {
  State(std::shared_ptr<const Trace> shown_trace, std::shared_ptr<const EventDetails> its_details,
        Bookmarks& its_bookmarks, WorkerPool& its_pool, std::function<void()> its_wake)
      : TimelineState(std::move(shown_trace)),
        event_details(std::move(its_details)),
        bookmarks(its_bookmarks),
        pool(its_pool),
        wake(std::move(its_wake)),
        look(trace, pool, wake),
        canvas(trace, look, pool, wake),
        added(*this, event_details, canvas.renderer(), pool, wake),
        slice_commands(trace, event_details, pool, wake),
        hits(trace, event_details, pool, wake),
        matched(trace, pool, wake),
        overview(trace, pool, wake),
        steps(trace, pool, wake),
        sharing(event_details, its_bookmarks.trace_path(), pool, wake),
        pages(drawer) {
    add_pages();
    find_annotations();
  }

  void add_pages();
  void find_annotations();
  /// Takes over the brackets above streams once they are found.
  void poll_annotations();

  std::shared_ptr<const EventDetails> event_details;
  Bookmarks& bookmarks;
  WorkerPool& pool;
  std::function<void()> wake;
  BookmarkFlags flags;
  std::vector<PageRequest> requests;
  TimelineInput input;
  SliceStyle look;
  TrackCanvas canvas;
  AddedTracks added;
  ColorLegend legend;
  SliceCommands slice_commands;
  FlowView flows;
  SearchHits hits;
  MatchedRows matched;
  std::string opened_query;  // last query whose first hit opened the selection page
  SearchBar search;
  TrackBar track_bar;
  BackgroundResult<DataQualityReport> trust;
  OverviewStrip overview;
  StepRuler steps;
  RangeGesture range_gesture;
  RangeChip range_chip;
  DistanceLines distances;
  TimelineSharing sharing;
  std::optional<Note> first_note;  // note to show once there is a layout
  TimelineRequests page_requests;
  Drawer pages;
  RangePage* range_page = nullptr;
  TablesPage* tables = nullptr;
  SqlPage* sql = nullptr;
  SummaryPage* summary = nullptr;
  ViewHistory history;
  std::optional<Theme> theme;  // theme of the newest frame
  std::shared_ptr<const SliceSet> painted_hits;
  bool keyboard = true;
  std::optional<double> mouse_time_ns;
  double own_cpu_ms = 0;
  HoverCards cards;
  TraceVerdict verdict;
  std::optional<Inspector> inspector;  // made by add_pages()
  BackgroundResult<std::shared_ptr<const StreamAnnotations>> annotating;

  void update_look(const Theme& now, const ColorOptions& wanted);
  std::shared_ptr<const SliceSet> emphasised_hits() const {
    // A selected row takes precedence over an open search.
    if (auto of_row = tables->highlighted()) return of_row;
    return hits.answer() != nullptr ? hits.answer()->emphasised() : nullptr;
  }
  /// Returns whether the emphasized slices, or the setting to show only matches, changed since the renderer
  /// was updated.
  bool look_stale() const {
    return painted_hits != emphasised_hits() || only_matches != search.only_matches();
  }
  void set_palette() { canvas.renderer().set_palette(legend.palette(look)); }
  /// Returns the mark of the first finding's worst example.
  std::optional<OverviewStrip::Mark> worst_example() const;
  void draw_top_row(ImDrawList& list);
  void draw_tracks(ImDrawList& list, const PageFrame& frame);
  void note_mouse();
  void apply_page_requests();
  void handle_sharing();
  Note whole_note() const;
  void save_note();
  void look_for(const std::string& query);
  void draw_scrollbars(ImDrawList& list) const;
  /// Handles the keys of the search. Returns true if a key closed the search, so that other views do not use
  /// this key as well.
  bool handle_search_keys();
  void act_on(const SearchBar::Actions& actions);
  void draw_search();
  void handle_slice_commands();
  void act_on(const SliceCommands::Actions& actions);
  void handle_ranges();
  void handle_history();
};

}  // namespace kino
