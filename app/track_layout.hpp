// Where groups, tracks and lanes lie on the vertical axis, and what a window onto it shows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "app/track_arrangement.hpp"
#include "core/stream_packing.hpp"
#include "core/trace.hpp"
#include "render/timeline_renderer.hpp"

namespace kino {

/// Heights in px at the UI's scale.
struct LayoutMeasures {
  float group_px = 28;
  float idle_px = 22;         ///< the line that stands for a group's idle tracks
  float lane_px = 18;         ///< pitch; the renderer leaves its last px empty
  float compact_lane_px = 8;  ///< without names
  float expanded_lane_px = 30;
  float gap_px = 1;  ///< what the renderer leaves; also between instants and lane 0
  float instants_px = 8;
  float counter_px = 38;
  float compact_counter_px = 18;
  float expanded_counter_px = 110;
  float padding_px = 4;  ///< above and below a track's content
  std::uint32_t lane_cap = 40;
  std::uint32_t lane_slack = 8;  ///< so many more than the cap are not worth hiding

  static LayoutMeasures scaled(float scale);
  float lane(TrackHeight height) const;
  float counter(TrackHeight height) const;
};

/// One line of the layout: the header of a process, a track with its lanes, or what stands for idle tracks.
struct LayoutItem {
  enum class Kind : std::uint8_t { group, track, idle };
  Kind kind = Kind::group;
  std::uint32_t index = 0;  ///< track, else process
  double top_px = 0;        ///< within the scrolled content; of pinned ones within the part at the top
  float height_px = 0;
  float lanes_top_px = 0;          ///< tracks: offset of lane 0 (or the counter) from the top
  float lane_px = 0;               ///< tracks: pitch of its lanes, or a counter's height
  std::uint32_t lanes_shown = 0;   ///< tracks: lines of slices
  std::uint32_t lanes_hidden = 0;  ///< the innermost; also of very many merged ones
  std::uint32_t count = 0;         ///< groups: tracks; idle: tracks folded away
  std::uint32_t hidden = 0;        ///< groups: tracks hidden or filtered away
  bool merged = false;             ///< tracks: all lanes in the one line
  bool instants = false;           ///< tracks: a lane of instants stands above lane 0
  bool striped = false;            ///< tracks: every other one of a group
  bool pinned = false;
  double bottom_px() const { return top_px + height_px; }
};

/// What lies at a height.
struct LayoutHit {
  enum class Kind : std::uint8_t { nothing, group, idle, track, instants, lane, counter };
  Kind kind = Kind::nothing;
  const LayoutItem* item = nullptr;
  std::uint32_t row = 0;  ///< lane: RowId; of merged lanes the outermost
};

/// Where a lane lies, within its item's coordinates.
struct LanePlace {
  const LayoutItem* item = nullptr;
  double top_px = 0;
};

/// Recomputed only when the arrangement or the measures change; all queries are O(log items + result). y is
/// measured from the top of the window onto the tracks, of which the pinned part does not scroll.
class TrackLayout {
 public:
  /// The trace, its packed streams and derived counters must outlive the layout. Pinned tracks beyond
  /// `most_pinned_px` scroll with the others, above them.
  void rebuild(const ShownRows& rows, const Arrangement& arrangement, const LayoutMeasures& measures,
               double most_pinned_px = 1e9);

  /// Pinned ones first, then what scrolls.
  const std::vector<LayoutItem>& items() const { return items_; }
  const LayoutMeasures& measures() const { return measures_; }
  /// Of everything, pinned tracks included.
  double height_px() const { return height_px_; }
  double pinned_px() const { return pinned_px_; }
  std::uint32_t shown_tracks() const { return shown_tracks_; }

  /// The y of a height within the coordinates of `item`.
  double y_of(const LayoutItem& item, double top_px, double scroll_px) const {
    return item.pinned ? top_px : top_px - scroll_px;
  }
  double y_of(const LayoutItem& item, double scroll_px) const { return y_of(item, item.top_px, scroll_px); }

  LayoutHit hit(double y_px, double scroll_px) const;
  /// Calls visit(item, y) for every item that touches the window, what scrolls first.
  template <class Visit>
  void visit_visible(double scroll_px, double height_px, const Visit& visit) const {
    const auto [first, last] = visible(pinned_px_ + scroll_px, scroll_px + height_px);
    for (std::size_t i = first; i < last; ++i) visit(items_[i], y_of(items_[i], scroll_px));
    for (std::size_t i = 0; i < pinned_count_; ++i) visit(items_[i], items_[i].top_px);
  }
  /// Replaces `out` by the lanes that touch the window, with tops relative to it.
  void visible_lanes(double scroll_px, double height_px, std::vector<LaneDraw>& out) const;
  /// The item of a track, or null while it is hidden or its group is folded.
  const LayoutItem* item_of(std::uint32_t track) const;
  const LayoutItem* group_item(std::uint32_t process) const;
  /// Where a lane lies; without an item while it is hidden.
  LanePlace place_of(RowId row) const;
  /// The row that shows a slice: of its stream, or of what stands in for it.
  RowId row_of(SliceId slice) const;

 private:
  struct Range {
    std::size_t first = 0;
    std::size_t last = 0;
  };
  Range visible(double top_px, double bottom_px) const;
  void add(LayoutItem item);
  void add_group(std::uint32_t process, std::span<const std::uint32_t> members);
  bool stands(std::uint32_t track) const;
  ShownRows rows() const { return {*trace_, packed_, counters_}; }
  void group_members(const ShownRows& rows, const Arrangement& arrangement);
  void add_lanes(const LayoutItem& item, double y, double height_px, std::vector<LaneDraw>& out) const;

  const Trace* trace_ = nullptr;
  const PackedStreams* packed_ = nullptr;
  const DerivedCounters* counters_ = nullptr;
  bool counters_stand_ = false;            // whether they are among the members of their groups
  const Arrangement* arranged_ = nullptr;  // only while rebuilding
  LayoutMeasures measures_;
  std::vector<LayoutItem> items_;
  std::vector<std::uint32_t> item_of_track_;
  std::vector<std::uint32_t> item_of_group_;
  std::vector<std::uint8_t> process_packed_;
  // The tracks of each process in their order: looked up anew only when that can have changed.
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> members_;
  std::vector<std::uint32_t> first_member_;
  std::size_t pinned_count_ = 0;
  double pinned_px_ = 0;
  double height_px_ = 0;
  std::uint32_t shown_tracks_ = 0;
};

/// Shows whatever hides `row`; true when something changed.
bool reveal(Arrangement& arrangement, const ShownRows& rows, RowId row, const LayoutMeasures& measures);

}  // namespace kino
