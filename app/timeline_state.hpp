// What the timeline shows and where: camera, folds, scroll position, selection, and the places of its parts.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "app/drawer_tabs.hpp"
#include "app/event_pick.hpp"
#include "app/navigation.hpp"
#include "app/range_selection.hpp"
#include "app/track_layout.hpp"
#include "core/trace.hpp"

namespace kino {

/// A rectangle on screen, in whole ImGui units.
struct Box {
  float left = 0;
  float top = 0;
  float right = 0;
  float bottom = 0;
  float width() const { return right - left; }
  float height() const { return bottom - top; }
  bool contains(float x, float y) const { return x >= left && x < right && y >= top && y < bottom; }
};

/// Where the parts of the panel lie.
struct TimelineBoxes {
  Box all;
  Box overview_corner;  ///< left of the overview strip
  Box overview;
  Box corner;  ///< left of the ruler
  Box ruler;
  Box steps_corner;  ///< left of the steps
  Box steps;         ///< without height when the trace has none
  Box search;        ///< without height while nobody searches
  Box track_bar;     ///< without height unless tracks are being chosen
  Box headers;
  Box tracks;
  Box scrollbar;
  Box legend;  ///< without height while colours mean names
  Box drawer;
};

/// Without ImGui and OpenGL: input changes it, drawing reads it. UI thread only.
struct TimelineState {
  explicit TimelineState(std::shared_ptr<const Trace> shown);

  std::shared_ptr<const Trace> trace;
  std::shared_ptr<const PackedStreams> packed;      ///< null until they are wanted and there
  std::shared_ptr<const DerivedCounters> counters;  ///< likewise
  Arrangement arrangement;
  TrackLayout layout;
  Navigation navigation;
  SmoothScroll scroll;
  TimelineBoxes boxes;
  float scale = 1;              ///< ImGui units per unit at 96 dpi
  float framebuffer_scale = 1;  ///< framebuffer px per ImGui unit
  bool layout_stale = true;

  float header_width = 240;   ///< at scale 1
  float drawer_height = 270;  ///< at scale 1
  bool steps_shown = false;   ///< whether the trace has steps to show in a row
  bool drawer_open = false;
  DrawerTab drawer_tab = DrawerTab::selection;
  bool search_open = false;
  bool track_bar_open = false;
  bool only_matches = false;  ///< what a search does not find is hardly to be seen
  bool legend_shown = false;
  bool drawer_refused = false;  ///< closed by hand: selecting does not open it again

  EventRef selection;
  RangeSelection marked;
  EventPick hovered;
  const LayoutItem* hovered_header = nullptr;  ///< of this frame's layout
  std::optional<TimeView> focused;             ///< where F took the view; F there again fits all
  bool reveal_selection = false;               ///< scroll to it once everything has its place
  bool follow_selection = false;               ///< likewise, pan to it

  /// `units` at scale 1 as whole ImGui units.
  float px(float units) const;
  /// Where a time is on screen, in ImGui units; far outside of it at most 1e6 away, which float still holds.
  float screen_x(std::int64_t time_ns) const;
  /// The scroll position on a whole framebuffer px, so that nothing blurs.
  double shown_scroll() const;
  /// What is shown in rows: the trace's own, those of packed streams and derived counters.
  ShownRows rows() const { return {*trace, packed.get(), counters.get()}; }
  /// Where a lane is in sight, or would be without the clipping: y from the top of the tracks' box.
  struct LaneInSight {
    double y_px = 0;
    float height_px = 0;
    bool pinned = false;
  };
  /// The lane that shows a slice; nothing while it is hidden.
  std::optional<LaneInSight> lane_of(SliceId slice) const;
  /// From where on what scrolls may be drawn, below the tracks' top.
  double clip_top(bool pinned) const { return pinned ? 0 : layout.pinned_px(); }
  /// Lays the tracks out anew; place() does so when it is needed.
  void rebuild_layout();
  /// Lays everything out in the given area and makes way for what was selected. Once at the begin of a frame.
  void place(float left, float top, float width, float height);
  /// Selects; with `move_view` the view follows. Nothing to select means deselect.
  void choose(EventRef event, bool move_view);
  /// Fits the selection, or without one the marked range; when that is what the view shows already, or there
  /// is neither, fits all.
  void fit_selection();
  /// Esc: what the drawer shows is cleared first, of the selected slice and the marked range.
  void clear_selection();
  void toggle_drawer();

 private:
  void reveal_vertically();
  void follow_horizontally();

  float layout_scale_ = 0;
  float layout_window_ = 0;  // height of the tracks when pinned ones were placed
  bool shown_once_ = false;
};

}  // namespace kino
