#include "app/track_headers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "app/text_drawing.hpp"
#include "core/time_text.hpp"

namespace kino {
namespace {

bool can_fold(const Track& track) { return track.kind != TrackKind::counter && track.row_count > 1; }

std::uint64_t slice_count(const Trace& trace, const Track& track) {
  std::uint64_t count = 0;
  for (std::uint32_t i = 0; i < track.row_count; ++i) count += trace.rows[track.first_row + i].slice_count;
  return count;
}

/// One pass of drawing; x and y are those of the item.
class HeaderPainter {
 public:
  HeaderPainter(ImDrawList& list, const Trace& trace, const TrackLayout& layout, const FoldState& folds,
                const HeaderArea& area, const Theme& theme, float ui_scale)
      : list_(list),
        trace_(trace),
        layout_(layout),
        folds_(folds),
        area_(area),
        theme_(theme),
        scale_(ui_scale) {}

  void group(const LayoutItem& item, bool hovered) {
    const Process& process = trace_.processes[item.index];
    const float top = screen_y(item.top_px);
    const float bottom = top + item.height_px;
    const float left = area_.left_top.x;
    const float right = left + area_.width_px;
    list_.AddRectFilled({left, top}, {right, bottom}, theme_.group_header);
    list_.AddLine({left, bottom - 0.5F}, {right, bottom - 0.5F}, theme_.border);
    const bool open = folds_.group_open[item.index] != 0;
    const float middle = std::floor(top + item.height_px / 2);
    draw_fold_arrow(list_, {left + px(14), middle}, px(10), open, hovered ? theme_.text : theme_.text_dim);
    const float y = std::floor(top + (item.height_px - ImGui::GetFontSize()) / 2);
    const float x = left + px(26);
    const float used = draw_elided(list_, {x, y}, right - x - px(12), theme_.text, process.title);
    std::array<char, 48> note{};
    std::snprintf(note.data(), note.size(), process.track_count == 1 ? "%u track" : "%u tracks",
                  process.track_count);
    draw_elided(list_, {x + used + px(12), y}, right - x - used - px(24), theme_.text_dim, note.data());
  }

  void track(const LayoutItem& item, bool hovered) {
    const Track& track = trace_.tracks[item.index];
    const float top = screen_y(item.top_px);
    const float bottom = top + item.height_px;
    const float left = area_.left_top.x;
    const float right = left + area_.header_px;
    list_.AddRectFilled({left, top}, {right, bottom}, hovered ? theme_.group_header : theme_.panel);
    list_.AddLine({left, bottom - 0.5F}, {right, bottom - 0.5F}, theme_.border);
    list_.AddLine({right - 0.5F, top}, {right - 0.5F, bottom}, theme_.border);
    list_.PushClipRect({left, std::max(top, area_.left_top.y)},
                       {right, std::min(bottom, area_.left_top.y + area_.height_px)}, true);
    track_text(item, track, hovered);
    list_.PopClipRect();
  }

 private:
  float px(float value) const { return std::round(value * scale_); }
  float screen_y(double y) const { return area_.left_top.y + static_cast<float>(y - area_.scroll_px); }

  void track_text(const LayoutItem& item, const Track& track, bool hovered) {
    const float pitch = layout_.measures().lane_px;
    const float padding = layout_.measures().padding_px;
    const float area_bottom = area_.left_top.y + area_.height_px;
    const float bottom = screen_y(item.bottom_px());
    // The name stays in sight as long as any of its track is.
    const std::string note = lanes_note(trace_, item, folds_, layout_.measures());
    const bool two_lines = item.height_px >= 2 * pitch + 2 * padding - 1;
    const std::string second = second_line(track);
    const float block = pitch * ((two_lines && !second.empty() ? 2.0F : 1.0F) + (note.empty() ? 0.0F : 1.0F));
    float y = std::max(screen_y(item.top_px) + padding, area_.left_top.y + padding);
    y = std::min(y, bottom - padding - block);
    const float text_y = y + std::floor((pitch - ImGui::GetFontSize()) / 2);
    const float x = area_.left_top.x + px(26);
    const float room = area_.left_top.x + area_.header_px - px(8) - x;
    if (can_fold(track)) {
      draw_fold_arrow(list_, {area_.left_top.x + px(14), std::floor(y + pitch / 2)}, px(8),
                      folds_.tracks[item.index] != TrackFold::folded,
                      hovered ? theme_.text : theme_.text_dim);
    }
    const float used = draw_elided(list_, {x, text_y}, room, theme_.text, track.name, Elide::middle);
    if (!second.empty()) {
      if (two_lines) {
        draw_elided(list_, {x, text_y + pitch}, room, theme_.text_dim, second);
      } else {
        draw_elided(list_, {x + used + px(8), text_y}, room - used - px(8), theme_.text_dim, second);
      }
    }
    if (note.empty()) return;
    const float note_y = std::min(bottom, area_bottom) - padding - pitch;
    draw_elided(list_,
                {x, std::max(note_y, y + block - pitch) + std::floor((pitch - ImGui::GetFontSize()) / 2)},
                room, theme_.accent, note);
  }

