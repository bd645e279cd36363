// State of the timeline: camera, folds, scroll position, selection, and the layout of its parts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "app/ui/view/drawer_choice.hpp"
#include "app/ui/view/event_pick.hpp"
#include "app/ui/view/navigation.hpp"
#include "app/ui/view/range_selection.hpp"
#include "app/ui/view/saved_ranges.hpp"
#include "app/ui/view/track_layout.hpp"
#include "app/ui/widgets/box.hpp"
#include "core/trace/trace.hpp"

namespace kino {

struct TimelineBoxes {
  Box all;
  Box verdict;          ///< zero height if the page has none
  Box overview_corner;  ///< left of the overview strip
  Box overview;
  Box corner;  ///< left of the ruler
  Box ruler;
  Box steps_corner;  ///< left of the row of steps
  Box steps;         ///< zero height if the trace has no steps
  Box search;        ///< zero height unless a search is open
  Box track_bar;     ///< zero height unless tracks are being chosen
  Box headers;
  Box tracks;  ///< ends with a whole row, up to a row's height above the bottom of the scrollbar
  Box scrollbar;
  Box legend;  ///< zero height if there is nothing to explain
  Box drawer;
  Box inspector;  ///< right of the tracks and of the drawer; zero width unless it is shown

  /// Returns the area of a picture of the timeline: from the overview to the last track, without the verdict
  /// and the inspector, which are drawn later and are wider.
  Box picture() const { return {all.left, verdict.bottom, tracks.right, tracks.bottom}; }
};

struct TimelineState;

/// The scrollbar of the pinned tracks or of the tracks below.
struct TrackScrollbar {
  Box box;
  float thumb_top = 0;
  float thumb_px = 0;
  double overflow_px = 0;  ///< content height outside of the window
  double way_px() const { return std::max(1.0F, box.height() - thumb_px); }
};
/// Returns nullopt if everything fits.
std::optional<TrackScrollbar> scrollbar_of(const TimelineState& state, bool pinned);

/// State of the timeline that input changes and drawing reads. Does not use ImGui or OpenGL. UI thread only.
struct TimelineState {
  explicit TimelineState(std::shared_ptr<const Trace> shown);

  std::shared_ptr<const Trace> trace;
  std::shared_ptr<const PackedStreams> packed;           ///< null until requested and ready
  std::shared_ptr<const DerivedCounters> counters;       ///< null until requested and ready
  std::shared_ptr<const StreamAnnotations> annotations;  ///< without brackets until these are ready
  Arrangement arrangement;
  TrackLayout layout;
  Navigation navigation;
  SmoothScroll scroll;         ///< of the tracks below the pinned ones
  SmoothScroll pinned_scroll;  ///< of the pinned tracks, which take at most half of the height
  TimelineBoxes boxes;
  float scale = 1;              ///< ImGui units per unit at 96 dpi
  float framebuffer_scale = 1;  ///< framebuffer px per ImGui unit
  float header_width = 240;     ///< at scale 1
  float verdict_px = 0;         ///< height of the verdict, in ImGui units
  DrawerChoice drawer{.page = drawer_page::kSelection};
  std::shared_ptr<const std::vector<std::uint8_t>> matched_rows;  ///< rows with hits (RowChoice); null: all

  EventRef selection;
  RangeSelection marked;
  /// Examples of one finding, the worst first. Place `at` was shown last, or is the first one to show.
  struct Examples {
    struct Place {
      TimeRange range;
      SliceId slice = kNoSlice;  ///< see FindingExample::slice
    };
    std::vector<Place> places;
    std::size_t at = 0;
    bool shown = true;  ///< whether place `at` was shown
  };
  Examples examples;
  SavedRanges kept;
  EventPick hovered;
  const LayoutItem* hovered_header = nullptr;  ///< header under the mouse, in this frame's layout
  std::optional<TimeView> focused;             ///< view set by the key F; F in this view fits all
  std::optional<std::uint32_t> renamed_track;  ///< track whose name is being typed

