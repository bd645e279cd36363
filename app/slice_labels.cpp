#include "app/slice_labels.hpp"

#include <algorithm>
#include <cmath>

#include "app/text_drawing.hpp"
#include "core/name_text.hpp"

namespace kino {

const std::string& SliceLabels::short_form(NameId name) {
  const auto [it, fresh] = short_forms_.try_emplace(index_of(name));
  if (fresh) it->second = short_name(trace_.names[index_of(name)]);
  return it->second;
}

void SliceLabels::draw(ImDrawList& list, const TimelineRenderer& renderer, double renderer_scale,
                       const TimeView& view, const TrackLayout& layout, double scroll_px, ImVec2 origin,
                       const Theme& theme, float ui_scale) {
  constexpr double kMinWidth = 24;
  const double padding = std::round(4 * ui_scale);
  const double min_width = kMinWidth * ui_scale;
  const float text_offset =
      std::floor((layout.measures().lane_px - layout.measures().gap_px - ImGui::GetFontSize()) / 2);
  const auto visit = [&](const LaneDraw& lane, SliceId slice, double, double) {
    // The renderer's list is one frame old: only which slices are wide is taken from it.
    const auto start = static_cast<double>(trace_.slices.start_ns[index_of(slice)]);
    const auto length = static_cast<double>(trace_.slices.duration_ns[index_of(slice)]);
    const double left = std::max(0.0, view.px_from_ns(start));
    const double right = std::min(view.width_px, view.px_from_ns(start + length));
    if (right - left < min_width) return;
    const double top = layout.lane_top_px(RowId{lane.index});
    if (top < 0) return;
    const ImVec2 position{origin.x + static_cast<float>(std::round(left + padding)),
                          origin.y + static_cast<float>(top - scroll_px) + text_offset};
    draw_elided(list, position, static_cast<float>(right - left - 2 * padding), theme.text_on_slice,
                short_form(trace_.slices.name[index_of(slice)]));
  };
  renderer.visit_wide_slices(min_width * renderer_scale, visit);
}

}  // namespace kino