  static std::string second_line(const Track& track) {
    if (track.kind != TrackKind::counter) return track.contents;
    if (track.sample_count == 0) return {};
    return counter_text(track.min_value, track.bytes) + " to " + counter_text(track.max_value, track.bytes);
  }

  ImDrawList& list_;
  const Trace& trace_;
  const TrackLayout& layout_;
  const FoldState& folds_;
  const HeaderArea& area_;
  const Theme& theme_;
  float scale_;
};

}  // namespace

std::string counter_text(double value, bool bytes) {
  if (bytes) return text_from_bytes(value);
  constexpr double kExact = 9.0e15;
  if (std::floor(value) == value && std::abs(value) < kExact) {
    std::string text = value < 0 ? "-" : "";
    text += grouped(static_cast<std::uint64_t>(std::abs(value)));
    return text;
  }
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%.4g", value);
  return text.data();
}

std::string lanes_note(const Trace& trace, const LayoutItem& item, const FoldState& folds,
                       const LayoutMeasures& measures) {
  if (item.kind != LayoutItem::Kind::track || folds.tracks[item.index] == TrackFold::folded) return {};
  if (item.lanes_hidden > 0) {
    std::string note(1, '+');
    note += grouped(item.lanes_hidden);
    return note + " more lanes";
  }
  const bool above_cap = trace.tracks[item.index].row_count > measures.lane_cap + measures.lane_slack;
  return above_cap ? "show fewer lanes" : "";
}

void draw_track_headers(ImDrawList& list, const Trace& trace, const TrackLayout& layout,
                        const FoldState& folds, const HeaderArea& area, const LayoutItem* hovered,
                        const Theme& theme, float ui_scale) {
  const ImVec2 right_bottom{area.left_top.x + area.width_px, area.left_top.y + area.height_px};
  list.PushClipRect(area.left_top, right_bottom, true);
  list.AddRectFilled(area.left_top, {area.left_top.x + area.header_px, right_bottom.y}, theme.panel);
  HeaderPainter painter(list, trace, layout, folds, area, theme, ui_scale);
  const TrackLayout::Visible range = layout.visible(area.scroll_px, area.scroll_px + area.height_px);
  for (std::size_t i = range.first; i < range.last; ++i) {
    const LayoutItem& item = layout.items()[i];
    if (item.kind == LayoutItem::Kind::group) {
      painter.group(item, hovered == &item);
    } else {
      painter.track(item, hovered == &item);
    }
  }
  const float border_x = area.left_top.x + area.header_px - 0.5F;
  const float below =
      area.left_top.y + static_cast<float>(std::max(0.0, layout.height_px() - area.scroll_px));
  if (below < right_bottom.y) list.AddLine({border_x, below}, {border_x, right_bottom.y}, theme.border);
  list.PopClipRect();
}

bool click_track_header(const Trace& trace, const TrackLayout& layout, FoldState& folds,
                        const LayoutItem& item, double inside_px) {
  if (item.kind == LayoutItem::Kind::group) {
    folds.group_open[item.index] = folds.group_open[item.index] == 0 ? 1 : 0;
    return true;
  }
  if (!can_fold(trace.tracks[item.index])) return false;
  TrackFold& fold = folds.tracks[item.index];
  const LayoutMeasures& measures = layout.measures();
  const bool deep = trace.tracks[item.index].row_count > measures.lane_cap + measures.lane_slack;
  const bool on_name = inside_px < measures.padding_px + 2 * measures.lane_px;
  if (deep && fold != TrackFold::folded && !on_name) {
    fold = fold == TrackFold::open ? TrackFold::capped : TrackFold::open;
  } else {
    fold = fold == TrackFold::folded ? TrackFold::capped : TrackFold::folded;
  }
  return true;
}

void draw_header_tooltip(const Trace& trace, const LayoutItem& item, float ui_scale) {
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(480 * ui_scale);
  const auto line = [](const std::string& text) {
    ImGui::TextUnformatted(text.data(), text.data() + text.size());
  };
  const auto dim = [&](const std::string& text) {
    ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled));
    line(text);
    ImGui::PopStyleColor();
  };
  if (item.kind == LayoutItem::Kind::group) {
    const Process& process = trace.processes[item.index];
    line(process.title);
    dim("pid " + process.pid);
  } else {
    const Track& track = trace.tracks[item.index];
    line(track.name);
    if (!track.contents.empty()) line(track.contents);
    if (track.kind == TrackKind::counter) {
      dim(grouped(track.sample_count) + " samples, " + counter_text(track.min_value, track.bytes) + " to " +
          counter_text(track.max_value, track.bytes));
    } else {
      std::string facts = "tid " + track.tid + " · " + grouped(slice_count(trace, track)) + " slices in " +
                          grouped(track.row_count) + (track.row_count == 1 ? " lane" : " lanes");
      if (track.instant_count > 0) facts += " · " + grouped(track.instant_count) + " instants";
      dim(facts);
      if (can_fold(track)) dim("Click to fold or unfold");
    }
  }
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

}  // namespace kino
