#include "app/pages/timeline/timeline_input.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <imgui.h>

#include "app/pages/timeline/overlays/annotation_brackets.hpp"
#include "app/pages/timeline/pointing/gesture_meaning.hpp"
#include "app/pages/timeline/track_headers.hpp"
#include "app/ui/commands/commands.hpp"
#include "app/ui/commands/held_keys.hpp"
#include "app/ui/view/cell_zoom.hpp"
#include "app/ui/view/event_steps.hpp"
#include "app/ui/view/range_tracks.hpp"
#include "app/ui/widgets/keys.hpp"
#include "app/ui/widgets/panel_parts.hpp"

namespace kino {
namespace {

constexpr float kTolerancePx = 2;
constexpr double kWheelScrollPx = 60;

LayoutHit hit_at(const TimelineState& state, float mouse_y) {
  return state.layout.hit(mouse_y - state.boxes.tracks.top, state.shown_scroll());
}

/// Returns the event under the mouse in merged lanes: the innermost slice, because it is drawn on top.
EventPick pick_merged(const TimelineState& state, const LayoutItem& item, double x, double tolerance) {
  const ShownRows rows = state.rows();
  const Track& track = rows.track_at(item.index);
  for (std::uint32_t lane = track.row_count - item.lanes_hidden; lane-- > 0;) {
    const bool outermost = lane == 0;
    const EventPick pick = pick_slice(rows, RowId{track.first_row + lane}, state.navigation.view(), x,
                                      outermost ? tolerance : 0);
    if (pick.event.any()) return pick;
  }
  return {};
}

EventPick pick_at(const TimelineState& state, float mouse_x, float mouse_y) {
  const double x = mouse_x - state.boxes.tracks.left;
  const double tolerance = kTolerancePx * state.scale;
  const LayoutHit hit = hit_at(state, mouse_y);
  if (hit.kind == LayoutHit::Kind::lane && hit.item->merged)
    return pick_merged(state, *hit.item, x, tolerance);
  if (hit.kind == LayoutHit::Kind::lane)
    return pick_slice(state.rows(), RowId{hit.row}, state.navigation.view(), x, tolerance);
  if (hit.kind == LayoutHit::Kind::bracket) {
    const std::vector<SliceId>& lane = state.annotations->of_stream(hit.item->index)->lanes[hit.row];
    return pick_bracket(*state.trace, lane, state.navigation.view(), x, tolerance);
  }
  if (hit.kind == LayoutHit::Kind::instants)
    return pick_instant(*state.trace, TrackId{hit.item->index}, state.navigation.view(), x, tolerance + 1);
  return {};
}

// Handles the splitters and scrollbars. They are placed first, because the first of overlapping buttons gets
// the mouse.
void handle_splitters(TimelineState& state) {
  const TimelineBoxes& boxes = state.boxes;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const float half = state.px(kSplitterPx) / 2;
  const float border = boxes.headers.right;
  place_button("header splitter", {border - half, boxes.all.top, border + half, boxes.headers.bottom});
  if (ImGui::IsItemHovered() || ImGui::IsItemActive()) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  if (ImGui::IsItemActive()) state.header_width = std::max(0.0F, mouse.x - boxes.all.left) / state.scale;
  if (state.drawer.open && !state.drawer.fills()) {
    const float edge = boxes.drawer.top;
    place_button("drawer splitter", {boxes.drawer.left, edge - half, boxes.drawer.right, edge + half});
    if (ImGui::IsItemHovered() || ImGui::IsItemActive()) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
    if (ImGui::IsItemActive())
      state.drawer.set_height(std::max(0.0F, boxes.all.bottom - mouse.y) / state.scale);
  }
  for (const bool pinned : {false, true}) {
    const auto bar = scrollbar_of(state, pinned);
    if (!bar) continue;
    place_button(pinned ? "pinned_scrollbar" : "scrollbar", bar->box);
    if (!ImGui::IsItemActive()) continue;
    const double share = (mouse.y - bar->box.top - bar->thumb_px / 2) / bar->way_px();
    (pinned ? state.pinned_scroll : state.scroll).jump_to(share * bar->overflow_px);
  }
}

void handle_wheel(TimelineState& state) {
  const ImGuiIO& io = ImGui::GetIO();
  const Box& tracks = state.boxes.tracks;
  const Box area{state.boxes.all.left, state.boxes.ruler.top, tracks.right, tracks.bottom};
  if (!ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem)) return;
  if (!area.contains(io.MousePos.x, io.MousePos.y)) return;
  const double notch_px = tracks.width() * kWheelPanShare;
  if (io.MouseWheelH != 0) state.navigation.pan_px(-io.MouseWheelH * notch_px);
  if (io.MouseWheel == 0) return;
  if (io.KeyCtrl) {
    const double anchor = std::clamp<double>(io.MousePos.x - tracks.left, 0, tracks.width());
    state.navigation.zoom_at(anchor, std::pow(kWheelZoom, io.MouseWheel));
  } else if (io.KeyShift) {
    state.navigation.pan_px(-io.MouseWheel * notch_px);
  } else {
    state.scroll_at(io.MousePos.y).scroll_by(-io.MouseWheel * kWheelScrollPx * state.scale);
  }
}

void handle_view_keys(TimelineState& state) {
  const Trace& trace = *state.trace;
  if (command_pressed(CommandId::fit_all)) {
    state.navigation.fit_all();
    state.focused.reset();
  }
  if (command_pressed(CommandId::fit_selection)) state.fit_selection();
  if (command_pressed(CommandId::toggle_drawer)) state.toggle_drawer();
  if (command_pressed(CommandId::clear_selection)) state.clear_selection();
  SmoothScroll& scroll = state.scroll_at(ImGui::GetIO().MousePos.y);
  const bool pinned = &scroll == &state.pinned_scroll;
  const double page = 0.9 * (pinned ? state.layout.pinned_px() : state.boxes.tracks.height());
  if (command_pressed(CommandId::page_down)) scroll.scroll_by(page);
  if (command_pressed(CommandId::page_up)) scroll.scroll_by(-page);
  if (command_pressed(CommandId::scroll_to_top)) scroll.scroll_to(0);
  if (command_pressed(CommandId::scroll_to_bottom))
    scroll.scroll_to(pinned ? state.layout.pinned_content_px() : state.layout.height_px());
  const int along =
      (command_pressed(CommandId::next_slice) ? 1 : 0) - (command_pressed(CommandId::previous_slice) ? 1 : 0);
  const bool walked = along != 0 && state.step_example(along);
  if (!state.selection.any()) return;
  if (along != 0 && !walked) state.choose(neighbor_of(trace, state.selection, along), true);
  if (state.selection.slice == kNoSlice) return;
  if (command_pressed(CommandId::parent_slice))
    state.choose({parent_of(trace, state.selection.slice), kNoInstant}, true);
  if (command_pressed(CommandId::child_slice))
    state.choose({first_child_of(trace, state.selection.slice), kNoInstant}, true);
}

}  // namespace

