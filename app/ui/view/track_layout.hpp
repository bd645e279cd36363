// Vertical layout of groups, tracks and lanes, and the part of the layout that is visible in a window.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "app/ui/view/lane_classes.hpp"
#include "app/ui/view/track_arrangement.hpp"
#include "core/trace/timeline/stream_annotations.hpp"
#include "core/trace/timeline/stream_packing.hpp"
#include "core/trace/trace.hpp"
#include "render/timeline_renderer.hpp"

namespace kino {

/// Heights in px at the UI's scale.
struct LayoutMeasures {
  float group_px = 28;
  float idle_px = 22;         ///< the line of a group's idle tracks
  float lane_px = 18;         ///< distance between lanes; the last px of each is empty
  float compact_lane_px = 8;  ///< without names
  float expanded_lane_px = 30;
  float annotation_lane_px = 12;
  float python_lane_px = 13;
  // Limits of lanes that share the free height, if everything fits.
  float least_lane_px = 16;
  float most_lane_px = 29;
  float most_stream_px = 22;   ///< GPU streams without many kernels
  float least_kernel_px = 34;  ///< also if not everything fits, unless kernels would take much of the height
  float most_kernel_px = 66;
  float gap_px = 1;  ///< empty px of a lane; also between instants and lane 0
  float instants_px = 8;
  float counter_px = 38;
  float compact_counter_px = 18;
  float expanded_counter_px = 110;
  float padding_px = 4;  ///< above and below a track's content
  std::uint32_t lane_cap = 40;
  std::uint32_t lane_slack = 8;  ///< number of lanes above lane_cap up to which a track shows all
  float room_px = 0;             ///< height of the window that the tracks share; 0: lanes do not grow

  /// `room_px` is in px of the UI. In high windows, kernels may be higher.
  static LayoutMeasures scaled(float scale, float room_px = 0);
  float lane(TrackHeight height) const;
  float counter(TrackHeight height) const;
};

/// One line of the layout: the header of a process, a track with its lanes, or a group's idle tracks.
struct LayoutItem {
  enum class Kind : std::uint8_t { group, track, idle };
  static constexpr std::uint32_t kAllLanes = 0xffffffffU;
  Kind kind = Kind::group;
  std::uint32_t index = 0;  ///< id of the track; for groups and idle tracks, of the process
  double top_px = 0;        ///< position in the scrolled content or, if pinned, in the part at the top
  float height_px = 0;
  float lanes_top_px = 0;                  ///< tracks: offset of lane 0 (or the counter) from the top
  float lane_px = 0;                       ///< tracks: height of lane 0, or of the counter
  std::uint32_t first_top = kAllLanes;     ///< tracks with lanes of different heights: start of their list
  std::uint32_t lanes_shown = 0;           ///< tracks: number of lines of slices
  std::uint32_t lanes_hidden = 0;          ///< tracks: number of hidden lanes, the innermost ones
  std::uint32_t count = 0;                 ///< groups: number of tracks; idle: number of idle tracks
  std::uint32_t hidden = 0;                ///< groups: number of tracks hidden or filtered out
  std::uint32_t brackets = 0;              ///< streams: number of lanes of annotations above lane 0
  std::uint32_t first_chosen = kAllLanes;  ///< tracks with chosen lanes: start of their list (lane_of_line())
  bool merged = false;                     ///< tracks: all lanes in one line
  bool instants = false;                   ///< tracks: a lane of instants is above lane 0
  bool striped = false;                    ///< tracks: every second track of a group
  bool pinned = false;
  double bottom_px() const { return top_px + height_px; }
};

/// Restricts the rows that folds and filters show to marked rows and one more row.
struct RowChoice {
  const std::vector<std::uint8_t>* marked = nullptr;  ///< by row of ShownRows; null: all rows
  SliceId with = kNoSlice;                            ///< also show the row of this slice
};

struct LayoutHit {
  enum class Kind : std::uint8_t { nothing, group, idle, track, instants, bracket, lane, counter };
  Kind kind = Kind::nothing;
  const LayoutItem* item = nullptr;
  std::uint32_t row = 0;  ///< lane: RowId; for merged lanes the outermost. bracket: index of its lane
};

/// The item of a lane, the top of the lane in the item's coordinates, and its height.
struct LanePlace {
  const LayoutItem* item = nullptr;
  double top_px = 0;
  float height_px = 0;
};

/// Scroll positions of the two parts of the tracks: pinned tracks at the top, and all others below.
struct TrackScroll {
  // Implicit: a plain number scrolls the tracks that are not pinned.
  TrackScroll(double its_content_px = 0,  // NOLINT(google-explicit-constructor)
              double its_pinned_px = 0)
      : content_px(its_content_px), pinned_px(its_pinned_px) {}

