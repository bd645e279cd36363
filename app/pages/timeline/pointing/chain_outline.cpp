#include "app/pages/timeline/pointing/chain_outline.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/pages/timeline/pointing/event_outline.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/view/slice_style.hpp"
#include "app/ui/widgets/panel_parts.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

constexpr double kOtherSliceSeconds = 0.3;  // time on another slice after which its pills are shown
constexpr double kNoSliceSeconds = 1.5;     // time without a slice after which pills vanish

// At scale 1.
constexpr float kPillPx = 24;
constexpr float kPillPaddingPx = 9;
constexpr float kPillMarginPx = 5;
constexpr float kPillNamePx = 300;
constexpr float kMousePx = 14;  // minimum distance of new pills from the mouse

bool intersect(const Box& a, const Box& b) {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

std::string pill_text(const TimelineState& state, SliceId hovered, SliceId slice, BeyondEdge edge) {
  const Trace& trace = *state.trace;
  const std::string name =
      fitted_in_middle(SliceStyle::short_text(trace.name_of(slice)), state.px(kPillNamePx));
  if (edge == BeyondEdge::top) return filled(Text::chain_above, {name});
  if (edge == BeyondEdge::bottom) return filled(Text::chain_below, {name});
  const std::int64_t later_ns = trace.start_ns(slice) - trace.start_ns(hovered);
  return filled(later_ns < 0 ? Text::chain_earlier : Text::chain_later,
                {name, text_from_duration(std::abs(later_ns))});
}

}  // namespace

BeyondEdge edge_beyond(const TimelineState& state, SliceId slice) {
  const TimeRange range = state.trace->range_of(slice);
  const TimeView& view = state.navigation.view();
  const auto lane = state.lane_of(slice);
  if (!lane) return BeyondEdge::none;
  if (static_cast<double>(range.end_ns) < view.begin_ns) return BeyondEdge::left;
  if (static_cast<double>(range.begin_ns) > view.end_ns()) return BeyondEdge::right;
  const TimelineState::Part room = state.part(lane->pinned);
  if (lane->y_px + lane->height_px <= room.top_px) return BeyondEdge::top;
  return lane->y_px >= room.bottom_px ? BeyondEdge::bottom : BeyondEdge::none;
}

void ChainOutline::set(SliceId hovered, ConnectedSlices connected) {
  hovered_ = hovered;
  connected_ = std::move(connected);
  resting_seconds_ = 0;
}

// The pills of a slice remain while the mouse moves across other slices, so that it can reach them.
void ChainOutline::choose_pills(double delta_seconds) {
  constexpr double kLongestFrame = 0.1;
  resting_seconds_ += std::min(delta_seconds, kLongestFrame);
  if (hovered_ == pills_of_) return;
  if (over_pill_) {
    resting_seconds_ = 0;
    return;
  }
  const double wait = hovered_ == kNoSlice ? kNoSliceSeconds : kOtherSliceSeconds;
  if (!pills_.empty() && resting_seconds_ < wait) return;
  pills_of_ = hovered_;
  pill_slices_ = connected_.named;
  mouse_ = ImGui::GetIO().MousePos;
}

void ChainOutline::place_pill(const TimelineState& state, Pill& pill) const {
  const Box& tracks = state.boxes.tracks;
  const float right = state.boxes.scrollbar.left;
  const float margin = state.px(kPillMarginPx);
  const float width = std::ceil(text_width(pill.text)) + 2 * state.px(kPillPaddingPx);
  const float height = state.px(kPillPx);
  float x = pill.edge == BeyondEdge::left ? tracks.left + margin : right - margin - width;
  if (pill.edge == BeyondEdge::top || pill.edge == BeyondEdge::bottom) {
    const TimeRange range = state.trace->range_of(pill.slice);
    const float begin = std::max(state.screen_x(range.begin_ns), tracks.left);
    const float end = std::min(state.screen_x(range.end_ns), right);
    x = std::clamp((begin + end - width) / 2, tracks.left + margin,
                   std::max(tracks.left + margin, right - margin - width));
  }
  const auto lane = state.lane_of(pill.slice);
  const float lane_y = lane ? static_cast<float>(lane->y_px) + (lane->height_px - height) / 2 : 0;
  const float top = tracks.top + margin;
  const float lowest = std::max(top, tracks.bottom - margin - height);
  float y = std::clamp(tracks.top + lane_y, top, lowest);
  if (pill.edge == BeyondEdge::bottom) y = lowest;
  x = std::floor(x);
  y = std::floor(y);
  pill.box = {x, y, x + width, y + height};
}