void TimelineInput::handle(TimelineState& state, bool keyboard) {
  space_held_ = accepts_view_keys(keyboard) && key_down(NamedKey::space);
  range_drag_.reset();
  measure_clicked_ = false;
  handle_splitters(state);
  handle_headers(state);
  handle_tracks(state);
  handle_wheel(state);
  if (accepts_view_keys(keyboard)) {
    handle_view_keys(state);
    handle_track_keys(state);
  }
  // The menu is handled last, because its changes invalidate the items used above.
  draw_track_menu(state, menu_target_);
  rename_.draw(state);
}

void TimelineInput::handle_headers(TimelineState& state) {
  place_button("headers", state.boxes.headers,
               ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool over = ImGui::IsItemHovered();
  const bool held = ImGui::IsItemActive() && ImGui::IsMouseDown(ImGuiMouseButton_Left);
  const bool was_drag = drag_.dragging();
  const bool released = drag_.pressed() && !held;
  drag_.follow(state, mouse.y, held);
  if (state.layout_stale) return;  // the track was moved, so items are invalid
  const LayoutHit hit = over || held ? hit_at(state, mouse.y) : LayoutHit{};
  if (hit.item == nullptr) return;
  if (!drag_.dragging()) state.hovered_header = hit.item;
  // Names of tall tracks remain visible, so positions are relative to the visible top of a header.
  const double above = state.layout.y_of(*hit.item, state.shown_scroll());
  const double top = std::max(above, state.part(hit.item->pinned).top_px);
  const double inside = mouse.y - state.boxes.headers.top - top;
  const HeaderPart part =
      header_part_at(state, *hit.item, mouse.x - state.boxes.headers.left, static_cast<float>(inside));
  hovered_part_ = part;
  const bool can_move = hit.item->kind != LayoutItem::Kind::idle;
  if (ImGui::IsItemClicked(ImGuiMouseButton_Left) && can_move)
    drag_.press({hit.item->kind, hit.item->index}, mouse.y);
  const bool clicked = can_move ? released && !was_drag && over : ImGui::IsItemClicked(ImGuiMouseButton_Left);
  const bool wants_menu =
      ImGui::IsItemClicked(ImGuiMouseButton_Right) || (clicked && part == HeaderPart::menu);
  if (wants_menu && can_move) {
    menu_target_ = {hit.item->kind, hit.item->index};
    ImGui::OpenPopup(kTrackMenu);
  } else if (clicked && part == HeaderPart::tick) {
    const std::vector<std::uint32_t> tracks = tracks_of_item(state, *hit.item);
    tick(state, tracks, ticked(state, tracks) != Ticked::all);
  } else if (clicked &&
             click_track_header(state.rows(), state.layout.measures(), state.arrangement, *hit.item, part)) {
    state.layout_stale = true;
  }
}

void TimelineInput::handle_drag(TimelineState& state) {
  if (ImGui::IsItemActivated()) {
    dragged_x_ = dragged_y_ = 0;
    dragging_ = false;
    const DragKeys keys{ImGui::GetIO().KeyShift, space_held_};
    marks_range_ = ImGui::IsMouseDown(ImGuiMouseButton_Left) &&
                   drag_meaning(state.drag_selects, keys) == DragMeaning::marks_range;
  }
  if (!ImGui::IsItemActive()) return;
  const bool left = ImGui::IsMouseDown(ImGuiMouseButton_Left);
  const ImGuiMouseButton button = left ? ImGuiMouseButton_Left : ImGuiMouseButton_Middle;
  const bool began = !dragging_ && ImGui::IsMouseDragging(button, kDragPx * state.scale);
  dragging_ = dragging_ || began;
  if (!dragging_) return;
  if (marks_range_) {
    if (began) range_drag_ = ImGui::GetIO().MouseClickedPos[button];
    return;
  }
  const ImVec2 delta = ImGui::GetMouseDragDelta(button, 0);
  if (delta.x != dragged_x_) state.navigation.drag_px(dragged_x_ - delta.x);
  if (delta.y != dragged_y_) {
    SmoothScroll& scroll = state.scroll_at(ImGui::GetIO().MouseClickedPos[button].y);
    scroll.jump_to(scroll.position() + dragged_y_ - delta.y);
  }
  dragged_x_ = delta.x;
  dragged_y_ = delta.y;
}

void TimelineInput::handle_tracks(TimelineState& state) {
  place_button("tracks", state.boxes.tracks,
               ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonMiddle);
  handle_drag(state);
  const bool over = ImGui::IsItemHovered();
  const bool ended = ImGui::IsItemDeactivated();
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (dragging_ && !ImGui::IsItemActive() && !ended) dragging_ = false;
  handle_double_click(state);
  const bool slices = over && !dragging_ && !state.mouse_on_block;
  state.hovered = slices ? pick_at(state, mouse.x, mouse.y) : EventPick{};
  if (!over || dragging_) return;
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Right) && state.hovered.event.any()) {
    state.choose(state.hovered.event, false);
    state.turn_to_selection();
    state.slice_menu_wanted = true;
  }
  const LayoutHit hit = hit_at(state, mouse.y);
  const bool bar = hit.kind == LayoutHit::Kind::group || hit.kind == LayoutHit::Kind::idle;
  if (bar) state.hovered_header = hit.item;
  if (ended && ImGui::IsMouseReleased(ImGuiMouseButton_Left)) {
    if (bar) {
      state.layout_stale = click_track_header(state.rows(), state.layout.measures(), state.arrangement,
                                              *hit.item, HeaderPart::name);
    } else if (state.mouse_on_block) {
      state.block_clicked = true;
    } else if (click_meaning(ImGui::GetIO().KeyCtrl, state.selection.slice, state.hovered.event.slice) ==
               ClickMeaning::measures) {
      measure_clicked_ = true;
    } else if (ImGui::GetIO().MouseClickedLastCount[ImGuiMouseButton_Left] < 2) {
      clicked_ = state.hovered;
      const bool parts = clicked_.count > 1 && hit.kind == LayoutHit::Kind::lane && !hit.item->merged;
      const double px = mouse.x - state.boxes.tracks.left;
      separating_range_ =
          parts ? separating_range(state.rows(), RowId{hit.row}, state.navigation.view(), px) : TimeRange{};
      state.choose(state.hovered.event, false);
      if (state.hovered.event.any()) state.turn_to_selection();
    }
  }
}

// Handles a double click. It acts on the event under the first click, which may have opened the drawer or
// scrolled.
void TimelineInput::handle_double_click(TimelineState& state) {
  if (!ImGui::IsMouseClicked(ImGuiMouseButton_Left)) return;
  const EventPick clicked = std::exchange(clicked_, {});
  if (!ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left) || !clicked.event.any()) return;
  state.selection = clicked.event;
  if (separating_range_.length_ns() > 0) {
    state.navigation.fit(separating_range_, 0.1);
  } else {
    state.fit_selection();
  }
}

}  // namespace kino
