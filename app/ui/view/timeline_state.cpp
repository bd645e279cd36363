#include "app/ui/view/timeline_state.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/ui/view/event_steps.hpp"
#include "app/ui/widgets/box.hpp"
#include "app/ui/widgets/panel_parts.hpp"

namespace kino {
namespace {

constexpr float kOverviewPx = 44;
constexpr float kStepsPx = 20;
constexpr float kSearchPx = 34;
constexpr float kTrackBarPx = 34;
constexpr float kMostPinned = 0.5F;  // of the tracks' height
constexpr float kLegendPx = 22;
constexpr float kScrollbarPx = 12;
constexpr float kMinHeaderPx = 90;
constexpr float kMinTracksPx = 120;

}  // namespace

std::optional<TrackScrollbar> scrollbar_of(const TimelineState& state, bool pinned) {
  const TimelineState::Part room = state.part(pinned);
  const TrackLayout& layout = state.layout;
  const double window = room.bottom_px - room.top_px;
  const double whole = pinned ? layout.pinned_content_px() : layout.height_px() - layout.pinned_px();
  if (whole <= window || window < 1) return std::nullopt;
  TrackScrollbar bar;
  bar.box = state.boxes.scrollbar;
  bar.box.top = state.boxes.tracks.top + static_cast<float>(room.top_px);
  bar.box.bottom = state.boxes.tracks.top + static_cast<float>(room.bottom_px);
  bar.overflow_px = whole - window;
  bar.thumb_px =
      std::min(bar.box.height(), std::max(state.px(24), static_cast<float>(window * window / whole)));
  const double position = (pinned ? state.pinned_scroll : state.scroll).position();
  bar.thumb_top = bar.box.top + static_cast<float>(position / bar.overflow_px * bar.way_px());
  return bar;
}

TimelineState::TimelineState(std::shared_ptr<const Trace> shown)
    : trace(std::move(shown)),
      annotations(std::make_shared<const StreamAnnotations>(annotated_streams(*trace))),
      arrangement(Arrangement::defaults(*trace)),
      navigation(trace->content) {}

float TimelineState::px(float units) const { return std::round(units * scale); }

float TimelineState::screen_x(std::int64_t time_ns) const {
  const double x = navigation.view().px_from_ns(static_cast<double>(time_ns));
  constexpr double kFar = 1e6;
  return boxes.tracks.left + static_cast<float>(std::clamp(x, -kFar, kFar));
}

TrackScroll TimelineState::shown_scroll() const {
  const double fine = std::max(1.0F, framebuffer_scale);
  const auto whole = [fine](double px) { return std::round(px * fine) / fine; };
  return {whole(scroll.position()), whole(pinned_scroll.position())};
}

SmoothScroll& TimelineState::scroll_at(float mouse_y) {
  const double y = mouse_y - boxes.tracks.top;
  const bool more = layout.pinned_content_px() > layout.pinned_px();
  return more && y >= 0 && y < layout.pinned_px() ? pinned_scroll : scroll;
}

TimelineState::Part TimelineState::part(bool pinned) const {
  const double border = layout.pinned_px();
  if (pinned) return {0, border};
  return {border, std::max<double>(border, layout_window_)};
}

void TimelineState::limit_scrolls() {
  scroll.set_limit(layout.height_px() - layout_window_);
  pinned_scroll.set_limit(layout.pinned_content_px() - layout.pinned_px());
}

void TimelineState::rebuild_layout() {
  layout_window_ = boxes.tracks.height();
  layout.rebuild(rows(), arrangement, LayoutMeasures::scaled(scale, layout_window_),
                 std::floor(layout_window_ * kMostPinned), {matched_rows.get(), selection.slice});
  layout_scale_ = scale;
  layout_stale = false;
  hovered_header = nullptr;
}

void TimelineState::place(float left, float top, float width, float height) {
  hovered_header = nullptr;
  Box& all = boxes.all;
  all = {std::floor(left), std::floor(top), std::floor(left + width), std::floor(top + height)};
  const float inspector_px = inspector_wanted ? inspector_width(all.width(), scale) : 0;
  inspector_shown = inspector_px > 0;
  const float right = all.right - inspector_px;
  const float room = right - all.left;
  const float widest = std::max(px(kMinHeaderPx), std::floor(room * 0.6F));
  const float header = std::min(std::clamp(px(header_width), px(kMinHeaderPx), widest), room - 1);
  const float verdict_bottom = all.top + std::min(verdict_px, all.height());
  const float overview_bottom = verdict_bottom + px(kOverviewPx);
  const float ruler_bottom = overview_bottom + px(kRulerPx);
  const float steps_bottom = ruler_bottom + (steps_shown ? px(kStepsPx) : 0);
  const float search_bottom = steps_bottom + (search_open ? px(kSearchPx) : 0);
  const float bar_bottom = search_bottom + (track_bar_open ? px(kTrackBarPx) : 0);
  const float legend = legend_shown ? px(kLegendPx) : 0;
  const float most = std::max(0.0F, all.bottom - legend - bar_bottom - px(kMinTracksPx));
  const float wanted_px =
      std::min(std::max(drawer.wanted_height(all.height(), scale), px(kMinDrawerPx)), most);
  const float drawer_px = drawer.fills() ? 0 : drawer.height(wanted_px, px(kDrawerBarPx), most);
  const float middle = all.left + header;
  const float legend_bottom = all.bottom - drawer_px;
  const float bottom = legend_bottom - legend;
  boxes.verdict = {all.left, all.top, all.right, verdict_bottom};
  boxes.overview_corner = {all.left, verdict_bottom, middle, overview_bottom};
  boxes.overview = {middle, verdict_bottom, right, overview_bottom};
  boxes.corner = {all.left, overview_bottom, middle, ruler_bottom};
  boxes.ruler = {middle, overview_bottom, right, ruler_bottom};
  boxes.steps_corner = {all.left, ruler_bottom, middle, steps_bottom};
  boxes.steps = {middle, ruler_bottom, right, steps_bottom};
  boxes.search = {all.left, steps_bottom, right, search_bottom};
  boxes.track_bar = {all.left, search_bottom, right, bar_bottom};
  boxes.headers = {all.left, bar_bottom, middle, bottom};
  boxes.tracks = {middle, bar_bottom, right, bottom};
  boxes.scrollbar = {right - px(kScrollbarPx), bar_bottom, right, bottom};
  boxes.legend = {all.left, bottom, right, legend_bottom};
  boxes.drawer = {all.left, legend_bottom, right, all.bottom};
  boxes.inspector = {right, verdict_bottom, all.right, all.bottom};
  const bool other_room = layout_window_ != boxes.tracks.height();
  if (layout_stale || layout_scale_ != scale || other_room) rebuild_layout();
  navigation.set_width(boxes.tracks.width());
  limit_scrolls();
  if (reveal_selection) reveal_vertically();
  if (follow_selection) follow_horizontally();
  shown_once_ = true;
  end_with_whole_rows();
  if (drawer.fills()) hide_tracks();
}

// Ends the tracks with the last whole row. The scrollbar and the limits of scrolling keep the whole height. The
// target of scrolling decides, so that the bottom does not move during the animation.
void TimelineState::end_with_whole_rows() {
  const double fine = std::max(1.0F, framebuffer_scale);
  const double target_px = std::round(scroll.target() * fine) / fine;
  const double shown_px = layout.whole_lines_px(target_px, layout_window_);
  boxes.tracks.bottom = boxes.headers.bottom = boxes.tracks.top + static_cast<float>(shown_px);
}

// Moves everything but the verdict and the drawer out of sight. The heights remain, and so do the layout and
// the scroll positions.
void TimelineState::hide_tracks() {
  move_out_of_sight({&boxes.overview_corner, &boxes.overview, &boxes.corner, &boxes.ruler,
                     &boxes.steps_corner, &boxes.steps, &boxes.search, &boxes.track_bar, &boxes.headers,
                     &boxes.tracks, &boxes.scrollbar, &boxes.legend, &boxes.inspector});
  boxes.drawer = {boxes.all.left, boxes.verdict.bottom, boxes.all.right, boxes.all.bottom};
}

void TimelineState::show_rows(std::shared_ptr<const std::vector<std::uint8_t>> rows) {
  if (rows == matched_rows) return;
  matched_rows = std::move(rows);
  layout_stale = true;
}

void TimelineState::choose(EventRef event, bool move_view) {
  selection = event;
  if (!event.any()) return;
  if (matched_rows != nullptr && event.slice != kNoSlice && !lane_of(event.slice)) layout_stale = true;
  if (!drawer.open && !drawer.refused && !inspector_shown) drawer.open = true;
  reveal_selection = true;
  follow_selection = move_view;
}

void TimelineState::follow_horizontally() {
  follow_selection = false;
  if (selection.any()) navigation.reveal(range_of(*trace, selection));
}

std::optional<TimelineState::LanePosition> TimelineState::lane_of(SliceId slice) const {
  const LanePlace place = layout.place_of(slice);
  if (place.item == nullptr) return std::nullopt;
  return LanePosition{layout.y_of(*place.item, place.top_px, shown_scroll()), place.height_px,
                      place.item->pinned};
}

void TimelineState::take_annotations(std::shared_ptr<const StreamAnnotations> found) {
  annotations = std::move(found);
  layout_stale = true;
}

// Changes the arrangement so that a slice is visible. Returns whether anything changed.
bool TimelineState::reveal_slice(SliceId slice) {
  const auto track = index_of(trace->track_of(slice));
  if (!layout.above_stream(track))
    return reveal(arrangement, rows(), layout.row_of(slice), layout.measures());
  const StreamBrackets& brackets = *annotations->of_annotations(track);
  const Track& stream = trace->tracks[brackets.stream];
  if (bracket_lane(*trace, brackets, slice) && stream.row_count > 0)
    return reveal(arrangement, rows(), RowId{stream.first_row}, layout.measures());
  // The slice has no bracket, so only a row can show it.
  arrangement.annotation_rows = true;
  reveal(arrangement, rows(), layout.row_of(slice), layout.measures());
  return true;
}

void TimelineState::reveal_vertically() {
  reveal_selection = false;
  if (!selection.any()) return;
  LanePlace place;
  double height = layout.measures().lane_px;
  if (selection.slice != kNoSlice) {
    if (reveal_slice(selection.slice)) {
      rebuild_layout();
      limit_scrolls();
    }
    place = layout.place_of(selection.slice);
    if (place.item != nullptr) height = place.height_px;
  } else {
    place.item = layout.item_of(index_of(track_of(*trace, selection)));
    if (place.item == nullptr) return;
    place.top_px = place.item->top_px;
    height = place.item->height_px;
  }
  if (place.item == nullptr) return;
  SmoothScroll& moved = place.item->pinned ? pinned_scroll : scroll;
  const Part room = part(place.item->pinned);
  const double margin = std::min(2.0 * layout.measures().lane_px, (room.bottom_px - room.top_px) / 4);
  double wanted = moved.target();
  if (place.top_px + height > wanted + room.bottom_px)
    wanted = place.top_px + height + margin - room.bottom_px;
  // Checked last: if an item is higher than the window, its top has priority.
  if (place.top_px < wanted + room.top_px) wanted = place.top_px - room.top_px - margin;
  if (wanted == moved.target()) return;
  if (shown_once_) {
    moved.scroll_to(wanted);
  } else {
    moved.jump_to(wanted);
  }
}

void TimelineState::select_range(TimeRange range, SliceId beside) {
  marked.set(range);
  constexpr double kAround = 0.25;      // margin as a share of the range, if the view moves
  constexpr double kLeastShare = 0.05;  // share of the view's width below which a range is too small to see
  const TimeView& target = navigation.target();
  const double left = target.px_from_ns(static_cast<double>(range.begin_ns));
  const double right = target.px_from_ns(static_cast<double>(range.end_ns));
  const bool seen = left >= 0 && right <= target.width_px && right - left >= kLeastShare * target.width_px;
  if (!seen) navigation.fit(range, kAround);
  if (beside != kNoSlice) choose({beside, kNoInstant}, false);
}

void TimelineState::show_example() {
  constexpr double kMargin = 0.2;
  const Examples::Place& place = examples.places[examples.at];
  marked.set(place.range);
  navigation.fit(place.range, kMargin);
  selection = {};
  if (place.slice != kNoSlice) choose({place.slice, kNoInstant}, false);
}

void TimelineState::show_examples(std::vector<Examples::Place> places) {
  examples = {std::move(places), 0, true};
  if (!examples.places.empty()) show_example();
}

bool TimelineState::step_example(int step) {
  if (examples.places.empty()) return false;
  if (selection.any() && (!examples.shown || selection.slice != examples.places[examples.at].slice))
    return false;
  if (!std::exchange(examples.shown, true)) {
    show_example();
    return true;
  }
  const auto last = static_cast<std::int64_t>(examples.places.size()) - 1;
  examples.at = static_cast<std::size_t>(
      std::clamp(static_cast<std::int64_t>(examples.at) + step, std::int64_t{0}, last));
  show_example();
  return true;
}

void TimelineState::fit_selection() {
  const std::optional<TimeRange>& range_marked = marked.range();
  const bool nothing = !selection.any() && !range_marked;
  if (nothing || (focused && *focused == navigation.target())) {
    navigation.fit_all();
    focused.reset();
    return;
  }
  constexpr std::int64_t kInstantMargin = 10'000;
  TimeRange range = selection.any() ? range_of(*trace, selection) : *range_marked;
  if (range.length_ns() == 0) range = {range.begin_ns - kInstantMargin, range.end_ns + kInstantMargin};
  navigation.fit(range, selection.any() ? 0.2 : 0.05);
  focused = navigation.target();
  reveal_selection = true;
}

void TimelineState::clear_selection() {
  const bool range_first = drawer.page == drawer_page::kRange || !selection.any();
  if (drawer.fills()) {
    drawer.leave_full();
  } else if (marked.dragging()) {
    marked.cancel();
  } else if (marked.range() && range_first) {
    marked.clear();
  } else {
    selection = {};
  }
}

void TimelineState::turn_to_selection() {
  if (!inspector_shown) drawer.page = drawer_page::kSelection;
}

void TimelineState::toggle_drawer() {
  if (inspector_shown && !drawer.open && drawer.page == drawer_page::kSelection)
    drawer.page = drawer_page::kTables;
  const bool filled = drawer.fills();
  drawer.toggle_open();
  if (!filled) inspector_wanted = drawer.open;
  reveal_selection = drawer.open;
}

}  // namespace kino
