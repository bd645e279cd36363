#include "app/pages/memory_plot/plot_svg.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <tuple>
#include <vector>

#include "app/pages/memory_plot/label_places.hpp"
#include "app/pages/memory_plot/snapshot_axis.hpp"
#include "app/pages/memory_plot/step_ticks.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/text/svg_text.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

constexpr int kLeft = 84;  // margin left of the plot
constexpr int kTop = 56;
constexpr int kRight = 16;
constexpr int kBottom = 16;
constexpr double kSvgBytePx = 48;
constexpr double kSvgEventPx = 140;
constexpr double kSvgStepPx = 64;
constexpr double kSvgLetterPx = 6.5;  // estimated width of a letter; the viewer's fonts are not known

/// A rectangle of cells with the same color: rows [low, high), starting at column `begin`.
struct Run {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  std::uint32_t color = 0;
  std::size_t begin = 0;
};

std::vector<Run> runs_of(const MemoryRaster& raster, std::size_t column, const PlotSvgStyle& look) {
  std::vector<Run> runs;
  MemoryCell last;
  for (std::uint32_t row = 0; row < raster.rows; ++row) {
    const MemoryCell& cell = raster.at(column, row);
    if (cell == MemoryCell{}) continue;
    const bool same = !runs.empty() && runs.back().high == row && cell == last;
    const std::uint32_t color = same ? runs.back().color : look.band(cell);
    last = cell;
    if (!runs.empty() && runs.back().high == row && runs.back().color == color) {
      runs.back().high = row + 1;
    } else {
      runs.push_back({row, row + 1, color, column});
    }
  }
  return runs;
}

class Shapes {
 public:
  explicit Shapes(std::uint32_t rows) : rows_(rows) {}
  void add(const Run& run, std::size_t end) {
    std::string& path = paths_[run.color];
    path += "M" + std::to_string(run.begin) + " " + std::to_string(rows_ - run.high) + "h" +
            std::to_string(end - run.begin) + "v" + std::to_string(run.high - run.low) + "h-" +
            std::to_string(end - run.begin) + "z";
  }
  std::string text() const {
    std::string out;
    for (const auto& [color, path] : paths_)
      out += R"(<path stroke="none" fill=")" + svg_color(color) + R"(" d=")" + path + "\"/>\n";
    return out;
  }

 private:
  std::uint32_t rows_;
  std::map<std::uint32_t, std::string> paths_;
};

std::string bands(const MemoryRaster& raster, const PlotSvgStyle& look) {
  Shapes shapes(raster.rows);
  std::vector<Run> open;
  const auto key = [](const Run& run) { return std::tuple(run.low, run.high, run.color); };
  for (std::size_t column = 0; column <= raster.columns(); ++column) {
    std::vector<Run> now = column < raster.columns() ? runs_of(raster, column, look) : std::vector<Run>();
    std::size_t i = 0;  // index into `now`; `open` and `now` are both sorted by row
    for (const Run& run : open) {
      while (i < now.size() && now[i].low < run.low) ++i;
      if (i < now.size() && key(now[i]) == key(run)) {
        now[i].begin = run.begin;
      } else {
        shapes.add(run, column);
      }
    }
    open = std::move(now);
  }
  return shapes.text();
}

/// Returns a curve as a line through the highest value of each column that has a moment. `style` contains SVG
/// attributes.
std::string line_of(const std::vector<CurveExtent>& curve, const std::vector<EventIndex>& moments,
                    const PlotGeometry& geometry, const PlotSvgStyle& look, const std::string& style) {
  std::string path;
  for (std::size_t c = 0; c < curve.size() && c < moments.size(); ++c) {
    if (moments[c] == kNoMoment) continue;
    const double up = (static_cast<double>(curve[c].highest) - geometry.low_bytes) / geometry.bytes_per_row;
    char text[64];
    const double y = std::clamp(geometry.rows - up, 0.0, static_cast<double>(geometry.rows));
    std::snprintf(text, sizeof text, "%s%zu %.1fh1", path.empty() ? "M" : "L", c, y);
    path += text;
  }
  return path.empty() ? path
                      : "<path d=\"" + path + "\" stroke=\"" + svg_color(look.text) + R"(" fill="none" )" +
                            style + "/>\n";
}

