#include "app/pages/timeline/track_headers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "app/ui/tables/counter_text.hpp"
#include "app/ui/tables/track_titles.hpp"
#include "app/ui/text/model_texts.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/view/range_tracks.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "core/base/time_text.hpp"
#include "core/trace/name_text.hpp"

namespace kino {
namespace {

bool can_fold(const Track& track) { return track.kind != TrackKind::counter && track.row_count > 1; }

std::uint64_t slice_count(const ShownRows& rows, const Track& track) {
  std::uint64_t count = 0;
  for (std::uint32_t i = 0; i < track.row_count; ++i)
    count += rows.row_at(RowId{track.first_row + i}).slice_count;
  return count;
}

constexpr float kIconPx = 20;  // width of an icon at the header's right edge

constexpr float kTickBoxPx = 20;  // width of the tick box at the header's left edge

/// Returns whether a line of the layout has a tick box for the marked range.
bool has_tick(const TimelineState& state, const LayoutItem& item) {
  if (!state.marked.range() || item.kind == LayoutItem::Kind::idle) return false;
  return item.kind == LayoutItem::Kind::group || state.rows().track_at(item.index).row_count > 0;
}

Text about_counter(DerivedCounter kind) {
  constexpr std::array kTexts{Text::counter_utilization_about, Text::counter_sm_efficiency_about,
                              Text::counter_bandwidth_about,   Text::counter_memory_about,
                              Text::counter_queue_about,       Text::counter_all_queues_about,
                              Text::counter_snapshot_about,    Text::counter_snapshot_about,
                              Text::counter_outstanding_about, Text::counter_query_about};
  return kTexts[static_cast<std::size_t>(kind)];
}

std::string second_line(const TimelineState& state, const LayoutItem& item, const Track& track) {
  const std::string group = title_text(*state.trace, track.process);
  if (item.pinned) return track.contents.empty() ? group : contents_text(track) + " · " + group;
  if (track.kind != TrackKind::counter) return contents_text(track);
  if (track.sample_count == 0) return {};
  const Unit unit = counter_unit(state.rows(), item.index);
  return filled(Text::from_to, {counter_text(track.min_value, unit), counter_text(track.max_value, unit)});
}

class HeaderPainter {
 public:
  HeaderPainter(ImDrawList& list, const TimelineState& state, const Theme& theme)
      : list_(list),
        state_(state),
        rows_(state.rows()),
        theme_(theme),
        area_(state.boxes.headers),
        left_(area_.left + (state.marked.range() ? state.px(kTickBoxPx) : 0)) {}

  void draw(const LayoutItem& item, double y) {
    const float top = area_.top + static_cast<float>(y);
    const bool hovered = state_.hovered_header == &item;
    if (item.kind == LayoutItem::Kind::group) group(item, top, hovered);
    if (item.kind == LayoutItem::Kind::idle) idle(item, top, hovered);
    if (item.kind == LayoutItem::Kind::track) track(item, top, hovered);
  }

 private:
  float px(float value) const { return state_.px(value); }

  void bar(const LayoutItem& item, float top, std::uint32_t color) {
    const float bottom = top + item.height_px;
    const float right = state_.boxes.tracks.right;
    list_.AddRectFilled({area_.left, top}, {right, bottom}, color);
    list_.AddLine({area_.left, bottom - 0.5F}, {right, bottom - 0.5F}, theme_.border);
  }

  void group(const LayoutItem& item, float top, bool hovered) {
    bar(item, top, theme_.group_header);
    const float right = state_.boxes.tracks.right;
    const bool open = state_.arrangement.group_open[item.index] != 0;
    const float middle = std::floor(top + item.height_px / 2);
    tick_box(item, middle);
    draw_fold_arrow(list_, {left_ + px(14), middle}, px(10), open, hovered ? theme_.text : theme_.text_dim);
    const float y = std::floor(top + (item.height_px - ImGui::GetFontSize()) / 2);
    const float x = left_ + px(26);
    const float used =
        draw_elided(list_, {x, y}, right - x - px(12), theme_.text, title_text(*state_.trace, item.index));
    std::string note = counted(Text::header_track, Text::header_tracks, item.count);
    if (item.hidden > 0) note = filled(Text::header_tracks_hidden, {note, grouped(item.hidden)});
    draw_elided(list_, {x + used + px(12), y}, right - x - used - px(24), theme_.text_dim, note);
  }

