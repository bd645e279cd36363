#include "app/pages/timeline/timeline_svg.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include "app/pages/timeline/overlays/annotation_brackets.hpp"
#include "app/ui/tables/track_titles.hpp"
#include "app/ui/text/model_texts.hpp"
#include "app/ui/text/svg_text.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/view/event_pick.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

constexpr double kSvgTitlePx = 28;
constexpr double kRulerPx = 26;
constexpr double kStepsHeightPx = 20;
constexpr double kSvgTickPx = 115;
constexpr double kWholePx = 0.5;  // narrower slices are joined
constexpr double kLabelledPx = 24;
constexpr double kLabelledShare = 0.75;  // minimum height of a lane with labels, relative to the font
constexpr double kTooltipPx = 3;         // minimum width of a slice with a tooltip

template <class... Values>
std::string printed(const char* format, Values... values) {
  std::array<char, 512> text{};
  std::snprintf(text.data(), text.size(), format, values...);
  return text.data();
}

std::string rect(double x, double y, double width, double height, std::uint32_t color) {
  return printed("<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"/>\n", x, y, width,
                 height, svg_color(color).c_str());
}

class Writer {
 public:
  explicit Writer(const TimelineDrawing& drawing)
      : drawing_(drawing),
        theme_(drawing.theme),
        view_(drawing.view),
        font_px_(drawing.font_px),
        rows_(*drawing.trace, drawing.packed.get(), drawing.counters.get()),
        steps_px_(drawing.steps.empty() ? 0 : kStepsHeightPx) {}

  std::string run(const std::stop_token& stop) {
    const double width = drawing_.header_px + view_.width_px;
    const double height = top() + drawing_.height_px;
    out_ = printed(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
        "viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\" font-size=\"%.1f\">\n",
        width, height, width, height, font_px_);
    out_ += rect(0, 0, width, height, theme_.window);
    out_ += svg_text_line(10, 19, "start", theme_.text, svg_fitted(drawing_.title, width - 20, font_px_));
    ruler();
    out_ += printed("<g transform=\"translate(0 %.1f)\">\n", top());
    clipped_each(drawing_.lines, [&](const TimelineDrawing::Line& line) { header(line); });
    grid();
    out_ += printed("<g transform=\"translate(%.1f 0)\">\n", drawing_.header_px);
    clipped_each(drawing_.lanes, [&](const LaneDraw& shown) {
      if (!stop.stop_requested()) lane(shown);
    });
    clipped_each(drawing_.brackets, [&](const TimelineDrawing::Bracket& shown) { bracket(shown); });
    out_ += "</g>\n</g>\n";
    marked();
    return out_ + "</svg>\n";
  }

 private:
  /// Draws the scrolled parts, then the pinned parts. Each part is clipped to the vertical range of its kind.
  template <class Parts, class Draw>
  void clipped_each(const Parts& parts, const Draw& draw) {
    for (const bool pinned : {false, true}) {
      if (pinned && drawing_.pinned_px < 1) continue;
      from_ = pinned ? 0 : drawing_.pinned_px;
      to_ = pinned ? drawing_.pinned_px : drawing_.height_px;
      for (const auto& part : parts) {
        if (part.pinned == pinned) draw(part);
      }
    }
  }
  double top() const { return kSvgTitlePx + kRulerPx + steps_px_; }
  double x_of(std::int64_t time_ns) const { return view_.px_from_ns(static_cast<double>(time_ns)); }

  /// Visible part of a vertical range. Pinned and scrolled tracks do not overlap.
  struct Height {
    double top = 0;
    double height = 0;
  };
  Height seen(double top_px, double height_px) const {
    const double begin = std::max(from_, top_px);
    return {begin, std::min(to_, top_px + height_px) - begin};
  }
  bool sees_text(double baseline) const {
    return baseline - font_px_ * 0.8 >= from_ && baseline + font_px_ * 0.2 <= to_;
  }
  void add_rect(double x, double y, double width, double height, std::uint32_t color) {
    const Height shown = seen(y, height);
    if (shown.height > 0) out_ += rect(x, shown.top, width, shown.height, color);
  }
  void add_words(double x, double baseline, std::uint32_t color, const std::string& text) {
    if (!text.empty() && sees_text(baseline)) out_ += svg_text_line(x, baseline, "start", color, text);
  }

