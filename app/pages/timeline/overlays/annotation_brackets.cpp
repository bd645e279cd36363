#include "app/pages/timeline/overlays/annotation_brackets.hpp"

#include <cstdint>

#include "app/ui/widgets/text_drawing.hpp"

namespace kino {
namespace {

constexpr float kLeftEndPx = 2;
constexpr double kLeastNamePx = 24;
constexpr float kLeastHeight = 0.75F;  // of a lane with names, relative to the font
constexpr std::uint32_t kDimmedAlpha = 0x30;
constexpr std::uint32_t kFadedAlpha = 0x45;

/// Draws the lanes of one stream.
class BracketPainter {
 public:
  BracketPainter(ImDrawList& list, const TimelineState& state, SliceLabels& labels, const BracketStyle& style,
                 const Theme& theme)
      : list_(list),
        state_(state),
        labels_(labels),
        style_(style),
        theme_(theme),
        fill_(kind_color(SliceKind::gpu_annotation, theme)),
        left_end_(mixed(fill_, theme.text, 0.6)) {}

  void draw(const LayoutItem& item, double y_px) {
    const StreamBrackets* const brackets = state_.annotations->of_stream(item.index);
    const Box& tracks = state_.boxes.tracks;
    const TimelineState::Part part = state_.part(item.pinned);
    list_.PushClipRect({tracks.left, tracks.top + static_cast<float>(part.top_px)},
                       {tracks.right, tracks.top + static_cast<float>(part.bottom_px)}, true);
    const float height = state_.layout.measures().annotation_lane_px - state_.layout.measures().gap_px;
    for (std::uint32_t lane = 0; lane < item.brackets; ++lane) {
      const float top = tracks.top + static_cast<float>(y_px) + state_.layout.bracket_top(item, lane);
      visit_brackets(
          *state_.trace, brackets->lanes[lane], state_.navigation.view(),
          [&](SliceId slice, double left, double right) { bracket(slice, left, right, top, top + height); });
    }
    list_.PopClipRect();
  }

 private:
  std::uint32_t alpha(SliceId slice) const {
    if (style_.dimmed) return kDimmedAlpha;
    const bool faded = style_.emphasized != nullptr && !style_.emphasized->contains(index_of(slice));
    return faded ? kFadedAlpha : 0xff;
  }

  void bracket(SliceId slice, double left_px, double right_px, float top, float bottom) {
    const float origin = state_.boxes.tracks.left;
    const double width_px = state_.navigation.view().width_px;
    const float end = state_.px(kLeftEndPx);
    const float left = origin + static_cast<float>(std::floor(std::max(left_px, -4.0 - end)));
    const float right =
        std::max(left + 1, origin + static_cast<float>(std::ceil(std::min(right_px, width_px + 4))));
    const std::uint32_t strength = alpha(slice);
    list_.AddRectFilled({left, top}, {right, bottom}, with_alpha(fill_, strength));
    list_.AddRectFilled({left, top}, {std::min(right, left + end), bottom}, with_alpha(left_end_, strength));
    const float font = ImGui::GetFontSize();
    const double from = std::max(0.0, left_px);
    const double room = std::min(width_px, right_px) - from;
    if (strength < 0xff || room < kLeastNamePx * state_.scale || bottom - top + 1 < font * kLeastHeight)
      return;
    const double padding = state_.px(4) + end;
    draw_elided(list_,
                {origin + static_cast<float>(std::round(from + padding)),
                 std::floor(top + (bottom - top - font) / 2)},
                static_cast<float>(room - 2 * padding), text_on(fill_, theme_),
                labels_.label_of(state_.trace->name(slice)));
  }

  ImDrawList& list_;
  const TimelineState& state_;
  SliceLabels& labels_;
  const BracketStyle& style_;
  const Theme& theme_;
  const std::uint32_t fill_;
  const std::uint32_t left_end_;
};

}  // namespace

EventPick pick_bracket(const Trace& trace, std::span<const SliceId> lane, const TimeView& view, double px,
                       double tolerance_px) {
  constexpr std::uint32_t kMostCounted = 256;
  EventPick pick;
  const double begin_ns = view.ns_from_px(px - tolerance_px);
  const double end_ns = view.ns_from_px(px + tolerance_px);
  auto at = std::partition_point(lane.begin(), lane.end(), [&](SliceId slice) {
    return static_cast<double>(trace.end_ns(slice)) < begin_ns;
  });
  for (; at != lane.end() && pick.count < kMostCounted; ++at) {
    if (static_cast<double>(trace.start_ns(*at)) > end_ns) break;
    ++pick.count;
    const bool longer =
        pick.event.slice == kNoSlice || trace.duration_ns(*at) > trace.duration_ns(pick.event.slice);
    if (longer) pick.event.slice = *at;
  }
  return pick;
}

void draw_brackets(ImDrawList& list, const TimelineState& state, SliceLabels& labels,
                   const BracketStyle& style, const Theme& theme) {
  BracketPainter painter(list, state, labels, style, theme);
  state.layout.visit_visible(state.shown_scroll(), state.boxes.tracks.height(),
                             [&](const LayoutItem& item, double y_px) {
                               if (item.brackets > 0) painter.draw(item, y_px);
                             });
}

}  // namespace kino