  void idle(const LayoutItem& item, float top, bool hovered) {
    bar(item, top, hovered ? theme_.group_header : theme_.panel);
    const bool open = state_.arrangement.idle_open[item.index] != 0;
    draw_fold_arrow(list_, {left_ + px(14), std::floor(top + item.height_px / 2)}, px(8), open,
                    hovered ? theme_.text : theme_.text_dim);
    const float y = std::floor(top + (item.height_px - ImGui::GetFontSize()) / 2);
    const float x = left_ + px(26);
    draw_elided(list_, {x, y}, state_.boxes.tracks.right - x - px(12), theme_.text_dim,
                counted(Text::header_idle_track, Text::header_idle_tracks, item.count));
  }

  void track(const LayoutItem& item, float top, bool hovered) {
    const float bottom = top + item.height_px;
    const float right = area_.right;
    list_.AddRectFilled({area_.left, top}, {right, bottom}, hovered ? theme_.group_header : theme_.panel);
    list_.AddLine({area_.left, bottom - 0.5F}, {right, bottom - 0.5F}, theme_.border);
    list_.AddLine({right - 0.5F, top}, {right - 0.5F, bottom}, theme_.border);
    list_.PushClipRect({area_.left, std::max(top, area_.top)}, {right, std::min(bottom, area_.bottom)}, true);
    track_text(item, top, hovered);
    list_.PopClipRect();
  }

  void track_text(const LayoutItem& item, float top, bool hovered) {
    const Track& track = rows_.track_at(item.index);
    const float pitch = state_.layout.measures().lane_px;
    const float padding = state_.layout.measures().padding_px;
    const float bottom = top + item.height_px;
    const std::string note = lanes_note(rows_, item, state_.arrangement, state_.layout.measures());
    const bool two_lines = item.height_px >= 2 * pitch + 2 * padding - 1;
    const std::string second = second_line(state_, item, track);
    const float block = pitch * ((two_lines && !second.empty() ? 2.0F : 1.0F) + (note.empty() ? 0.0F : 1.0F));
    // The name remains visible while any part of its track is visible.
    const TimelineState::Part part = state_.part(item.pinned);
    const float visible_top = area_.top + static_cast<float>(part.top_px);
    const float visible_bottom = area_.top + static_cast<float>(part.bottom_px);
    float y = std::max(top + padding, visible_top + padding);
    y = std::min(y, bottom - padding - block);
    const float text_y = y + std::floor((pitch - ImGui::GetFontSize()) / 2);
    const float x = left_ + px(26);
    const float icons = hovered ? 2 * px(kIconPx) : item.pinned ? px(kIconPx) * 2 : px(8);
    const float room = area_.right - icons - x;
    tick_box(item, std::floor(y + pitch / 2));
    if (can_fold(track)) {
      draw_fold_arrow(list_, {left_ + px(14), std::floor(y + pitch / 2)}, px(8),
                      state_.arrangement.tracks[item.index].fold != TrackFold::folded,
                      hovered ? theme_.text : theme_.text_dim);
    }
    const float used =
        draw_elided(list_, {x, text_y}, room, theme_.text, shown_title(state_, item.index), Elide::middle);
    if (!second.empty()) {
      if (two_lines) {
        draw_elided(list_, {x, text_y + pitch}, area_.right - px(8) - x, theme_.text_dim, second);
      } else {
        draw_elided(list_, {x + used + px(8), text_y}, room - used - px(8), theme_.text_dim, second);
      }
    }
    const float icon_y = std::floor(y + pitch / 2);
    if (hovered || item.pinned) pin_icon({area_.right - px(kIconPx) * 1.5F, icon_y}, item.pinned);
    if (hovered) menu_icon({area_.right - px(kIconPx) * 0.5F, icon_y});
    if (note.empty()) return;
    const float note_y = std::min(bottom, visible_bottom) - padding - pitch;
    draw_elided(list_,
                {x, std::max(note_y, y + block - pitch) + std::floor((pitch - ImGui::GetFontSize()) / 2)},
                room, theme_.accent, note);
  }

