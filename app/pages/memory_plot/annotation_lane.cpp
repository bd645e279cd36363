#include "app/pages/memory_plot/annotation_lane.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "app/system/text_hash.hpp"
#include "app/ui/widgets/oklch.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"

namespace kino {
namespace {

constexpr std::size_t kHashedBytes = 256;  // part of a name that is hashed; a name can be megabytes long

/// Returns the hue of a region. It depends only on the start of the name, so that a region has the same color
/// in every snapshot.
double hue_of(std::string_view name) {
  return static_cast<double>(hash_of(name.substr(0, kHashedBytes)) % 360);
}

}  // namespace

std::uint32_t annotation_rows(const std::vector<AnnotationSpan>& spans) {
  std::uint32_t rows = 0;
  for (const AnnotationSpan& span : spans) rows = std::max(rows, span.depth + 1);
  return std::min(rows, kMostAnnotationRows);
}

void draw_annotations(ImDrawList& list, const SnapshotState& state, const std::vector<AnnotationSpan>& spans,
                      const Theme& theme) {
  const Box& lane = state.boxes.lane;
  if (lane.height() < 1) return;
  list.AddRectFilled({state.boxes.all.left, lane.top}, {lane.right, lane.bottom}, theme.panel);
  list.AddLine({state.boxes.all.left, lane.bottom - 0.5F}, {lane.right, lane.bottom - 0.5F}, theme.border);
  list.PushClipRect({lane.left, lane.top}, {lane.right, lane.bottom}, true);
  const TimeView& view = state.navigation.view();
  const float row = lane.height() / static_cast<float>(std::max(1U, state.annotation_rows));
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool over = ImGui::IsWindowHovered() && lane.contains(mouse.x, mouse.y);
  const AnnotationSpan* hovered = nullptr;
  const float gap = std::max(1.0F, std::round(state.scale));
  for (const AnnotationSpan& span : spans) {
    if (span.depth >= state.annotation_rows) continue;
    const float left = lane.left + static_cast<float>(view.px_from_ns(state.axis().begin_of(span.begin)));
    const float right =
        std::max(left + 1, lane.left + static_cast<float>(view.px_from_ns(state.axis().begin_of(span.end))));
    if (right < lane.left || left > lane.right) continue;
    const float top = lane.top + row * static_cast<float>(span.depth);
    const double hue = hue_of(state.snapshot->text(span.name));
    const std::uint32_t fill = packed_color({theme.dark ? 0.45 : 0.82, 0.06, hue});
    list.AddRectFilled({left, top + gap}, {right - (right - left > 3 ? gap : 0), top + row - gap}, fill);
    const float from = std::max(left, lane.left) + 4 * state.scale;
    draw_elided(list, {from, std::floor(top + (row - ImGui::GetFontSize()) / 2)},
                std::min(right, lane.right) - from - 4 * state.scale, theme.text,
                state.snapshot->text(span.name));
    if (over && mouse.x >= left && mouse.x < right && mouse.y >= top && mouse.y < top + row) hovered = &span;
  }
  list.PopClipRect();
  if (hovered == nullptr) return;
  ImGui::BeginTooltip();
  colored_text(theme.text, state.snapshot->text(hovered->name));
  ImGui::EndTooltip();
}

}  // namespace kino
