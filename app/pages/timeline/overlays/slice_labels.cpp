#include "app/pages/timeline/overlays/slice_labels.hpp"

#include <algorithm>
#include <cmath>

#include "app/ui/widgets/text_drawing.hpp"

namespace kino {

namespace {

/// Returns whether a slice of the next deeper lane, which is drawn over this merged lane, overlaps the range.
bool covered(const ShownRows& rows, RowId row, double left_ns, double right_ns) {
  const Track& track = rows.track_at(index_of(rows.row_at(row).track));
  if (index_of(row) + 1 >= track.first_row + track.row_count) return false;
  const SliceRow below = rows.slices_of(RowId{index_of(row) + 1});
  const auto after =
      std::partition_point(below.start_ns.begin(), below.start_ns.end(),
                           [&](std::int64_t start) { return static_cast<double>(start) < right_ns; });
  if (after == below.start_ns.begin()) return false;
  const auto last = static_cast<std::size_t>(after - below.start_ns.begin()) - 1;
  return static_cast<double>(below.start_ns[last] + below.duration_ns[last]) > left_ns;
}

}  // namespace

std::string_view SliceLabels::label_of(NameId name) {
  if (look_.full_names()) return trace_.name_text(name);
  const auto [entry, fresh] = short_forms_.try_emplace(index_of(name));
  if (fresh) entry->second = SliceStyle::short_text(trace_.name_text(name));
  return entry->second;
}

void SliceLabels::draw(ImDrawList& list, const TimelineRenderer& renderer, double renderer_scale,
                       const TimeView& view, const ShownRows& rows, const TrackLayout& layout,
                       TrackScroll scroll, ImVec2 origin, const Theme& theme, float ui_scale) {
  constexpr double kMinWidth = 24;
  constexpr float kLeastHeight =
      0.75F;  // of a lane, relative to the font size, because letters are smaller than the font size
  const double padding = std::round(4 * ui_scale);
  const double min_width = kMinWidth * ui_scale;
  const float font = ImGui::GetFontSize();
  const auto visit = [&](const LaneDraw& lane, SliceId slice, double, double) {
    // The renderer's list is one frame old. It determines which slices are wide, but their positions are
    // computed from the current view.
    const auto start = static_cast<double>(trace_.start_ns(slice));
    const auto length = static_cast<double>(trace_.duration_ns(slice));
    const double left = std::max(0.0, view.px_from_ns(start));
    const double right = std::min(view.width_px, view.px_from_ns(start + length));
    if (right - left < min_width) return;
    const LanePlace place = layout.place_of(RowId{lane.index});
    if (place.item == nullptr || place.height_px < font * kLeastHeight) return;
    if (place.item->merged && covered(rows, RowId{lane.index}, view.ns_from_px(left), view.ns_from_px(right)))
      return;
    const auto y = static_cast<float>(layout.y_of(*place.item, place.top_px, scroll));
    const float text_offset = std::floor((place.height_px - layout.measures().gap_px - font) / 2);
    const auto border = static_cast<float>(layout.pinned_px());
    const bool pinned = place.item->pinned;
    const bool cut = pinned ? y + place.height_px > border : y < border;
    if (cut) {
      const float top = pinned ? origin.y : origin.y + border;
      const float bottom = origin.y + (pinned ? border : 1e5F);
      list.PushClipRect({origin.x, top}, {origin.x + static_cast<float>(view.width_px), bottom}, true);
    }
    const ImVec2 position{origin.x + static_cast<float>(std::round(left + padding)),
                          origin.y + y + text_offset};
    draw_elided(list, position, static_cast<float>(right - left - 2 * padding),
                text_on(look_.color_of(slice), theme), label_of(trace_.name(slice)));
    if (cut) list.PopClipRect();
  };
  renderer.visit_wide_slices(min_width * renderer_scale, visit);
}

}  // namespace kino
