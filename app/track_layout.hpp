// Where groups, tracks and lanes lie on the vertical axis, and what a window onto it shows.
#pragma once

#include <cstdint>
#include <vector>

#include "core/trace.hpp"
#include "render/timeline_renderer.hpp"

namespace kino {

/// Heights in px at the UI's scale.
struct LayoutMeasures {
  float group_px = 28;
  float lane_px = 18;  ///< pitch; the renderer leaves its last px empty
  float gap_px = 1;    ///< what the renderer leaves; also between instants and lane 0
  float instants_px = 8;
  float counter_px = 38;
  float padding_px = 4;  ///< above and below a track's content
  std::uint32_t lane_cap = 40;
  std::uint32_t lane_slack = 8;  ///< so many more than the cap are not worth hiding

  static LayoutMeasures scaled(float scale);
};

enum class TrackFold : std::uint8_t {
  folded,  ///< lane 0 only
  capped,  ///< up to LayoutMeasures::lane_cap lanes
  open,    ///< all lanes
};

/// What a person has folded. Indexed by process and by track.
struct FoldState {
  std::vector<std::uint8_t> group_open;
  std::vector<TrackFold> tracks;

  /// Everything is open and capped. Nothing with GPU work is hidden.
  static FoldState defaults(const Trace& trace);
};

/// One line of the layout: the header of a process, or a track with its lanes.
struct LayoutItem {
  enum class Kind : std::uint8_t { group, track };
  Kind kind = Kind::group;
  std::uint32_t index = 0;  ///< process or track
  double top_px = 0;
  float height_px = 0;
  float lanes_top_px = 0;         ///< tracks: offset of lane 0 (or the counter) from the top
  std::uint32_t lanes_shown = 0;  ///< tracks: slice lanes
  std::uint32_t lanes_hidden = 0;
  bool instants = false;  ///< tracks: a lane of instants stands above lane 0
  bool striped = false;   ///< tracks: every other one of a group
  double bottom_px() const { return top_px + height_px; }
};

/// What lies at a height.
struct LayoutHit {
  enum class Kind : std::uint8_t { nothing, group, track, instants, lane, counter };
  Kind kind = Kind::nothing;
  const LayoutItem* item = nullptr;
  std::uint32_t row = 0;  ///< lane: index into Trace::rows
};

/// Recomputed only when folds or measures change; all queries are O(log items + result).
class TrackLayout {
 public:
  /// `trace` must outlive the layout.
  void rebuild(const Trace& trace, const FoldState& folds, const LayoutMeasures& measures);

  const std::vector<LayoutItem>& items() const { return items_; }
  const LayoutMeasures& measures() const { return measures_; }
  double height_px() const { return height_px_; }

  LayoutHit hit(double y_px) const;
  /// The items that touch [top, bottom), as indices [first, last) into items().
  struct Visible {
    std::size_t first = 0;
    std::size_t last = 0;
  };
  Visible visible(double top_px, double bottom_px) const;
  /// Replaces `out` by the lanes that touch the window of `height_px` at `scroll_px`, with tops relative to
  /// it.
  void visible_lanes(double scroll_px, double height_px, std::vector<LaneDraw>& out) const;
  /// The item of a track, or null while its group is folded.
  const LayoutItem* item_of(TrackId track) const;
  /// Top of a lane, or a negative number while it is hidden.
  double lane_top_px(RowId row) const;

 private:
  const Trace* trace_ = nullptr;
  LayoutMeasures measures_;
  std::vector<LayoutItem> items_;
  std::vector<std::uint32_t> item_of_track_;
  double height_px_ = 0;
};

/// Processes in the order they are shown: as the trace has them, but the profiler's own bookkeeping last.
std::vector<std::uint32_t> display_order(const Trace& trace);

/// Unfolds whatever hides `row`; true when something changed.
bool reveal(FoldState& folds, const Trace& trace, RowId row, const LayoutMeasures& measures);

}  // namespace kino