  double content_px;
  double pinned_px;
  bool operator==(const TrackScroll&) const = default;
};

/// Layout of all tracks, which its owner rebuilds after a change. Queries are O(log items + result). y is
/// measured from the top of the window; the pinned part scrolls separately.
class TrackLayout {
 public:
  /// Trace, packed streams, derived counters and annotations must outlive the layout. The pinned part is at
  /// most `most_pinned_px` high. Tracks without a row in `choice` are omitted unless they are pinned.
  void rebuild(const ShownRows& rows, const Arrangement& arrangement, const LayoutMeasures& measures,
               double most_pinned_px = 1e9, const RowChoice& choice = {});

  std::uint64_t generation() const { return generation_; }
  /// Pinned tracks first, then the scrolled ones.
  const std::vector<LayoutItem>& items() const { return items_; }
  const LayoutMeasures& measures() const { return measures_; }
  /// Whether a track is a member of its group, even if hidden or folded away. False for streams that packed
  /// streams replace, for packed streams that are not in use, and for derived counters that are not shown.
  bool stands(std::uint32_t track) const;
  /// Height of the pinned part plus the content of the scrolled part.
  double height_px() const { return height_px_; }
  /// Visible height of the pinned part; pinned_content_px() is the height of its content.
  double pinned_px() const { return pinned_px_; }
  double pinned_content_px() const { return pinned_content_px_; }
  std::uint32_t shown_tracks() const { return shown_tracks_; }

  /// Window y of a position in the coordinates of `item`.
  double y_of(const LayoutItem& item, double top_px, TrackScroll scroll) const {
    return top_px - (item.pinned ? scroll.pinned_px : scroll.content_px);
  }
  double y_of(const LayoutItem& item, TrackScroll scroll) const { return y_of(item, item.top_px, scroll); }

  LayoutHit hit(double y_px, TrackScroll scroll) const;
  /// Calls visit(item, y) for every item in the window, the scrolled ones first.
  template <class Visit>
  void visit_visible(TrackScroll scroll, double height_px, const Visit& visit) const {
    for (const bool pinned : {false, true}) {
      const auto [first, last] = visible(pinned, scroll, height_px);
      for (std::size_t i = first; i < last; ++i) visit(items_[i], y_of(items_[i], scroll));
    }
  }
  /// Replaces `out` with the lanes in the window. Tops of lanes are relative to the window.
  void visible_lanes(TrackScroll scroll, double height_px, std::vector<LaneDraw>& out) const;
  /// Returns the height up to `height_px` of a window that shows no part of a line at its bottom: it ends with
  /// the last whole lane, bracket, counter or header. Returns `height_px` if the last line is higher than a
  /// quarter of the window, or belongs to the pinned tracks. O(log items).
  double whole_lines_px(TrackScroll scroll, double height_px) const;
  /// The item of a track; null while the track is hidden or its group is folded.
  const LayoutItem* item_of(std::uint32_t track) const;
  const LayoutItem* group_item(std::uint32_t process) const;
  /// Position of the lane of a row; `item` is null while the lane is hidden.
  LanePlace place_of(RowId row) const;
  /// Position of a slice: of its lane, or of its bracket above a stream. `item` is null while it is hidden.
  LanePlace place_of(SliceId slice) const;
  /// Whether the annotations of this track are above their stream, so that the track has no item. False if
  /// the user shows annotations as rows, pins or hides the track, or if the stream is not shown.
  bool above_stream(std::uint32_t track) const {
    return track < above_stream_.size() && above_stream_[track] != 0;
  }
  /// Top of a lane of brackets, from the top of the item.
  float bracket_top(const LayoutItem& item, std::uint32_t lane) const {
    return item.lanes_top_px - measures_.gap_px -
           static_cast<float>(item.brackets - lane) * measures_.annotation_lane_px;
  }
  /// The row that shows a slice: a row of its stream, or of the packed stream that replaces the stream.
  RowId row_of(SliceId slice) const;

