#include "app/pages/comparison/step_lanes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "app/pages/comparison/comparison_texts.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/view/busy_band.hpp"
#include "app/ui/widgets/hatching.hpp"
#include "app/ui/widgets/panel_parts.hpp"
#include "app/ui/widgets/ruler.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"
#include "core/trace/name_text.hpp"

namespace kino {
namespace {

constexpr float kLanePx = 44;
constexpr float kRibbonPx = 5;     // minimum average width of a ribbon; else a coarser depth is drawn
constexpr double kNeutral = 0.05;  // smaller relative changes are drawn as unchanged
constexpr int kPieces = 24;        // segments of a ribbon's curve
constexpr std::size_t kMostName = 60;
constexpr std::array kBusy{TimeCategory::cpu, TimeCategory::copy, TimeCategory::comm, TimeCategory::compute};
constexpr std::array kIdle{TimeCategory::idle_tail, TimeCategory::idle_host, TimeCategory::idle_launch,
                           TimeCategory::idle_loader};

Box lane_box(const ComparisonState& state, std::size_t side) {
  const Box& lanes = state.boxes.lanes;
  const float height = std::min(state.px(kLanePx), std::floor(lanes.height() * 0.24F));
  const float gap = state.px(6);
  return side == 0 ? Box{lanes.left, lanes.top + gap, lanes.right, lanes.top + gap + height}
                   : Box{lanes.left, lanes.bottom - gap - height, lanes.right, lanes.bottom - gap};
}

/// Returns the area of the ribbons: between the lanes, and above B's ruler if B has one.
Box ribbon_box(const ComparisonState& state) {
  const Box& lanes = state.boxes.lanes;
  const float below = lane_box(state, 1).top - (state.own_axis() ? state.boxes.ruler.height() : 0);
  return {lanes.left, lane_box(state, 0).bottom, lanes.right, below};
}

const std::vector<StepNode>& nodes_of(const ComparisonState& state, std::size_t side, StepDepth depth) {
  return state.lane(side).outline.at(depth);
}

/// Returns the first node of the depth `work` within a node; null if there is none.
const StepNode* first_work(const ComparisonState& state, std::size_t side, StepDepth depth,
                           std::uint32_t node) {
  const StepNode* step_node = &nodes_of(state, side, depth)[node];
  for (auto at = static_cast<std::size_t>(depth); at + 1 < kStepDepthCount; ++at) {
    if (step_node->first_child >= step_node->end_child) return nullptr;
    step_node = &state.lane(side).outline.nodes[at + 1][step_node->first_child];
  }
  return step_node;
}

std::string name_of(const ComparisonState& state, std::size_t side, StepDepth depth, std::uint32_t node) {
  const StepNode& step_node = nodes_of(state, side, depth)[node];
  if (step_node.slice == kNoSlice) {
    // A phase is only called forward if a backward phase follows it.
    const std::vector<StepNode>& phases = nodes_of(state, side, StepDepth::phase);
    const bool backward = std::ranges::any_of(phases, [&](const StepNode& later) {
      return later.phase == StepPhase::backward && later.begin_ns >= step_node.end_ns;
    });
    return phase_name(step_node.phase, backward);
  }
  return escaped(shortened_text(state.picture->runs->traces[side]->name_of(step_node.slice), kMostName));
}

/// Smoothstep: from 0 to 1 with horizontal ends.
float eased(float t) { return t * t * (3 - 2 * t); }

}  // namespace

void StepLanes::drag(ComparisonState& state) {
  dragging_ = dragging_ || ImGui::IsMouseDragging(ImGuiMouseButton_Left, kDragPx * state.scale);
  if (!dragging_) return;
  const float x = ImGui::GetMouseDragDelta(ImGuiMouseButton_Left, 0).x;
  if (x != dragged_px_) state.navigation.drag_px(dragged_px_ - x);
  dragged_px_ = x;
}

void StepLanes::click(ComparisonState& state) {
  if (!hovered_) {
    state.select_row(std::nullopt);
    return;
  }
  const std::size_t side = hovered_->a != AlignedNode::kNone ? 0 : 1;
  const StepNode* const work = first_work(state, side, depth_, side == 0 ? hovered_->a : hovered_->b);
  if (work == nullptr || depth_ == StepDepth::phase) return;
  const std::vector<LanePart>& parts = state.lane(side).parts;
  const auto part = std::ranges::find(parts, work->slice, &LanePart::slice);
  if (part == parts.end() || part->row == kNoRow) return;
  const std::uint32_t row = state.picture->row_of[side][part->row];
  if (row != kNoRow) state.select_row(row);
}

void StepLanes::handle(ComparisonState& state) {
  const Box& lanes = state.boxes.lanes;
  state.navigation.set_width(std::max(1.0F, lanes.width()));
  over_ = false;
  if (lanes.height() < 1) return;
  place_button("lanes", {lanes.left, state.boxes.ruler.top, lanes.right, lanes.bottom});
  over_ = ImGui::IsItemHovered();
  if (ImGui::IsItemActivated()) {
    dragging_ = false;
    dragged_px_ = 0;
  }
  if (ImGui::IsItemActive()) {
    drag(state);
  } else if (ImGui::IsItemDeactivated() && !dragging_ && over_) {
    if (ImGui::GetIO().MouseClickedLastCount[ImGuiMouseButton_Left] >= 2 && hovered_) {
      click(state);
      state.want_slice();
    } else {
      click(state);
    }
  }
  const ImGuiIO& io = ImGui::GetIO();
  if (!over_) return;
  const double notch_px = static_cast<double>(lanes.width()) * kWheelPanShare;
  if (io.MouseWheelH != 0) state.navigation.pan_px(-io.MouseWheelH * notch_px);
  if (io.MouseWheel == 0) return;
  if (io.KeyShift) {
    state.navigation.pan_px(-io.MouseWheel * notch_px);
  } else {
    state.navigation.zoom_at(io.MousePos.x - lanes.left, std::pow(kWheelZoom, io.MouseWheel));
  }
}

namespace {

/// Labels long idle intervals with cause and duration.
void draw_idle_words(ImDrawList& list, const ComparisonState& state, const Box& box, const TimeView& view,
                     const StepLane& lane) {
  const Theme& theme = state.theme;
  const float size = ImGui::GetFontSize();
  for (const TimeCategory cause : kIdle) {
    const BusyLine& line = lane.causes[static_cast<std::size_t>(cause)];
    for (std::size_t i = line.first_after(static_cast<std::int64_t>(view.begin_ns)); i < line.size(); ++i) {
      const TimeRange range = line[i];
      if (static_cast<double>(range.begin_ns) >= view.end_ns()) break;
      const double px = static_cast<double>(range.length_ns()) / view.ns_per_px;
      if (px < 60 * state.scale) continue;
      std::string words = cause_name(cause) + " " + text_from_duration(range.length_ns());
      if (text_width(words) + state.px(14) > px) words = text_from_duration(range.length_ns());
      const float width = text_width(words);
      const float from = std::max(
          box.left, box.left + static_cast<float>(view.px_from_ns(static_cast<double>(range.begin_ns))));
      const float to = std::min(
          box.right, box.left + static_cast<float>(view.px_from_ns(static_cast<double>(range.end_ns))));
      if (to - from < width + state.px(14)) continue;
      const float x = std::floor((from + to - width) / 2);
      const float y = std::floor((box.top + box.bottom - size) / 2);
      list.AddRectFilled({x - state.px(4), y - 1}, {x + width + state.px(4), y + size + 1},
                         with_alpha(theme.track_area, 220), state.px(3));
      list.AddText({x, y}, theme.text, words.c_str());
    }
  }
}

void draw_lane_labels(ImDrawList& list, const ComparisonState& state, const Box& box, std::size_t side) {
  const StepLane& lane = state.lane(side);
  const float size = ImGui::GetFontSize();
  const Box& labels = state.boxes.labels;
  const float left = labels.left + state.px(14);
  const float room = labels.right - state.px(10) - left;
  const bool one_step = state.picture->runs->records[side].windows.size() == 1;
  const std::string title =
      std::string(side == 0 ? "A  " : "B  ") +
      (lane.name.empty() ? std::string(tr(Text::runs_whole_trace))
                         : filled(one_step ? Text::runs_one_step : Text::runs_typical_step, {lane.name}));
  const float top = std::floor((box.top + box.bottom) / 2 - size - state.px(1));
  draw_elided(list, {left, top}, room, state.theme.text, title);
  draw_elided(list, {left, top + size + state.px(2)}, room, state.theme.text_dim,
              text_from_duration(lane.window.length_ns()));
}

}  // namespace

void StepLanes::draw_lane(ImDrawList& list, const ComparisonState& state, std::size_t side) const {
  const Box box = lane_box(state, side);
  const Theme& theme = state.theme;
  const TimeView view = state.view_of(side);
  const StepLane& lane = state.lane(side);
  list.AddRectFilled(left_top(box), right_bottom(box), theme.track_area);
  const bool one = state.row.has_value();
  const auto strength = [&](std::uint32_t color, bool lit) {
    return lit ? color : mixed(theme.track_area, color, 0.3);
  };
  // Idle time is drawn less tall than work, so that both can be distinguished without colors.
  const float inset = std::round(box.height() * 0.22F);
  const Box idle{box.left, box.top + inset, box.right, box.bottom - inset};
  for (const TimeCategory cause : kIdle) {
    const bool lit = !one && (!state.cause || state.cause == cause);
    draw_busy_band(list, view, idle, lane.causes[static_cast<std::size_t>(cause)],
                   {strength(mixed(theme.track_area, cause_color(cause, theme), 0.75), lit), theme.track_area,
                    cause == TimeCategory::idle_loader, state.scale});
  }
  for (const TimeCategory cause : kBusy) {
    const bool lit = !one && (!state.cause || state.cause == cause);
    draw_busy_band(list, view, box, lane.causes[static_cast<std::size_t>(cause)],
                   {strength(cause_color(cause, theme), lit), theme.track_area, false, state.scale});
  }
  if (one) {
    draw_busy_band(list, view, box, state.of_row[side],
                   {cause_color(state.picture->comparison.rows[*state.row].cause, theme), theme.track_area,
                    false, state.scale});
  }
  draw_idle_words(list, state, box, view, lane);
  draw_lane_labels(list, state, box, side);
}

void StepLanes::draw_ribbon(ImDrawList& list, const ComparisonState& state, const Ribbon& ribbon,
                            bool hovered) {
  const float top = ribbon_box(state).top + 1;
  const float bottom = ribbon_box(state).bottom - 1;
  const Theme& theme = state.theme;
  const bool alone = ribbon.node.a == AlignedNode::kNone || ribbon.node.b == AlignedNode::kNone;
  const double change = ribbon.length_b_ns - ribbon.length_a_ns;
  const bool forced = state.picture->comparison.forced;
  const bool neutral = forced || (!alone && std::abs(change) < kNeutral * ribbon.length_a_ns);
  const Direction direction = direction_of(change, !neutral);
  const std::uint32_t color = color_of(direction, theme);
  const std::uint32_t alpha = direction == Direction::none ? (hovered ? 60U : 26U) : (hovered ? 140U : 75U);
  std::array<ImVec2, kPieces + 1> left;
  std::array<ImVec2, kPieces + 1> right;
  // Antialiased segments would show seams between them.
  const ImDrawListFlags flags = std::exchange(list.Flags, list.Flags & ~ImDrawListFlags_AntiAliasedFill);
  for (int i = 0; i <= kPieces; ++i) {
    const float t = static_cast<float>(i) / kPieces;
    const auto at = static_cast<std::size_t>(i);
    left[at] = {ribbon.left_at(t), top + (bottom - top) * t};
    right[at] = {std::max(ribbon.left_at(t), ribbon.right_at(t)), left[at].y};
    if (i > 0) list.AddQuadFilled(left[at - 1], right[at - 1], right[at], left[at], with_alpha(color, alpha));
  }
  list.Flags = flags;
  // Ribbons of slower work and of work on only one side are hatched.
  if (direction == Direction::slower || alone)
    draw_ribbon_hatching(list, state, ribbon, with_alpha(color, 130));
  const std::uint32_t edge =
      with_alpha(direction == Direction::none ? theme.text_dim : color, hovered ? 255 : 150);
  list.AddPolyline(left.data(), kPieces + 1, edge, 0, 1);
  list.AddPolyline(right.data(), kPieces + 1, edge, 0, 1);
  draw_ribbon_words(list, state, ribbon);
}

void StepLanes::draw_ribbon_hatching(ImDrawList& list, const ComparisonState& state, const Ribbon& ribbon,
                                     std::uint32_t color) {
  const float top = ribbon_box(state).top + 1;
  const float step = state.px(8);
  const float height = ribbon_box(state).bottom - 1 - top;
  // Only the visible part is hatched, because a ribbon can be far wider than the window.
  const Box& seen = state.boxes.lanes;
  const float from = std::max(std::min(ribbon.top_left, ribbon.bottom_left), seen.left);
  const float to = std::min(std::max(ribbon.top_right, ribbon.bottom_right), seen.right);
  const float first = std::floor((from - height) / step) * step;
  constexpr int kSamples = 80;
  const auto lines = static_cast<int>((to - first) / step) + 1;
  for (int l = 0; l < lines; ++l) {
    const float x0 = first + static_cast<float>(l) * step;
    int begin = -1;
    for (int i = 0; i <= kSamples; ++i) {
      const float t = static_cast<float>(i) / kSamples;
      const float x = x0 + height * t;
      const bool inside = i < kSamples && x >= ribbon.left_at(t) && x <= ribbon.right_at(t);
      if (inside && begin < 0) begin = i;
      if (inside || begin < 0) continue;
      const float t0 = static_cast<float>(begin) / kSamples;
      const float t1 = static_cast<float>(i - 1) / kSamples;
      list.AddLine({x0 + height * t0, top + height * t0}, {x0 + height * t1, top + height * t1}, color);
      begin = -1;
    }
  }
}

void StepLanes::draw_ribbon_words(ImDrawList& list, const ComparisonState& state, const Ribbon& ribbon) {
  const float top = ribbon_box(state).top + 1;
  const float bottom = ribbon_box(state).bottom - 1;
  const std::size_t side = ribbon.node.a != AlignedNode::kNone ? 0 : 1;
  const std::string name = name_of(state, side, depth_, side == 0 ? ribbon.node.a : ribbon.node.b);
  std::string words = name + " · " + signed_duration(ribbon.length_b_ns - ribbon.length_a_ns);
  float width = text_width(words);
  const float room = ribbon.right_at(0.5F) - ribbon.left_at(0.5F) - state.px(12);
  // Phases are few, so a narrow one at least has its name.
  if (room < width && depth_ == StepDepth::phase) {
    words = name;
    width = text_width(words);
  }
  if (room < width) return;
  const float size = ImGui::GetFontSize();
  const Box& lanes = state.boxes.lanes;
  const float middle = (ribbon.left_at(0.5F) + ribbon.right_at(0.5F)) / 2;
  const float x =
      std::floor(std::clamp(middle - width / 2, lanes.left + state.px(8),
                            std::max(lanes.left + state.px(8), lanes.right - width - state.px(8))));
  if (x - state.px(6) < labels_end_) return;
  labels_end_ = x + width + state.px(8);
  const float y = std::floor((top + bottom - size) / 2);
  list.AddRectFilled({x - state.px(6), y - state.px(3)}, {x + width + state.px(6), y + size + state.px(3)},
                     with_alpha(state.theme.track_area, 225), state.px(4));
  list.AddText({x, y}, state.theme.text, words.c_str());
}

void StepLanes::draw_card(const ComparisonState& state, const Ribbon& ribbon) const {
  const AlignedNode& node = ribbon.node;
  std::string words;
  if (node.a != AlignedNode::kNone) words = name_of(state, 0, depth_, node.a);
  if (node.b != AlignedNode::kNone && (node.a == AlignedNode::kNone || node.replaced)) {
    words += (words.empty() ? "" : "\n→ ") + name_of(state, 1, depth_, node.b);
  }
  const auto length = [](std::uint32_t of, double ns) {
    return of == AlignedNode::kNone ? std::string("–") : text_from_duration(std::llround(ns));
  };
  words += "\n" + filled(Text::runs_durations,
                         {length(node.a, ribbon.length_a_ns), length(node.b, ribbon.length_b_ns),
                          signed_duration(ribbon.length_b_ns - ribbon.length_a_ns)});
  ImGui::SetTooltip("%s", words.c_str());
}

float StepLanes::Ribbon::left_at(float t) const { return top_left + (bottom_left - top_left) * eased(t); }
float StepLanes::Ribbon::right_at(float t) const { return top_right + (bottom_right - top_right) * eased(t); }

std::vector<StepLanes::Ribbon> StepLanes::ribbons_of(const ComparisonState& state, StepDepth depth,
                                                     std::size_t most) {
  const Box& lanes = state.boxes.lanes;
  const StepAlignment& joined = state.picture->runs->alignment;
  const std::array<TimeView, kSides> views{state.view_of(0), state.view_of(1)};
  std::vector<Ribbon> ribbons;
  std::array<double, kSides> ends{};  // ends of the previous nodes
  const auto x_of = [&](std::size_t side, double ns) {
    // Positions far outside of the view are clamped, which limits the slope of the curves.
    const double px = views[side].px_from_ns(ns);
    return lanes.left + static_cast<float>(std::clamp(px, -1e5, 1e5));
  };
  for (const AlignedNode& node : joined[static_cast<std::size_t>(depth)]) {
    Ribbon ribbon;
    ribbon.node = node;
    ribbon.top_left = ribbon.top_right = x_of(0, ends[0]);
    ribbon.bottom_left = ribbon.bottom_right = x_of(1, ends[1]);
    if (node.a != AlignedNode::kNone) {
      const StepNode& step_node = nodes_of(state, 0, depth)[node.a];
      ribbon.top_left = x_of(0, static_cast<double>(step_node.begin_ns));
      ribbon.top_right = x_of(0, static_cast<double>(step_node.end_ns));
      ribbon.length_a_ns = static_cast<double>(step_node.length_ns());
      ends[0] = static_cast<double>(step_node.end_ns);
    }
    if (node.b != AlignedNode::kNone) {
      const StepNode& node_of_step = nodes_of(state, 1, depth)[node.b];
      ribbon.bottom_left = x_of(1, static_cast<double>(node_of_step.begin_ns));
      ribbon.bottom_right = x_of(1, static_cast<double>(node_of_step.end_ns));
      ribbon.length_b_ns = static_cast<double>(node_of_step.length_ns());
      ends[1] = static_cast<double>(node_of_step.end_ns);
    }
    const float from = std::min(ribbon.top_left, ribbon.bottom_left);
    const float to = std::max(ribbon.top_right, ribbon.bottom_right);
    if (to > lanes.left && from < lanes.right) ribbons.push_back(ribbon);
    if (ribbons.size() > most && depth != StepDepth::phase) break;
  }
  return ribbons;
}

void StepLanes::draw_ribbons(ImDrawList& list, const ComparisonState& state) {
  const Box& lanes = state.boxes.lanes;
  std::vector<Ribbon> shown;
  const auto most = static_cast<std::size_t>(lanes.width() / (kRibbonPx * state.scale));
  // Chooses the finest depth whose ribbons fit, or the coarsest depth if none fits.
  for (const StepDepth depth : {StepDepth::work, StepDepth::op, StepDepth::phase}) {
    shown = ribbons_of(state, depth, most);
    depth_ = depth;
    if (shown.size() <= most) break;
  }
  const float top = ribbon_box(state).top;
  const float bottom = ribbon_box(state).bottom;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  hovered_.reset();
  const Ribbon* hovered = nullptr;
  if (over_ && !dragging_) {
    const float t = std::clamp((mouse.y - top) / std::max(1.0F, bottom - top), 0.0F, 1.0F);
    for (const Ribbon& ribbon : shown) {
      const float from = ribbon.left_at(t);
      const float to = ribbon.right_at(t);
      if (mouse.x >= from && mouse.x < to) hovered = &ribbon;
    }
  }
  list.PushClipRect({lanes.left, top}, {lanes.right, bottom}, true);
  labels_end_ = lanes.left;
  for (const Ribbon& candidate : shown) draw_ribbon(list, state, candidate, &candidate == hovered);
  list.PopClipRect();
  drawn_ = shown.size();
  if (hovered == nullptr || mouse.y < lanes.top) return;
  hovered_ = hovered->node;
  draw_card(state, *hovered);
}

namespace {

/// Returns a text that the ribbons show single steps, unlike the means above them. Empty if both runs have
/// one step, or none is marked.
std::string ribbon_steps(const ComparisonState& state) {
  const auto& records = state.picture->runs->records;
  if (records[0].windows.size() == 1 && records[1].windows.size() == 1) return {};
  const std::string& a = state.lane(0).name;
  const std::string& b = state.lane(1).name;
  if (a.empty() || b.empty()) return {};
  return a == b ? filled(Text::runs_ribbons_of_step, {a}) : filled(Text::runs_ribbons_of_steps, {a, b});
}

}  // namespace

void StepLanes::draw(ImDrawList& list, const ComparisonState& state) {
  const Box& lanes = state.boxes.lanes;
  drawn_ = 0;
  hovered_.reset();
  if (lanes.height() < 1) return;
  const Theme& theme = state.theme;
  const Box& labels = state.boxes.labels;
  list.AddRectFilled(left_top(labels), {state.boxes.all.right, labels.bottom}, theme.window);
  list.AddLine({labels.left, labels.top + 0.5F}, {state.boxes.all.right, labels.top + 0.5F}, theme.border);
  // On a common axis, both lanes share A's ruler. Otherwise B has its own ruler.
  const std::array<Box, kSides> rulers{
      state.boxes.ruler, Box{lanes.left, ribbon_box(state).bottom, lanes.right, lane_box(state, 1).top}};
  const bool own_axis = state.own_axis();
  for (std::size_t side = 0; side < (own_axis ? kSides : 1); ++side) {
    const TimeView view = state.view_of(side);
    const RulerScale ticks = ruler_scale(view, state.px(110));
    draw_ruler(list, view, ticks, left_top(rulers[side]), right_bottom(rulers[side]), {}, theme, state.scale);
    if (!own_axis) draw_grid(list, view, ticks, left_top(lanes), right_bottom(lanes), theme);
  }
  list.PushClipRect({labels.left, lanes.top}, right_bottom(lanes), true);
  for (std::size_t side = 0; side < kSides; ++side) draw_lane(list, state, side);
  list.PopClipRect();
  const bool few = state.lane(0).parts.size() <= StepLane::kMostOutlined &&
                   state.lane(1).parts.size() <= StepLane::kMostOutlined;
  const bool joined = state.told() != nullptr && few;
  if (joined) draw_ribbons(list, state);
  constexpr std::array kDepths{Text::runs_ribbons_phases, Text::runs_ribbons_operators,
                               Text::runs_ribbons_work};
  const float y = std::floor((lane_box(state, 0).bottom + lane_box(state, 1).top) / 2 - ImGui::GetFontSize());
  const float left = labels.left + state.px(14);
  const float room = labels.right - state.px(10) - left;
  draw_elided(list, {left, y}, room, theme.text_dim,
              tr(joined ? kDepths[static_cast<std::size_t>(depth_)]
                 : few  ? Text::runs_ribbons_not_comparable
                        : Text::runs_ribbons_too_many));
  if (!joined) return;
  const float line = ImGui::GetFontSize() + state.px(3);
  float below = y + line;
  if (const std::string steps = ribbon_steps(state); !steps.empty()) {
    draw_elided(list, {left, below}, room, theme.text_dim, steps);
    below += line;
  }
  if (depth_ != StepDepth::work && below + ImGui::GetFontSize() <= lane_box(state, 1).top)
    draw_elided(list, {left, below}, room, theme.text_dim, tr(Text::runs_zoom_for_more));
}

}  // namespace kino