void ChainOutline::place_pills(const TimelineState& state, const std::optional<Box>& avoided) {
  pills_.clear();
  if (pills_of_ == kNoSlice || state.drawer.fills()) return;
  const float around = state.px(kMousePx);
  std::vector<Box> taken{{mouse_.x - around, mouse_.y - around, mouse_.x + around, mouse_.y + around}};
  if (avoided) taken.push_back(*avoided);
  for (const SliceId slice : pill_slices_) {
    const BeyondEdge edge = edge_beyond(state, slice);
    if (edge == BeyondEdge::none) continue;
    Pill pill{slice, edge, pill_text(state, pills_of_, slice, edge), {}};
    place_pill(state, pill);
    // Pills that would overlap are stacked, downwards unless they are in the lower half.
    const float height = pill.box.height() + state.px(2);
    const bool lower = pill.box.top > (state.boxes.tracks.top + state.boxes.tracks.bottom) / 2;
    constexpr int kMostMoves = 8;
    for (int i = 0; i < kMostMoves; ++i) {
      const auto hit = [&](const Box& box) { return intersect(box, pill.box); };
      if (std::ranges::none_of(taken, hit)) break;
      pill.box.top += lower ? -height : height;
      pill.box.bottom += lower ? -height : height;
    }
    taken.push_back(pill.box);
    pills_.push_back(std::move(pill));
  }
}

SliceId ChainOutline::handle(const TimelineState& state, const std::optional<Box>& avoided,
                             double delta_seconds) {
  choose_pills(delta_seconds);
  place_pills(state, avoided);
  over_pill_ = false;
  SliceId clicked = kNoSlice;
  for (const Pill& pill : pills_) {
    ImGui::SetCursorScreenPos(left_top(pill.box));
    ImGui::PushID(static_cast<int>(index_of(pill.slice)));
    if (ImGui::InvisibleButton("connected", {pill.box.width(), pill.box.height()})) clicked = pill.slice;
    ImGui::PopID();
    if (ImGui::IsItemActive()) over_pill_ = true;
    if (!ImGui::IsItemHovered()) continue;
    over_pill_ = true;
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    wrapped_tooltip(tr(Text::chain_hint));
  }
  if (clicked != kNoSlice) {
    pills_of_ = kNoSlice;
    pill_slices_.clear();
    over_pill_ = false;
  }
  return clicked;
}

void ChainOutline::draw(ImDrawList& list, const TimelineState& state, const Theme& theme) const {
  const float width = std::max(1.0F, state.px(1));
  if (state.hovered.event.slice != kNoSlice) {
    for (const std::vector<SliceId>* slices : {&connected_.named, &connected_.others}) {
      for (const SliceId slice : *slices)
        draw_event_outline(list, state, {slice, kNoInstant}, theme.accent, width);
    }
  }
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  for (const Pill& pill : pills_) {
    const float round = pill.box.height() / 2;
    const bool under_mouse = over_pill_ && pill.box.contains(mouse.x, mouse.y);
    list.AddRectFilled(left_top(pill.box), right_bottom(pill.box),
                       under_mouse ? mixed(theme.panel, theme.accent, 0.3) : theme.panel, round);
    list.AddRect(left_top(pill.box), right_bottom(pill.box), theme.accent, round, 0, width);
    const float y = std::floor((pill.box.top + pill.box.bottom - ImGui::GetFontSize()) / 2);
    list.AddText({pill.box.left + state.px(kPillPaddingPx), y}, theme.text, pill.text.c_str());
  }
}

nlohmann::ordered_json ChainOutline::test_state(const Trace& trace) const {
  using Json = nlohmann::ordered_json;
  Json outlined = Json::array();
  for (const std::vector<SliceId>* slices : {&connected_.named, &connected_.others}) {
    for (const SliceId slice : *slices) outlined.push_back(trace.name_of(slice));
  }
  Json pills = Json::array();
  for (const Pill& pill : pills_) {
    pills.push_back({{"text", pill.text},
                     {"at", {(pill.box.left + pill.box.right) / 2, (pill.box.top + pill.box.bottom) / 2}}});
  }
  return {{"outlined", std::move(outlined)}, {"pills", std::move(pills)}};
}

}  // namespace kino