std::string lines_over(const OverlayCurves& over, const PlotGeometry& geometry, const PlotSvgStyle& look) {
  std::string out = line_of(over.active, over.moments, geometry, look, R"(stroke-width="2")");
  if (over.knows_reserved())
    out += line_of(over.reserved, over.moments, geometry, look, R"(stroke-width="1" stroke-dasharray="5 5")");
  return out;
}

std::string byte_ruler(const PlotGeometry& geometry, const PlotSvgStyle& look) {
  const double height = geometry.rows;
  const double high = geometry.low_bytes + geometry.bytes_per_row * height;
  const ByteTicks ticks = byte_ticks(geometry.low_bytes, high, height / kSvgBytePx);
  std::string out;
  for (const std::uint64_t tick : ticks.at) {
    const double y = height - (static_cast<double>(tick) - geometry.low_bytes) / geometry.bytes_per_row;
    out += svg_line(0, y, geometry.columns, y, look.grid) +
           svg_text_line(-8, y + 4, "end", look.text, byte_tick_text(tick, ticks.step, high));
  }
  return out;
}

std::string event_ruler(const SnapshotAxis& axis, const PlotGeometry& geometry, const PlotSvgStyle& look) {
  const double width = geometry.units_per_column * geometry.columns;
  const auto step = static_cast<double>(decimal_step(width, geometry.columns / kSvgEventPx));
  std::string out;
  const double first = std::max(0.0, std::ceil(geometry.begin_units / step) * step);
  const auto count =
      static_cast<int>(std::max(0.0, std::ceil((geometry.begin_units + width - first) / step)));
  for (int i = 0; i < count; ++i) {
    const double tick = first + i * step;
    const double x = (tick - geometry.begin_units) / geometry.units_per_column;
    const auto whole = static_cast<std::int64_t>(tick);
    const std::string text =
        axis.kind() == SnapshotAxisKind::time
            ? text_from_duration(whole)
            : std::to_string(static_cast<std::uint64_t>(whole / SnapshotAxis::kUnitsPerEvent));
    out += svg_line(x, -6, x, 0, look.text) + svg_text_line(x + 4, -8, "start", look.text, text);
  }
  return out;
}

std::string step_ruler(const std::vector<StepTick>& ticks, const PlotGeometry& geometry,
                       const PlotSvgStyle& look) {
  std::string out;
  for (const StepTick& tick : ticks) {
    const double x = (tick.begin_units - geometry.begin_units) / geometry.units_per_column;
    const double left = std::max(0.0, x);
    const double end = (tick.end_units - geometry.begin_units) / geometry.units_per_column;
    const double room = std::min<double>(end, geometry.columns) - left - 4;
    if (x >= 0) out += svg_line(x, tick.border ? -20 : -6, x, 0, look.text);
    const auto fits = [&](const std::string& text) {
      return static_cast<double>(text.size()) * kSvgLetterPx <= room;
    };
    const std::string& text = fits(tick.text) ? tick.text : tick.brief;
    if (fits(text)) out += svg_text_line(left + 4, -8, "start", look.text, text);
  }
  return out;
}

std::string step_borders(const std::vector<StepTick>& ticks, const PlotGeometry& geometry,
                         const PlotSvgStyle& look) {
  std::string out;
  for (const StepTick& tick : ticks) {
    const double x = (tick.begin_units - geometry.begin_units) / geometry.units_per_column;
    if (tick.border && x >= 0) out += svg_line(x, 0, x, geometry.rows, look.grid);
  }
  return out;
}

