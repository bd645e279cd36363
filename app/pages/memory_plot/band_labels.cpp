#include "app/pages/memory_plot/band_labels.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/pages/memory_plot/allocation_texts.hpp"
#include "app/pages/memory_plot/label_places.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

constexpr double kStripTickPx = 44;

void draw_ticks(ImDrawList& list, const SnapshotState& state, double begin, double height, std::uint64_t step,
                const Theme& theme) {
  const Box& box = state.boxes.bytes;
  const float half = std::floor(ImGui::GetFontSize() / 2);
  const double from = std::max(0.0, std::ceil((state.bytes.low() - begin) / static_cast<double>(step)));
  const double to = std::min(height, state.bytes.high() - begin);
  constexpr double kMostTicks = 1000;  // far more than fit
  const double last = std::min(std::floor(to / static_cast<double>(step)), from + kMostTicks);
  const int count = last < from ? 0 : static_cast<int>(last - from) + 1;
  for (int i = 0; i < count; ++i) {
    const double tick = (from + i) * static_cast<double>(step);
    const float y = std::floor(state.y_of(begin + tick)) + 0.5F;
    list.AddLine({box.right - 5 * state.scale, y}, {box.right, y}, theme.text_dim);
    if (y - half < box.top || y + half > box.bottom) continue;
    const std::string text = byte_tick_text(static_cast<std::uint64_t>(tick), step, height);
    const float x = std::floor(box.right - 8 * state.scale - text_width(text));
    list.AddText({std::max(x, box.left + 2), y - half - 1}, theme.text_dim, text.c_str());
  }
}

}  // namespace

Text text_for(PlotLayout layout) {
  constexpr std::array kLabels = {Text::snapshot_layout_stacked,  Text::snapshot_layout_stack,
                                  Text::snapshot_layout_stream,   Text::snapshot_layout_pool,
                                  Text::snapshot_layout_segment,  Text::snapshot_layout_lanes,
                                  Text::snapshot_layout_addresses};
  return kLabels[static_cast<std::size_t>(layout)];
}

std::string strip_name(const SnapshotState& state, const BandStrip& strip) {
  const Snapshot& snapshot = *state.snapshot;
  if (strip.groups > 1) return filled(Text::snapshot_strip_rest, {grouped(strip.groups)});
  if (strip.outside) return tr(Text::snapshot_strip_outside);
  switch (state.bands->kind) {
    case PlotLayout::by_stack:
      return strip_place_text(snapshot, strip.stack, strip.of_free);
    case PlotLayout::by_stream:
      return filled(Text::snapshot_strip_stream, {stream_text(snapshot, strip.stream)});
    case PlotLayout::by_pool:
      return filled(Text::snapshot_strip_pool, {pool_text(snapshot, strip.pool)});
    case PlotLayout::by_segment:
      return filled(
          Text::snapshot_strip_segment,
          {address_text(strip.addr), stream_text(snapshot, strip.stream), pool_text(snapshot, strip.pool)});
    default:
      return filled(Text::snapshot_strip_place,
                    {stream_text(snapshot, strip.stream), pool_text(snapshot, strip.pool)});
  }
}

// Ticks have the same distance in all strips, so that heights can be compared. Strips less tall than this
// distance have only a tick at their lower edge.
void draw_strip_ruler(ImDrawList& list, const SnapshotState& state, const Theme& theme) {
  const Box& box = state.boxes.bytes;
  list.AddRectFilled({box.left, box.top}, {box.right, box.bottom}, theme.panel);
  list.AddLine({box.right - 0.5F, box.top}, {box.right - 0.5F, box.bottom}, theme.border);
  const double length = state.bytes.high() - state.bytes.low();
  const std::uint64_t step = byte_step(length, state.boxes.plot.height() / (kStripTickPx * state.scale));
  list.PushClipRect({box.left, box.top}, {box.right, box.bottom}, true);
  for (const BandStrip& strip : state.bands->strips) {
    const auto begin = static_cast<double>(strip.begin);
    const auto bytes = static_cast<double>(strip.bytes);
    if (bytes >= static_cast<double>(step)) {
      draw_ticks(list, state, begin, bytes, step, theme);
    } else {
      const float y = std::floor(state.y_of(begin)) + 0.5F;
      list.AddLine({box.right - 5 * state.scale, y}, {box.right, y}, theme.text_dim);
    }
  }
  list.PopClipRect();
}

void draw_strip_borders(ImDrawList& list, const SnapshotState& state, const Theme& theme) {
  const Box& plot = state.boxes.plot;
  for (const BandStrip& strip : state.bands->strips) {
    const float y = std::floor(state.y_of(static_cast<double>(strip.begin))) + 0.5F;
    if (y > plot.top && y <= plot.bottom + 1) list.AddLine({plot.left, y}, {plot.right, y}, theme.grid);
  }
}

std::vector<StripLabel> strip_labels(const SnapshotState& state) {
  const Box& plot = state.boxes.plot;
  const float em = ImGui::GetFontSize();
  const float height = std::round(em * 1.3F);
  std::vector<StripLabel> labels;
  const std::vector<BandStrip>& strips = state.bands->strips;
  float free_from = plot.top;
  for (std::size_t i = strips.size(); i-- > 0;) {
    const BandStrip& strip = strips[i];
    const auto begin = static_cast<double>(strip.begin);
    const float bottom = state.y_of(begin);
    const float above = state.y_of(begin + static_cast<double>(strip.height));
    if (bottom <= plot.top || above >= plot.bottom) continue;
    const float top = std::floor(std::max({above + 1, plot.top + 1, free_from}));
    if (top + height > std::max(bottom, above + height) + em * 0.4F || top + height > plot.bottom) continue;
    free_from = top + height + 1;
    StripLabel label;
    label.words = filled(Text::snapshot_strip_peak, {strip_name(state, strip), text_from_bytes(strip.bytes)});
    const float width = std::min(text_width(label.words) + em * 0.8F, plot.width() * 0.6F);
    label.places = places_along(plot.left + std::round(em * 0.3F), plot.right, top, width, height, em);
    labels.push_back(std::move(label));
  }
  return labels;
}

}  // namespace kino