 private:
  struct Range {
    std::size_t first = 0;
    std::size_t last = 0;
  };
  Range visible(bool pinned, TrackScroll scroll, double height_px) const;
  /// Heights of lanes by LaneClass.
  using LaneHeights = std::array<float, kLaneClassCount>;
  LaneHeights natural_heights() const;
  /// Returns the heights at which a lane of operators is `part_px` high and one of kernels three times that,
  /// within the limits of their classes.
  LaneHeights shared_heights(float part_px) const;
  /// Builds all items with these heights.
  void arrange(const LaneHeights& heights, double most_pinned_px);
  /// Builds all items with the largest heights at which everything fits, or else with natural heights.
  void share_room(double most_pinned_px);
  LaneClass class_of_line(const LayoutItem& item, std::uint32_t line) const;
  /// Sets the heights of the item's lanes, and of the item.
  void place_lanes(LayoutItem& item);
  /// Offset of a line, or of the end of the last line, from lane 0.
  float line_top(const LayoutItem& item, std::uint32_t line) const {
    return item.first_top == LayoutItem::kAllLanes ? static_cast<float>(line) * item.lane_px
                                                   : lane_tops_[item.first_top + line];
  }
  float line_height(const LayoutItem& item, std::uint32_t line) const {
    return item.first_top == LayoutItem::kAllLanes ? item.lane_px
                                                   : line_top(item, line + 1) - line_top(item, line);
  }
  /// Returns the line at an offset from lane 0, at most lanes_shown. O(log lanes).
  std::uint32_t line_at(const LayoutItem& item, double offset_px) const;
  /// Index of the track's lane that is shown in a line of its item.
  std::uint32_t lane_of_line(const LayoutItem& item, std::uint32_t line) const {
    return item.first_chosen == LayoutItem::kAllLanes ? line : chosen_lanes_[item.first_chosen + line];
  }
  bool chosen(RowId row) const {
    if (choice_.marked == nullptr || row == chosen_row_) return true;
    return index_of(row) < choice_.marked->size() && (*choice_.marked)[index_of(row)] != 0;
  }
  /// Whether any row of a track is chosen.
  bool chosen(const Track& track) const;
  /// Builds the item of a track in the current arrangement; nullopt if none of its rows is chosen.
  std::optional<LayoutItem> make_item(std::uint32_t track, bool pinned = false);
  void add(LayoutItem item);
  void add_group(std::uint32_t process, std::span<const std::uint32_t> members);
  /// Sets above_stream_.
  void find_brackets();
  ShownRows rows() const { return {*trace_, packed_, counters_, annotations_}; }
  void group_members(const ShownRows& rows, const Arrangement& arrangement);
  void add_lanes(const LayoutItem& item, double y, double height_px, std::vector<LaneDraw>& out) const;

  const Trace* trace_ = nullptr;
  const PackedStreams* packed_ = nullptr;
  const DerivedCounters* counters_ = nullptr;
  const StreamAnnotations* annotations_ = nullptr;
  std::vector<std::uint8_t> above_stream_;  // by track; empty if no annotations are above streams
  bool counters_stand_ = false;             // whether derived counters are members of their groups
  const Arrangement* arranged_ = nullptr;   // only during rebuild()
  RowChoice choice_;                        // only during rebuild()
  std::optional<RowId> chosen_row_;         // row of the slice `choice_.with` at the last rebuild()
  std::vector<std::uint32_t> chosen_lanes_;
  std::vector<float> lane_tops_;         // see LayoutItem::first_top
  std::vector<LaneClass> lane_classes_;  // of the trace's rows
  LaneHeights heights_{};
  std::array<std::uint32_t, kLaneClassCount> lane_counts_{};  // shown lanes that share the height
  LayoutMeasures measures_;
  std::vector<LayoutItem> items_;
  std::vector<std::uint32_t> item_of_track_;
  std::vector<std::uint32_t> item_of_group_;
  std::vector<std::uint8_t> process_packed_;
  // The tracks of each process in order; recomputed only if they can have changed.
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> members_;
  std::vector<std::uint32_t> first_member_;
  std::size_t pinned_count_ = 0;
  double pinned_px_ = 0;
  double pinned_content_px_ = 0;
  double height_px_ = 0;
  std::uint32_t shown_tracks_ = 0;
  std::uint64_t generation_ = 0;
};

/// Unfolds and unhides everything that hides `row`; returns true if something changed.
bool reveal(Arrangement& arrangement, const ShownRows& rows, RowId row, const LayoutMeasures& measures);

}  // namespace kino
