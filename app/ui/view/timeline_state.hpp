// What the timeline shows and where: camera, folds, scroll position, selection, and the places of its parts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "app/ui/view/drawer_choice.hpp"
#include "app/ui/view/event_pick.hpp"
#include "app/ui/view/kept_parts.hpp"
#include "app/ui/view/navigation.hpp"
#include "app/ui/view/range_selection.hpp"
#include "app/ui/view/track_layout.hpp"
#include "app/ui/widgets/box.hpp"
#include "core/trace/trace.hpp"

namespace kino {

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

struct TimelineState;

/// A scrollbar of the pinned tracks, or of the others.
struct TrackScrollbar {
  Box box;
  float thumb_top = 0;
  float thumb_px = 0;
  double beyond_px = 0;  ///< of what it scrolls over; what does not fit
  double way_px() const { return std::max(1.0F, box.height() - thumb_px); }
};
/// Nothing where all fits.
std::optional<TrackScrollbar> scrollbar_of(const TimelineState& state, bool pinned);

/// Without ImGui and OpenGL: input changes it, drawing reads it. UI thread only.
struct TimelineState {
  explicit TimelineState(std::shared_ptr<const Trace> shown);

  std::shared_ptr<const Trace> trace;
  std::shared_ptr<const PackedStreams> packed;      ///< null until they are wanted and there
  std::shared_ptr<const DerivedCounters> counters;  ///< null until they are wanted and there
  Arrangement arrangement;
  TrackLayout layout;
  Navigation navigation;
  SmoothScroll scroll;         ///< of the tracks below the pinned ones
  SmoothScroll pinned_scroll;  ///< of the pinned ones, which take at most half of the height
  TimelineBoxes boxes;
  float scale = 1;              ///< ImGui units per unit at 96 dpi
  float framebuffer_scale = 1;  ///< framebuffer px per ImGui unit
  float header_width = 240;     ///< at scale 1
  float drawer_height = 270;    ///< at scale 1
  DrawerChoice drawer{.page = drawer_page::kSelection};
  std::shared_ptr<const std::vector<std::uint8_t>> matched_rows;  ///< the rows with hits (RowChoice); or all

  EventRef selection;
  RangeSelection marked;
  /// Places that show one thing, the worst first, and the one that was shown last.
  struct Examples {
    struct Place {
      TimeRange range;
      SliceId slice = kNoSlice;  ///< what fills the range; may be none
    };
    std::vector<Place> places;
    std::size_t at = 0;
  };
  Examples examples;
  KeptParts kept;
  EventPick hovered;
  const LayoutItem* hovered_header = nullptr;  ///< of this frame's layout
  std::optional<TimeView> focused;             ///< where F took the view; F there again fits all
  std::optional<std::uint32_t> renamed_track;  ///< whose name is to be typed

  // Together, for they would leave holes between what is larger.
  bool layout_stale = true;
  bool steps_shown = false;  ///< whether the trace has steps to show in a row
  bool search_open = false;
  bool track_bar_open = false;
  bool idle_band = false;     ///< bands where the GPU is idle
  bool only_matches = false;  ///< what a search does not find is hardly to be seen, its rows not at all
  bool legend_shown = false;
  bool slice_menu_wanted = false;  ///< an event was clicked with the right button in this frame
  bool reveal_selection = false;   ///< scroll to it once everything has its place
  bool follow_selection = false;   ///< pan to it once everything has its place

  /// `units` at scale 1 as whole ImGui units.
  float px(float units) const;
  /// Where a time is on screen, in ImGui units; far outside of it at most 1e6 away, which float still holds.
  float screen_x(std::int64_t time_ns) const;
  /// The scroll positions on whole framebuffer px, so that nothing blurs.
  TrackScroll shown_scroll() const;
  /// What scrolls at a place of the tracks or their headers: the pinned ones where they have more than fits.
  SmoothScroll& scroll_at(float mouse_y);
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
  /// Between which heights below the tracks' top a part of them may be drawn.
  struct Part {
    double top_px = 0;
    double bottom_px = 0;
  };
  Part part(bool pinned) const;
  /// Lays the tracks out anew; place() does so when it is needed.
  void rebuild_layout();
  /// Lays everything out in the given area and makes way for what was selected. Once at the begin of a frame.
  void place(float left, float top, float width, float height);
  /// Selects; with `move_view` the view follows. Nothing to select means deselect.
  void choose(EventRef event, bool move_view);
  /// From now on only these rows and the selection's are shown; null: all.
  void show_rows(std::shared_ptr<const std::vector<std::uint8_t>> rows);
  /// Marks a range, and moves the view only when the range is not wholly in sight or hardly to be seen.
  /// Selects `beside`, whose row comes into sight.
  void choose_range(TimeRange range, SliceId beside);
  /// Shows the first of them; step_example() goes on from there.
  void show_examples(std::vector<Examples::Place> places);
  /// Shows the next (1) or previous (-1) example while nothing but an example is selected; stays at the ends.
  /// False when there are none, or something else is selected.
  bool step_example(int step);
  /// Fits the selection, or without one the marked range; when that is what the view shows already, or there
  /// is neither, fits all.
  void fit_selection();
  /// Esc: what the drawer shows is cleared first, of the selected slice and the marked range.
  void clear_selection();
  void toggle_drawer();

 private:
  void show_example();
  void limit_scrolls();
  void reveal_vertically();
  void follow_horizontally();

  float layout_scale_ = 0;
  float layout_window_ = 0;  // height of the tracks when pinned ones were placed
  bool shown_once_ = false;
};

}  // namespace kino