  template <class Draw>
  void each_tick(const Draw& draw) const {
    const std::int64_t step = std::max<std::int64_t>(1, drawing_.ticks.step_ns);
    auto tick = static_cast<std::int64_t>(std::ceil(view_.begin_ns / static_cast<double>(step))) * step;
    for (; static_cast<double>(tick) < view_.end_ns(); tick += step)
      draw(tick, drawing_.header_px + x_of(tick));
  }

  void grid() {
    const double share = static_cast<double>(theme_.grid >> 24U) / 255;
    const std::uint32_t color = mixed(theme_.track_area, theme_.grid | 0xff000000U, share);
    each_tick([&](std::int64_t, double x) { out_ += svg_line(x, 0, x, drawing_.height_px, color); });
  }

  void ruler() {
    const double bottom = kSvgTitlePx + kRulerPx;
    out_ += rect(0, kSvgTitlePx, drawing_.header_px + view_.width_px, kRulerPx + steps_px_, theme_.panel);
    out_ += svg_text_line(10, kSvgTitlePx + 17, "start", theme_.text_dim,
                          svg_fitted(drawing_.corner, drawing_.header_px - 20, font_px_));
    each_tick([&](std::int64_t tick, double x) {
      out_ += svg_line(x, bottom - 8, x, bottom, theme_.text_dim);
      out_ +=
          svg_text_line(x + 4, kSvgTitlePx + 15, "start", theme_.text_dim, tick_text(drawing_.ticks, tick));
    });
    for (const Step& step_shown : drawing_.steps) {
      const double left = std::max(0.0, x_of(step_shown.range.begin_ns));
      const double right = std::min(view_.width_px, x_of(step_shown.range.end_ns));
      if (right - left < 1) continue;
      out_ += rect(drawing_.header_px + left, bottom + 2, right - left - 1, kStepsHeightPx - 4,
                   theme_.group_header);
      out_ += svg_text_line(drawing_.header_px + left + 4, bottom + 15, "start", theme_.text,
                            svg_fitted(std::to_string(step_shown.number), right - left - 8, font_px_));
    }
  }

  void header(const TimelineDrawing::Line& line) {
    const double width = line.kind == TimelineDrawing::Line::Kind::track
                             ? drawing_.header_px
                             : drawing_.header_px + view_.width_px;
    const bool track = line.kind == TimelineDrawing::Line::Kind::track;
    add_rect(0, line.top_px, width, line.height_px - 1, track ? theme_.panel : theme_.group_header);
    if (track) {
      const std::uint32_t back = line.striped ? theme_.track_stripe : theme_.track_area;
      add_rect(drawing_.header_px, line.top_px, view_.width_px, line.height_px - 1, back);
    }
    const double room = width - 24;
    const double y = line.top_px + std::min(line.height_px, 22.0) / 2 + font_px_ * 0.36;
    const std::string title = svg_fitted(line.title, room, font_px_);
    add_words(12, y, theme_.text, title);
    const double used = svg_width(title, font_px_) + 12;
    const bool below = track && line.height_px >= 2 * font_px_ + 14;
    add_words(below ? 12 : 12 + used, below ? y + font_px_ + 4 : y, theme_.text_dim,
              svg_fitted(line.note, below ? room : room - used, font_px_));
  }

  void lane(const LaneDraw& lane) {
    if (lane.kind == LaneDraw::Kind::slices) slices(lane);
    if (lane.kind == LaneDraw::Kind::counter) counter(lane);
    if (lane.kind == LaneDraw::Kind::instants) instants(lane);
  }

