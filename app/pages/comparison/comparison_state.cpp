#include "app/pages/comparison/comparison_state.hpp"

#include <algorithm>
#include <utility>

#include "app/ui/widgets/panel_parts.hpp"

namespace kino {
namespace {

constexpr float kHeadPx = 104;
constexpr float kBarPx = 32;
constexpr float kChartsPx = 246;
constexpr float kLeastChartsPx = 196;
constexpr float kLanesPx = 320;
constexpr float kLeastLanesPx = 170;
constexpr float kLabelsPx = 170;
constexpr float kLeastDrawerPx = 120;
constexpr float kStepsPx = 300;
constexpr float kMarginPx = 14;

}  // namespace

double ComparisonState::stretch(std::size_t side) const {
  const auto length = static_cast<double>(lane(side).window.length_ns());
  if (linked || length <= 0) return 1;
  const auto longest = static_cast<double>(std::max(lane(0).window.length_ns(), lane(1).window.length_ns()));
  return longest / length;
}

double ComparisonState::shift_of_b() const {
  if (!linked || told() == nullptr) return 0;
  const TimeView& view = navigation.view();
  const auto longest = static_cast<double>(std::max(lane(0).window.length_ns(), lane(1).window.length_ns()));
  // An overview aligns the starts of both steps. A close view aligns the work in the middle of the view.
  constexpr double kWhole = 0.6;
  constexpr double kPart = 0.3;
  const double seen = (view.end_ns() - view.begin_ns) / std::max(1.0, longest);
  const double weight = std::clamp((kWhole - seen) / (kWhole - kPart), 0.0, 1.0);
  if (weight == 0) return 0;
  const double middle = (view.begin_ns + view.end_ns()) / 2;
  return weight * (picture->runs->time_in_b(middle) - middle);
}

TimeView ComparisonState::view_of(std::size_t side) const {
  TimeView view = navigation.view();
  const double by = stretch(side);
  view.begin_ns /= by;
  view.ns_per_px /= by;
  if (side == 1) view.begin_ns += shift_of_b();
  return view;
}

bool ComparisonState::own_axis() const { return !linked || shift_of_b() != 0; }

void ComparisonState::place(float left, float top, float width, float height) {
  boxes = {};
  boxes.all = {left, top, left + width, top + height};
  const float page_right = left + width;
  boxes.head = {left, top, page_right, top + px(kHeadPx)};
  boxes.bar = {left, boxes.head.bottom, page_right, boxes.head.bottom + px(kBarPx)};
  boxes.inspector = {page_right - inspector_px, boxes.bar.bottom, page_right, boxes.all.bottom};
  width -= inspector_px;
  const float right = left + width;
  const float rest = std::max(0.0F, boxes.all.bottom - boxes.bar.bottom);
  // The drawer gets the room that the charts and lanes do not need.
  const float fitting = std::max(rest * 0.27F, rest - px(kChartsPx + kLanesPx));
  const std::optional<float> own = drawer.own_height();
  const float wanted =
      std::clamp(own ? px(*own) : fitting, px(kLeastDrawerPx), std::max(px(kLeastDrawerPx), rest * 0.75F));
  const float below = std::round(drawer.height(std::min(wanted, rest), px(kDrawerBarPx), rest));
  const float middle = rest - below;
  const float charts =
      std::round(std::min(middle, std::clamp(middle * 0.46F, px(kLeastChartsPx), px(kChartsPx))));
  const float top_of_lanes = boxes.bar.bottom + charts;
  const float bottom_of_lanes = boxes.all.bottom - below;
  const float steps = std::min(px(kStepsPx), width * 0.22F);
  const float split = left + steps + std::round((width - steps) * 0.5F);
  boxes.steps = {left, boxes.bar.bottom, left + std::round(steps), top_of_lanes};
  boxes.waterfall = {boxes.steps.right, boxes.bar.bottom, split, top_of_lanes};
  boxes.icicle = {split, boxes.bar.bottom, right, top_of_lanes};
  boxes.drawer = {left, bottom_of_lanes, right, boxes.all.bottom};
  if (drawer.fills()) move_out_of_sight({&boxes.steps, &boxes.waterfall, &boxes.icicle, &boxes.inspector});
  if (bottom_of_lanes - top_of_lanes < px(kLeastLanesPx) * 0.5F) {
    boxes.lanes = {left, top_of_lanes, right, top_of_lanes};
    boxes.ruler = boxes.labels = boxes.lanes;
    return;
  }
  boxes.labels = {left, top_of_lanes, left + px(kLabelsPx), bottom_of_lanes};
  boxes.ruler = {boxes.labels.right, top_of_lanes, right - px(kMarginPx), top_of_lanes + px(kRulerPx)};
  boxes.lanes = {boxes.labels.right, boxes.ruler.bottom, boxes.ruler.right, bottom_of_lanes};
}

void ComparisonState::take(std::shared_ptr<const ComparisonPicture> made, bool other_steps) {
  std::optional<std::pair<TimeCategory, std::string>> chosen;
  if (row && picture != nullptr && !other_steps)
    chosen = {picture->comparison.rows[*row].cause, picture->comparison.rows[*row].key};
  picture = std::move(made);
  select_row(std::nullopt);
  const std::vector<ComparedRow>& rows = picture->comparison.rows;
  for (std::uint32_t i = 0; chosen && i < rows.size(); ++i) {
    if (rows[i].cause == chosen->first && rows[i].key == chosen->second) select_row(i);
  }
  if (!other_steps) return;
  cause.reset();
  linked = picture->comparison.verdict != RunVerdict::not_comparable;
  const std::int64_t longest = std::max(lane(0).window.length_ns(), lane(1).window.length_ns());
  navigation = Navigation({0, std::max<std::int64_t>(1, longest)});
}

void ComparisonState::select_row(std::optional<std::uint32_t> wanted_row) {
  row = wanted_row;
  for (std::size_t i = 0; i < kSides; ++i) of_row[i] = row ? parts_of_row(*picture, i, *row) : BusyLine();
}

void ComparisonState::choose_cause(std::optional<TimeCategory> wanted_cause) {
  cause = cause == wanted_cause ? std::nullopt : wanted_cause;
  if (row && cause && picture->comparison.rows[*row].cause != *cause) select_row(std::nullopt);
}

void ComparisonState::step_change(int by) {
  if (picture == nullptr) return;
  // The largest change is first.
  const std::vector<ComparedRow>& rows = picture->comparison.rows;
  const auto steps_here = [&](const ComparedRow& compared) { return !cause || compared.cause == *cause; };
  if (std::ranges::none_of(rows, steps_here)) return;
  const auto count = static_cast<std::int64_t>(rows.size());
  std::int64_t at = row ? static_cast<std::int64_t>(*row) : by > 0 ? -1 : count;
  do {
    at = (at + by + count) % count;
  } while (!steps_here(rows[static_cast<std::size_t>(at)]));
  select_row(static_cast<std::uint32_t>(at));
  std::optional<TimeRange> shown;
  for (std::size_t i = 0; i < kSides; ++i) {
    if (of_row[i].empty() || (shown && linked)) continue;
    const double by_axis = stretch(i);
    const auto on_axis = [&](std::int64_t ns) { return std::llround(static_cast<double>(ns) * by_axis); };
    const TimeRange range{on_axis(of_row[i][0].begin_ns), on_axis(of_row[i][of_row[i].size() - 1].end_ns)};
    shown = shown
                ? TimeRange{std::min(shown->begin_ns, range.begin_ns), std::max(shown->end_ns, range.end_ns)}
                : range;
  }
  if (shown) navigation.reveal(*shown);
}

void ComparisonState::swap() {
  std::swap(sides[0], sides[1]);
  ++read;
}

void ComparisonState::want_slice() {
  if (!row) return;
  for (std::size_t side = 0; side < kSides; ++side) {
    const LanePart* longest = nullptr;
    for (const LanePart& part : lane(side).parts) {
      if (part.row == kNoRow || picture->row_of[side][part.row] != *row) continue;
      if (longest == nullptr || part.range.length_ns() > longest->range.length_ns()) longest = &part;
    }
    if (longest == nullptr) continue;
    wanted = {side, longest->slice};
    return;
  }
}

std::uint32_t color_of(Direction direction, const Theme& theme) {
  if (direction == Direction::none) return mixed(theme.panel, theme.text_dim, 0.45);
  return direction == Direction::faster ? theme.accent : theme.error;
}

std::uint32_t cause_color(TimeCategory cause, const Theme& theme) {
  switch (cause) {
    case TimeCategory::comm:
      return kind_color(SliceKind::communication, theme);
    case TimeCategory::compute:
      return kind_color(SliceKind::compute, theme);
    case TimeCategory::copy:
      return kind_color(SliceKind::copy, theme);
    case TimeCategory::cpu:
    case TimeCategory::idle_host:
      return kind_color(SliceKind::cpu_op, theme);
    case TimeCategory::idle_launch:
      return kind_color(SliceKind::runtime, theme);
    case TimeCategory::idle_loader:
      return kind_color(SliceKind::annotation, theme);
    case TimeCategory::idle_tail:
      break;
  }
  return theme.text_dim;
}

}  // namespace kino