  /// Draws a tick box that shows whether the marked range covers all, some or none of the track or group.
  void tick_box(const LayoutItem& item, float middle) {
    if (!has_tick(state_, item)) return;
    // If the range covers all tracks, skip the slow counting of a group's tracks.
    const bool of_all = !state_.marked.tracks();
    const Ticked state = of_all ? Ticked::all : ticked(state_, tracks_of_item(state_, item));
    const float half = px(5);
    const ImVec2 from{area_.left + px(12) - half, middle - half};
    const ImVec2 to{from.x + 2 * half, from.y + 2 * half};
    const float line = std::max(1.0F, px(1));
    if (state == Ticked::all) {
      list_.AddRectFilled(from, to, theme_.accent, px(2));
      const float thick = std::max(1.0F, px(1.5F));
      list_.AddLine({from.x + px(2), middle}, {from.x + px(4), to.y - px(2.5F)}, theme_.panel, thick);
      list_.AddLine({from.x + px(4), to.y - px(2.5F)}, {to.x - px(2), from.y + px(2.5F)}, theme_.panel,
                    thick);
      return;
    }
    list_.AddRect(from, to, state == Ticked::some ? theme_.accent : theme_.text_dim, px(2), 0, line);
    if (state == Ticked::some)
      list_.AddRectFilled({from.x + px(3), middle - px(1)}, {to.x - px(3), middle + px(1)}, theme_.accent);
  }

  /// Draws a pin with its point down; filled if pinned.
  void pin_icon(ImVec2 center, bool set) {
    const std::uint32_t color = set ? theme_.accent : theme_.text_dim;
    const float radius = px(3.5F);
    const ImVec2 head{center.x, center.y - px(2)};
    if (set) {
      list_.AddCircleFilled(head, radius, color);
    } else {
      list_.AddCircle(head, radius, color, 0, std::max(1.0F, px(1)));
    }
    list_.AddLine({center.x, head.y + radius}, {center.x, center.y + px(6)}, color, std::max(1.0F, px(1)));
  }

  void menu_icon(ImVec2 center) {
    for (const float at : {-4.0F, 0.0F, 4.0F})
      list_.AddCircleFilled({center.x, center.y + px(at)}, std::max(1.0F, px(1.5F)), theme_.text_dim);
  }

