// The time range a person has marked: how it is dragged, moved by its edges, and snapped to slices.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/trace/timeline/stream_packing.hpp"
#include "render/time_view.hpp"

namespace kino {

/// Without ImGui. UI thread only.
class RangeSelection {
 public:
  enum class Edge : std::uint8_t { begin, end };

  /// The marked range, also while it is being dragged; never empty.
  const std::optional<TimeRange>& range() const { return range_; }
  /// Which tracks the range is about, ascending, as ShownRows counts them; nothing: all of them, also without
  /// a range.
  const std::optional<std::vector<std::uint32_t>>& tracks() const { return tracks_; }
  /// Counts every change of the finished range or its tracks, so that tables know when to compute again.
  std::uint64_t generation() const { return generation_; }
  bool dragging() const { return dragging_; }

  /// Begins a new range at a point in time. What was marked stays until the drag has a length.
  void begin(std::int64_t time_ns);
  /// The tracks of the range that is being dragged, or of the finished one. Without a range: nothing.
  void cover(std::optional<std::vector<std::uint32_t>> tracks);
  /// Begins to move one edge of the range; nothing without one.
  void grab(Edge edge);
  /// The moved end of the drag; it may pass the other one.
  void drag_to(std::int64_t time_ns);
  /// Ends the drag. Without a length it clears the range (a click beside it).
  void finish();
  /// Ends the drag and restores what was marked before it.
  void cancel();
  /// Of all tracks unless told.
  void set(TimeRange range, std::optional<std::vector<std::uint32_t>> tracks = std::nullopt);
  void clear();

 private:
  std::optional<TimeRange> range_;
  std::optional<std::vector<std::uint32_t>> tracks_;
  std::optional<TimeRange> before_;  // what was marked when the drag began
  std::optional<std::vector<std::uint32_t>> tracks_before_;
  std::int64_t anchor_ns_ = 0;  // the end of the drag that rests
  std::int64_t moved_ns_ = 0;
  std::uint64_t generation_ = 0;
  bool dragging_ = false;
};

/// The start or end of a slice of `rows` that lies nearest to `px` and at most `tolerance_px` away; of
/// equally near ones the first row's. nullopt when there is none. O(rows * log slices).
std::optional<std::int64_t> nearest_edge(const ShownRows& shown, std::span<const RowId> rows,
                                         const TimeView& view, double px, double tolerance_px);

}  // namespace kino
