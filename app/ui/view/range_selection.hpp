// The marked time range: can be dragged, moved by its edges, and snapped to slices.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/trace/timeline/stream_packing.hpp"
#include "render/time_view.hpp"

namespace kino {

/// State of the marked range and of a drag. Does not use ImGui. UI thread only.
class RangeSelection {
 public:
  enum class Edge : std::uint8_t { begin, end };

  /// The marked range, including one that is being dragged; nullopt if there is none. Its length is above 0.
  const std::optional<TimeRange>& range() const { return marked_.range; }
  /// Tracks of the range, ascending, with the indices of ShownRows. nullopt: all tracks, or there is no
  /// range.
  const std::optional<std::vector<std::uint32_t>>& tracks() const { return marked_.tracks; }
  /// Counts changes of the range and its tracks, except during a drag. Tables are recomputed when the number
  /// changes.
  std::uint64_t generation() const { return generation_; }
  bool dragging() const { return dragging_; }

  /// Starts to drag a new range from `time_ns`. The old range remains until the drag has a length.
  void begin(std::int64_t time_ns);
  /// Sets the tracks of the range, also while it is being dragged. Does nothing without a range.
  void cover(std::optional<std::vector<std::uint32_t>> tracks);
  /// Starts to drag one edge of the range; does nothing without a range.
  void grab(Edge edge);
  /// Sets the moving end of the drag; it may pass the fixed end.
  void drag_to(std::int64_t time_ns);
  /// Ends the drag. A drag without a length clears the range, as a click outside does.
  void finish();
  /// Ends the drag and restores the previous range.
  void cancel();
  /// Marks a range on these tracks; nullopt: on all tracks. Ignores a range without a length.
  void set(TimeRange range, std::optional<std::vector<std::uint32_t>> tracks = std::nullopt);
  void clear();

 private:
  struct Marked {
    std::optional<TimeRange> range;
    std::optional<std::vector<std::uint32_t>> tracks;
    bool operator==(const Marked&) const = default;
  };
  Marked marked_;
  Marked before_;               // marked_ when the drag began
  std::int64_t anchor_ns_ = 0;  // fixed end of the drag
  std::int64_t moved_ns_ = 0;
  std::uint64_t generation_ = 0;
  bool dragging_ = false;
};

/// Returns the start or end of a slice in `rows` that is nearest to `px` and at most `tolerance_px` away. If
/// several are equally near, returns that of the first row. nullopt if there is none. O(rows * log slices).
std::optional<std::int64_t> nearest_edge(const ShownRows& shown, std::span<const RowId> rows,
                                         const TimeView& view, double px, double tolerance_px);

}  // namespace kino