  ImDrawList& list_;
  const TimelineState& state_;
  const ShownRows rows_;
  const Theme& theme_;
  const Box& area_;
  const float left_;  // left edge of arrow and name, to the right of tick boxes
};

}  // namespace

std::string lanes_note(const ShownRows& rows, const LayoutItem& item, const Arrangement& arrangement,
                       const LayoutMeasures& measures) {
  if (item.kind != LayoutItem::Kind::track) return {};
  const TrackFold fold = arrangement.tracks[item.index].fold;
  if (fold == TrackFold::folded || (item.merged && item.lanes_hidden == 0)) return {};
  if (item.lanes_hidden > 0) return filled(Text::header_more_lanes, {grouped(item.lanes_hidden)});
  const bool above_cap = rows.track_at(item.index).row_count > measures.lane_cap + measures.lane_slack;
  return above_cap ? tr(Text::header_fewer_lanes) : "";
}

void draw_track_headers(ImDrawList& list, const TimelineState& state, const Theme& theme) {
  const Box& headers = state.boxes.headers;
  const ImVec2 right_bottom{state.boxes.tracks.right, headers.bottom};
  list.PushClipRect({headers.left, headers.top}, right_bottom, true);
  list.AddRectFilled({headers.left, headers.top}, {headers.right, headers.bottom}, theme.panel);
  HeaderPainter painter(list, state, theme);
  const auto pinned_px = static_cast<float>(state.layout.pinned_px());
  list.PushClipRect({headers.left, headers.top + pinned_px}, right_bottom, true);
  bool in_pinned = false;
  state.layout.visit_visible(state.shown_scroll(), headers.height(), [&](const LayoutItem& item, double y) {
    if (item.pinned && !std::exchange(in_pinned, true)) {
      list.PopClipRect();
      list.PushClipRect({headers.left, headers.top}, {right_bottom.x, headers.top + pinned_px}, true);
    }
    painter.draw(item, y);
  });
  list.PopClipRect();
  if (pinned_px > 0) {
    const float y = headers.top + pinned_px;
    const float thickness = std::max(1.0F, state.px(2));
    list.AddLine({headers.left, y - thickness / 2}, {right_bottom.x, y - thickness / 2}, theme.accent,
                 thickness);
  }
  const float border_x = headers.right - 0.5F;
  const float below = headers.top + static_cast<float>(std::max(
                                        0.0, state.layout.height_px() - state.shown_scroll().content_px));
  if (below < right_bottom.y) list.AddLine({border_x, below}, {border_x, right_bottom.y}, theme.border);
  list.PopClipRect();
}

HeaderPart header_part_at(const TimelineState& state, const LayoutItem& item, float x_px, float y_px) {
  const LayoutMeasures& measures = state.layout.measures();
  const bool first_line = y_px < 2 * measures.padding_px + measures.lane_px;
  if (has_tick(state, item) && x_px < state.px(kTickBoxPx) && first_line) return HeaderPart::tick;
  if (item.kind != LayoutItem::Kind::track) return HeaderPart::name;
  const float from_right = state.boxes.headers.width() - x_px;
  if (first_line && from_right >= 0) {
    if (from_right < state.px(kIconPx)) return HeaderPart::menu;
    if (from_right < 2 * state.px(kIconPx)) return HeaderPart::pin;
  }
  return y_px < measures.padding_px + 2 * measures.lane_px ? HeaderPart::name : HeaderPart::lanes_note;
}

bool click_track_header(const ShownRows& rows, const LayoutMeasures& measures, Arrangement& arrangement,
                        const LayoutItem& item, HeaderPart part) {
  if (item.kind != LayoutItem::Kind::track) {
    auto& open = item.kind == LayoutItem::Kind::group ? arrangement.group_open : arrangement.idle_open;
    open[item.index] = open[item.index] == 0 ? 1 : 0;
    return true;
  }
  if (part == HeaderPart::pin) {
    arrangement.toggle_pinned(item.index);
    return true;
  }
  const Track& track = rows.track_at(item.index);
  if (!can_fold(track)) return false;
  TrackFold& fold = arrangement.tracks[item.index].fold;
  const bool deep = track.row_count > measures.lane_cap + measures.lane_slack;
  const bool unfolded = fold == TrackFold::capped || fold == TrackFold::open;
  if (deep && unfolded && part == HeaderPart::lanes_note) {
    fold = fold == TrackFold::open ? TrackFold::capped : TrackFold::open;
  } else {
    fold = fold == TrackFold::folded || fold == TrackFold::merged ? TrackFold::capped : TrackFold::folded;
  }
  return true;
}

void draw_header_tooltip(const TimelineState& state, const LayoutItem& item, HeaderPart part) {
  const auto hint = [](Text text) { ImGui::SetTooltip("%s", tr(text)); };
  if (part == HeaderPart::pin) return hint(item.pinned ? Text::header_unpin_hint : Text::header_pin_hint);
  if (part == HeaderPart::menu) return hint(Text::header_menu_hint);
  if (part == HeaderPart::tick) return hint(Text::header_checkbox_hint);
  const Trace& trace = *state.trace;
  const ShownRows rows = state.rows();
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(480 * state.scale);
  const auto line = [](const std::string& text) {
    constexpr std::size_t kMostBytes = 1000;
    const std::string shown = cut_text(text, kMostBytes);
    ImGui::TextUnformatted(shown.data(), shown.data() + shown.size());
  };
  const auto dim = [&](const std::string& text) {
    ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled));
    line(text);
    ImGui::PopStyleColor();
  };
  if (item.kind == LayoutItem::Kind::group) {
    const Process& process = trace.processes[item.index];
    line(title_text(process));
    dim(filled(Text::header_pid, {process.pid}));
    dim(tr(Text::header_fold_hint));
  } else if (item.kind == LayoutItem::Kind::idle) {
    line(device_text(Text::header_idle_about, trace));
    dim(tr(Text::header_idle_hint));
  } else {
    const Track& track = rows.track_at(item.index);
    if (const std::string& own = state.arrangement.tracks[item.index].title; !own.empty()) line(own);
    line(track_title(rows, item.index));
    if (!track.contents.empty()) line(contents_text(track));
    if (track.kind == TrackKind::counter) {
      const Unit unit = counter_unit(rows, item.index);
      if (rows.is_derived(item.index))
        line(device_text(about_counter(rows.counters->kind(item.index)), trace));
      dim(filled(Text::header_samples, {grouped(track.sample_count), counter_text(track.min_value, unit),
                                        counter_text(track.max_value, unit)}));
    } else {
      std::string facts =
          filled(track.row_count == 1 ? Text::header_slices_in_lane : Text::header_slices_in_lanes,
                 {counted(Text::instances_one, Text::instances_count, slice_count(rows, track)),
                  grouped(track.row_count)});
      if (!track.tid.empty()) facts = filled(Text::header_thread, {track.tid, facts});
      if (track.instant_count > 0)
        facts = filled(Text::header_instants, {facts, grouped(track.instant_count)});
      dim(facts);
      if (item.brackets > 0) {
        const StreamBrackets& above = *state.annotations->of_stream(item.index);
        dim(filled(Text::header_brackets, {grouped(above.lanes[0].size() + above.lanes[1].size())}));
        if (above.left_out > 0) dim(filled(Text::header_brackets_hidden, {grouped(above.left_out)}));
      }
      dim(tr(can_fold(track) ? Text::header_fold_hint : Text::header_move_hint));
    }
  }
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

}  // namespace kino