  std::uint32_t color_of(RowId row, SliceId shown) const {
    const SliceId slice = rows_.original(row, shown);
    const std::uint32_t i = index_of(slice);
    const std::uint32_t key = drawing_.keys ? (*drawing_.keys)[i] : index_of(drawing_.trace->slices.name[i]);
    return key < drawing_.palette.size() ? drawing_.palette[key] : 0xff999999U;
  }

  void slices(const LaneDraw& lane) {
    const RowId id{lane.index};
    const SliceRow row = rows_.slices_of(id);
    const std::uint32_t first_id = rows_.row_at(id).first_slice;
    const double height = std::max(1.0, static_cast<double>(lane.height_px) - 1);
    const auto begin =
        std::partition_point(row.start_ns.begin(), row.start_ns.end(),
                             [&](std::int64_t start) { return static_cast<double>(start) < view_.begin_ns; });
    auto i = static_cast<std::size_t>(begin - row.start_ns.begin());
    if (i > 0) --i;
    Joined joined;
    for (; i < row.start_ns.size() && static_cast<double>(row.start_ns[i]) < view_.end_ns(); ++i) {
      const std::int64_t end = row.start_ns[i] + row.duration_ns[i];
      const double left = std::max(0.0, x_of(row.start_ns[i]));
      const double right = std::min(view_.width_px, x_of(end));
      if (right < left) continue;
      const SliceId slice{first_id + static_cast<std::uint32_t>(i)};
      if (right - left >= kWholePx) {
        flush(joined, lane, height);
        whole(id, slice, row.name[i], {left, right, row.duration_ns[i]}, lane, height);
        continue;
      }
      if (joined.count > 0 && left > joined.left + 1) flush(joined, lane, height);
      if (joined.count++ == 0) joined.left = left;
      joined.right = std::max(joined.right, right);
      joined.busy += right - left;
      if (row.duration_ns[i] >= joined.longest_ns) {
        joined.longest_ns = row.duration_ns[i];
        joined.color = color_of(id, slice);
      }
    }
    flush(joined, lane, height);
  }

  struct Joined {
    std::size_t count = 0;
    double left = 0;
    double right = -1e9;
    double busy = 0;
    std::int64_t longest_ns = -1;
    std::uint32_t color = 0;
  };
  void flush(Joined& joined, const LaneDraw& lane, double height) {
    const Height shown = seen(static_cast<double>(lane.top_px), height);
    if (joined.count > 0 && shown.height > 0) {
      const double width = std::max(1.0, joined.right - joined.left);
      const double share = std::clamp(joined.busy / width, 0.25, 1.0);
      out_ += printed(
          "<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\" fill=\"%s\" opacity=\"%.2f\"/>\n",
          joined.left, shown.top, width, shown.height, svg_color(joined.color).c_str(), share);
    }
    joined = {};
  }

