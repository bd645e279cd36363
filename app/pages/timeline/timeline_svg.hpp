// Exports a timeline as SVG: ruler, steps, headers, slices with their names, counters.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/ui/view/slice_style.hpp"
#include "app/ui/view/timeline_state.hpp"
#include "app/ui/widgets/ruler.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/trace/steps.hpp"
#include "render/lane_draw.hpp"
#include "render/time_view.hpp"

namespace kino {

/// All data that is drawn, so that another thread can write the file. Texts are in the current language.
struct TimelineDrawing {
  struct Line {
    enum class Kind : std::uint8_t { group, idle, track };
    Kind kind = Kind::track;
    double top_px = 0;
    double height_px = 0;
    bool pinned = false;
    bool striped = false;
    std::string title;
    std::string note;  ///< dimmed text after the title or below it
  };

  std::shared_ptr<const Trace> trace;
  std::shared_ptr<const PackedStreams> packed;
  std::shared_ptr<const DerivedCounters> counters;
  std::shared_ptr<const std::vector<std::uint32_t>> keys;  ///< see SliceStyle::keys()
  std::vector<std::uint32_t> palette;
  bool full_names = false;
  Theme theme;
  TimeView view;  ///< view in px of the drawing
  RulerScale ticks;
  std::string title;   ///< text at the top
  std::string corner;  ///< text left of the ruler
  double header_px = 0;
  double height_px = 0;  ///< height of the tracks
  double pinned_px = 0;
  double font_px = 13;
  std::vector<Line> lines;
  std::vector<LaneDraw> lanes;  ///< y from the top of the tracks
  /// An annotation above a stream.
  struct Bracket {
    SliceId slice = kNoSlice;
    double top_px = 0;  ///< from the top of the tracks
    double height_px = 0;
    bool pinned = false;
  };
  std::vector<Bracket> brackets;
  std::vector<Step> steps;
  std::optional<TimeRange> marked;
  SliceId selected = kNoSlice;
};

/// Returns the drawing of the state. `steps` may be null.
TimelineDrawing timeline_drawing(const TimelineState& state, const SliceStyle& look, const Steps* steps,
                                 const Theme& theme, std::string title, double font_px);

/// Returns the drawing as SVG. Slices narrower than half a px share a shape with their neighbors within a px.
/// This shape has the color of the longest slice, and its opacity depends on the density. Slices of at least
/// 3 px have a tooltip. O(slices in view).
std::string timeline_svg(const TimelineDrawing& drawing, const std::stop_token& stop);

}  // namespace kino