/// Returns the names and maxima of the strips, drawn over the bands where they fit.
std::string strip_labels(const PlotGeometry& geometry, const PlotSvgStyle& look) {
  constexpr float kLinePx = 14;
  std::string out;
  LabelPlaces places(Box{0, 0, static_cast<float>(geometry.columns), static_cast<float>(geometry.rows)});
  for (std::size_t i = std::min(look.strips.size(), geometry.bands->strips.size()); i-- > 0;) {
    const BandStrip& strip = geometry.bands->strips[i];
    const double high = static_cast<double>(strip.begin) + static_cast<double>(strip.height);
    const double y = geometry.rows - (high - geometry.low_bytes) / geometry.bytes_per_row;
    const std::string words = look.strips[i] + " · " + text_from_bytes(strip.bytes);
    const auto top = static_cast<float>(std::max(0.0, y));
    const auto place = places.place(places_along(4, static_cast<float>(geometry.columns), top,
                                                 static_cast<float>(svg_width(words, 12)), kLinePx, 12));
    if (y >= -12 && place) out += svg_text_line(place->left, place->top + 12, "start", look.text, words);
  }
  return out;
}

}  // namespace

std::string plot_svg(const Snapshot& snapshot, const PlotRaster& plot, const PlotSvgStyle& look,
                     const OverlayCurves* over) {
  const PlotGeometry& geometry = plot.geometry;
  const SnapshotDevice& device = snapshot.devices[geometry.device];
  const SnapshotAxis axis(device, geometry.axis, geometry.steps);
  const std::string width = std::to_string(geometry.columns + kLeft + kRight);
  const std::string height = std::to_string(geometry.rows + kTop + kBottom);
  std::string out = R"(<svg xmlns="http://www.w3.org/2000/svg" width=")" + width + R"(" height=")" + height +
                    R"(" viewBox="0 0 )" + width + " " + height +
                    R"(" stroke="none" font-family="sans-serif" font-size="12">)" + "\n";
  out += R"(<rect width="100%" height="100%" fill=")" + svg_color(look.background) + "\"/>\n";
  out += svg_text_line(12, 22, "start", look.text, look.title);
  out += "<g transform=\"translate(" + std::to_string(kLeft) + " " + std::to_string(kTop) + ")\">\n";
  const bool stacked = geometry.bands == nullptr;
  if (stacked || geometry.bands->strips.empty()) out += byte_ruler(geometry, look);
  std::vector<StepTick> ticks;
  if (axis.kind() == SnapshotAxisKind::steps) {
    ticks = step_ticks(snapshot, axis, geometry.begin_units,
                       geometry.begin_units + geometry.units_per_column * geometry.columns,
                       geometry.units_per_column, kSvgStepPx);
    out += step_ruler(ticks, geometry, look);
  } else {
    out += event_ruler(axis, geometry, look);
  }
  if (!plot.raster.cells.empty()) out += bands(plot.raster, look);
  out += step_borders(ticks, geometry, look);
  out += stacked ? line_of(plot.reserved, plot.raster.moments, geometry, look, R"(stroke-width="1.5")")
                 : strip_labels(geometry, look);
  if (over != nullptr && over->axis) out += lines_over(*over, geometry, look);
  if (!stacked) return out + "</g>\n</svg>\n";
  const CurvePeak& peak = device.history.curve(MemoryCurve::requested).peak;
  const double x = (axis.begin_of(peak.event) - geometry.begin_units) / geometry.units_per_column;
  const double y =
      geometry.rows - (static_cast<double>(peak.bytes) - geometry.low_bytes) / geometry.bytes_per_row;
  if (x >= 0 && x < geometry.columns && y >= 0 && y < geometry.rows) {
    out += R"(<circle cx=")" + std::to_string(x) + R"(" cy=")" + std::to_string(y) + R"(" r="3" fill=")" +
           svg_color(look.text) + "\"/>\n";
    const bool left = x > geometry.columns * 0.8;
    out += svg_text_line(left ? x - 8 : x + 8, y > 14 ? y - 4 : y + 14, left ? "end" : "start", look.text,
                         text_from_bytes(peak.bytes));
  }
  return out + "</g>\n</svg>\n";
}

}  // namespace kino