  struct Extent {
    double left = 0;
    double right = 0;
    std::int64_t duration_ns = 0;
  };
  void whole(RowId row, SliceId slice, NameId name_id, Extent at, const LaneDraw& lane, double height) {
    const double width = std::max(1.0, at.right - at.left);
    const Height shown = seen(static_cast<double>(lane.top_px), height);
    if (shown.height <= 0) return;
    const std::string_view name = drawing_.trace->name_text(name_id);
    const bool selected = drawing_.selected != kNoSlice && rows_.original(row, slice) == drawing_.selected;
    out_ += printed(R"(<rect x="%.2f" y="%.1f" width="%.2f" height="%.1f" fill="%s")", at.left, shown.top,
                    width, shown.height, svg_color(color_of(row, slice)).c_str());
    if (selected) out_ += " stroke=\"" + svg_color(theme_.selection) + R"(" stroke-width="2")";
    if (width < kTooltipPx) {
      out_ += "/>\n";
      return;
    }
    out_ += "><title>" + svg_escaped(name.substr(0, 400)) + ", " + text_from_duration(at.duration_ns) +
            "</title></rect>\n";
    if (width < kLabelledPx || lane.height_px < font_px_ * kLabelledShare) return;
    const double y = static_cast<double>(lane.top_px) + height / 2 + font_px_ * 0.36;
    add_words(
        at.left + 4, y, text_on(color_of(row, slice), theme_),
        svg_fitted(drawing_.full_names ? std::string(name.substr(0, 400)) : SliceStyle::short_text(name),
                   at.right - at.left - 8, font_px_));
  }

  void bracket(const TimelineDrawing::Bracket& shown) {
    const double left = std::max(0.0, x_of(drawing_.trace->start_ns(shown.slice)));
    const double right = std::min(view_.width_px, x_of(drawing_.trace->end_ns(shown.slice)));
    const double width = std::max(1.0, right - left);
    const std::uint32_t fill = kind_color(SliceKind::gpu_annotation, theme_);
    add_rect(left, shown.top_px, width, shown.height_px, fill);
    add_rect(left, shown.top_px, std::min(width, 2.0), shown.height_px, mixed(fill, theme_.text, 0.6));
    if (width < kLabelledPx || shown.height_px < font_px_ * kLabelledShare) return;
    const std::string_view name = drawing_.trace->name_of(shown.slice);
    add_words(
        left + 6, shown.top_px + shown.height_px / 2 + font_px_ * 0.36, text_on(fill, theme_),
        svg_fitted(drawing_.full_names ? std::string(name.substr(0, 400)) : SliceStyle::short_text(name),
                   right - left - 10, font_px_));
  }

  void counter(const LaneDraw& lane) {
    const CounterRow samples = rows_.counter_at(lane.index);
    const Track& track = rows_.track_at(lane.index);
    const double low = std::min(0.0, track.min_value);
    const double high = std::max(0.0, track.max_value);
    if (high <= low) return;
    const double bottom = static_cast<double>(lane.top_px) + lane.height_px - 1;
    const double per_unit = (lane.height_px - 1) / (high - low);
    std::string path;
    const auto columns = static_cast<int>(std::ceil(view_.width_px));
    const double end = x_of(drawing_.trace->range.end_ns) + 1;
    for (int x = 0; x < columns && x <= end; ++x) {
      const CounterReading reading = read_counter(samples, view_, x + 0.5);
      if (!reading.valid) continue;
      const double from = std::min(to_, bottom - (std::min(0.0, reading.min_value) - low) * per_unit);
      const double to = std::max(from_, bottom - (std::max(0.0, reading.max_value) - low) * per_unit);
      if (from - to > 0.05) path += printed("M%d %.1fh1V%.1fh-1z", x, from, to);
    }
    if (!path.empty()) out_ += "<path fill=\"" + svg_color(theme_.counter) + "\" d=\"" + path + "\"/>\n";
  }

  void instants(const LaneDraw& lane) {
    const Track& track = drawing_.trace->tracks[lane.index];
    const auto times = drawing_.trace->instants.time_ns.sub(track.first_instant, track.instant_count);
    const Height shown = seen(static_cast<double>(lane.top_px), static_cast<double>(lane.height_px) - 1);
    if (shown.height <= 0) return;
    double last = -10;
    std::string path;
    for (const std::int64_t time : times) {
      const double x = x_of(time);
      if (x < 0 || x - last < 0.5) continue;
      if (x > view_.width_px) break;
      path += printed("M%.1f %.1fh2v%.1fh-2z", x - 1, shown.top, shown.height);
      last = x;
    }
    if (!path.empty()) out_ += "<path fill=\"" + svg_color(theme_.instant) + "\" d=\"" + path + "\"/>\n";
  }

  void marked() {
    if (!drawing_.marked) return;
    const double left = std::clamp(x_of(drawing_.marked->begin_ns), 0.0, view_.width_px);
    const double right = std::clamp(x_of(drawing_.marked->end_ns), 0.0, view_.width_px);
    if (right - left < 0.5) return;
    out_ += printed(
        "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\" fill-opacity=\"0.12\" "
        "stroke=\"%s\"/>\n",
        drawing_.header_px + left, kSvgTitlePx, right - left, kRulerPx + steps_px_ + drawing_.height_px,
        svg_color(theme_.accent).c_str(), svg_color(theme_.accent).c_str());
  }

  const TimelineDrawing& drawing_;
  const Theme& theme_;
  const TimeView& view_;
  const double font_px_;
  ShownRows rows_;
  double steps_px_;
  double from_ = 0;  // vertical range of the tracks that are being drawn
  double to_ = 0;
  std::string out_;
};