  // Grouped to avoid padding between larger members.
  bool layout_stale = true;
  bool steps_shown = false;  ///< whether the trace has steps to show in a row
  bool search_open = false;
  bool track_bar_open = false;
  bool idle_band = true;      ///< whether bands mark times when the GPU is idle
  bool only_matches = false;  ///< whether rows without hits are hidden and other slices fade
  bool legend_shown = false;
  bool mouse_on_block = false;     ///< whether the mouse is on a folded pass, which covers slices
  bool block_clicked = false;      ///< whether that pass was clicked in this frame
  bool drag_selects = true;        ///< whether dragging over the tracks marks a range, instead of panning
  bool inspector_wanted = true;    ///< whether the user has not closed the inspector
  bool inspector_shown = false;    ///< whether it is wanted and fits; also true while the drawer covers it
  bool slice_menu_wanted = false;  ///< whether an event was right-clicked in this frame
  bool reveal_selection = false;   ///< whether to scroll to the selection after the layout
  bool follow_selection = false;   ///< whether to pan to the selection after the layout

  /// Converts units at scale 1 to whole ImGui units.
  float px(float units) const;
  /// Screen position of a time, in ImGui units. It is at most 1e6 units away from the tracks' left edge, so
  /// that float is precise enough.
  float screen_x(std::int64_t time_ns) const;
  /// The scroll positions rounded to framebuffer px, so that nothing is blurred.
  TrackScroll shown_scroll() const;
  /// Scroll position that the wheel changes at `mouse_y`. If the mouse is over the pinned tracks and they
  /// overflow, this is their position, else that of the other tracks.
  SmoothScroll& scroll_at(float mouse_y);
  /// All rows: those of the trace, of packed streams and of derived counters, and the annotations above.
  ShownRows rows() const { return {*trace, packed.get(), counters.get(), annotations.get()}; }
  /// Sets the brackets above streams.
  void take_annotations(std::shared_ptr<const StreamAnnotations> found);
  /// Position of a lane, ignoring clipping. y is measured from the top of the tracks' box.
  struct LanePosition {
    double y_px = 0;
    float height_px = 0;
    bool pinned = false;
  };
  /// Returns the lane that shows a slice; nullopt while the slice is hidden.
  std::optional<LanePosition> lane_of(SliceId slice) const;
  /// Vertical range of the pinned tracks or of the other tracks, measured from the top of the tracks' box.
  struct Part {
    double top_px = 0;
    double bottom_px = 0;
  };
  Part part(bool pinned) const;
  /// Rebuilds the layout of the tracks; place() does so if needed.
  void rebuild_layout();
  /// Lays everything out in the given area and scrolls to a new selection. Called once at the start of a
  /// frame.
  void place(float left, float top, float width, float height);
  /// Selects an event, or clears the selection if `event` is empty. If `move_view` is set, the view follows.
  void choose(EventRef event, bool move_view);
  /// Shows only these rows, the row of the selection and pinned tracks; null: all rows.
  void show_rows(std::shared_ptr<const std::vector<std::uint8_t>> rows);
  /// Marks a range. Moves the view only if the range is partly hidden or too small to see. Unless `beside` is
  /// kNoSlice, also selects that slice and scrolls to its row.
  void select_range(TimeRange range, SliceId beside);
  /// Stores the places and shows the first one; step_example() shows the others.
  void show_examples(std::vector<Examples::Place> places);
  /// Shows the next (1) or previous (-1) example, clamped at the ends. Returns false if there are none, or if
  /// something else is selected.
  bool step_example(int step);
  /// Fits the selection or, if there is none, the marked range. If the view shows exactly that already, or if
  /// there is neither, fits the whole trace.
  void fit_selection();
  /// Handles Esc: shows the tracks again if the drawer covers them. Otherwise, cancels a drag of the marked
  /// range, or clears the range or the selection. If both exist, clears the range if the drawer's page is
  /// that of the range, else the selection.
  void clear_selection();
  /// Hides the drawer and the inspector, or shows both. If the drawer covers the whole panel, hides only the
  /// drawer.
  void toggle_drawer();
  /// Chooses the drawer's page of the selection, unless the inspector shows the selection.
  void turn_to_selection();

 private:
  void end_with_whole_rows();
  void hide_tracks();
  void show_example();
  void limit_scrolls();
  bool reveal_slice(SliceId slice);
  void reveal_vertically();
  void follow_horizontally();

  float layout_scale_ = 0;
  float layout_window_ = 0;  // height of the window of the tracks in the last layout
  bool shown_once_ = false;
};

}  // namespace kino