void add_brackets(const TimelineState& state, const LayoutItem& item, double y_px,
                  std::vector<TimelineDrawing::Bracket>& brackets) {
  const LayoutMeasures& measures = state.layout.measures();
  for (std::uint32_t lane = 0; lane < item.brackets; ++lane) {
    const double top_px = y_px + static_cast<double>(state.layout.bracket_top(item, lane));
    visit_brackets(*state.trace, state.annotations->of_stream(item.index)->lanes[lane],
                   state.navigation.view(), [&](SliceId slice, double, double) {
                     brackets.push_back({slice, top_px,
                                         static_cast<double>(measures.annotation_lane_px - measures.gap_px),
                                         item.pinned});
                   });
  }
}

}  // namespace

TimelineDrawing timeline_drawing(const TimelineState& state, const SliceStyle& look, const Steps* steps,
                                 const Theme& theme, std::string title, double font_px) {
  TimelineDrawing drawing;
  drawing.trace = state.trace;
  drawing.packed = state.packed;
  drawing.counters = state.counters;
  drawing.keys = look.keys();
  drawing.palette.assign(look.palette().begin(), look.palette().end());
  drawing.full_names = look.full_names();
  drawing.theme = theme;
  drawing.view = state.navigation.view();
  drawing.ticks = ruler_scale(drawing.view, kSvgTickPx * state.scale);
  drawing.title = std::move(title);
  const auto length =
      static_cast<std::int64_t>(std::min(9e18, drawing.view.end_ns() - drawing.view.begin_ns));
  drawing.corner = drawing.ticks.relative ? base_text(drawing.ticks) + " +"
                                          : filled(Text::ruler_in_view, {text_from_duration(length)});
  drawing.header_px = state.boxes.headers.width();
  drawing.height_px = state.boxes.tracks.height();
  drawing.pinned_px = std::min(drawing.height_px, state.layout.pinned_px());
  drawing.font_px = font_px;
  const double shown_px = state.layout.height_px();
  if (shown_px < drawing.height_px) drawing.height_px = std::max(40.0, shown_px);
  const ShownRows rows = state.rows();
  state.layout.visit_visible(
      state.shown_scroll(), state.boxes.tracks.height(), [&](const LayoutItem& item, double y) {
        TimelineDrawing::Line line;
        line.top_px = y;
        line.height_px = item.height_px;
        line.pinned = item.pinned;
        line.striped = item.striped;
        switch (item.kind) {
          case LayoutItem::Kind::group:
            line.kind = TimelineDrawing::Line::Kind::group;
            line.title = title_text(*state.trace, item.index);
            break;
          case LayoutItem::Kind::idle:
            line.kind = TimelineDrawing::Line::Kind::idle;
            line.title = counted(Text::header_idle_track, Text::header_idle_tracks, item.count);
            break;
          case LayoutItem::Kind::track:
            line.title = track_title(rows, item.index);
            line.note = contents_text(rows.track_at(item.index));
            add_brackets(state, item, y, drawing.brackets);
            break;
        }
        drawing.lines.push_back(std::move(line));
      });
  state.layout.visible_lanes(state.shown_scroll(), state.boxes.tracks.height(), drawing.lanes);
  if (steps != nullptr && state.boxes.steps.height() > 0) drawing.steps = steps->steps;
  drawing.marked = state.marked.range();
  drawing.selected = state.selection.slice;
  return drawing;
}

std::string timeline_svg(const TimelineDrawing& drawing, const std::stop_token& stop) {
  return Writer(drawing).run(stop);
}

}  // namespace kino
