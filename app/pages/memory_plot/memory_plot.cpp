#include "app/pages/memory_plot/memory_plot.hpp"

#include <algorithm>
#include <cmath>

#include "app/pages/memory_plot/band_labels.hpp"
#include "app/pages/memory_plot/memory_rulers.hpp"
#include "app/pages/memory_plot/what_if_line.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/picture_key.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "core/memory/categories/inferred_steps.hpp"

namespace kino {
namespace {

/// Returns the group's index in the palette. Must match the shader's computation.
std::size_t color_index(std::uint32_t group) { return group % MemoryRenderer::kColors; }

SnapshotMarkers find_markers(const Snapshot& snapshot, std::size_t device, const std::stop_token& stop) {
  SnapshotMarkers markers;
  markers.device = device;
  const auto actions = snapshot.devices[device].entries.action.span();
  for (std::size_t i = 0; i < actions.size(); ++i) {
    if (i % 65536 == 0 && stop.stop_requested()) break;
    if (actions[i] == SnapshotAction::oom) markers.ooms.push_back(static_cast<EventIndex>(i));
    if (actions[i] == SnapshotAction::snapshot) markers.snapshots.push_back(static_cast<EventIndex>(i));
  }
  markers.annotations = annotation_spans(snapshot, device, stop);
  markers.steps = std::make_shared<const SnapshotSteps>(steps_of(snapshot, device, stop));
  return markers;
}

}  // namespace

MemoryPlot::MemoryPlot(std::shared_ptr<const Snapshot> snapshot, WorkerPool& pool, std::function<void()> wake)
    : snapshot_(std::move(snapshot)), pool_(pool), wake_(std::move(wake)) {}

// The previous layout is shown until the new one is computed.
void MemoryPlot::update_bands(SnapshotState& state) {
  bands_.poll();
  if (state.layout == PlotLayout::stacked && state.filter == nullptr) {
    bands_.cancel();
    requested_bands_.reset();
    state.bands = nullptr;
    return;
  }
  const BandsQuery wanted{state.layout, state.device_index(), state.filter};
  if (requested_bands_ != wanted) {
    requested_bands_ = wanted;
    bands_.start(pool_, wake_, [snapshot = snapshot_, wanted](const std::stop_token& stop) {
      const SnapshotDevice& device = snapshot->devices[wanted.device];
      BandLayout bands = wanted.only == nullptr
                             ? band_layout(device, wanted.kind, stop)
                             : band_layout(device, wanted.kind, wanted.only->allocations, stop);
      bands.device = wanted.device;
      return std::make_shared<const BandLayout>(std::move(bands));
    });
  }
  if (bands_.running()) return;
  state.bands = bands_.value() != nullptr ? *bands_.value() : nullptr;
}

void MemoryPlot::update(SnapshotState& state) {
  update_bands(state);
  if (requested_markers_ != state.device_index()) {
    requested_markers_ = state.device_index();
    markers_.start(pool_, wake_,
                   [snapshot = snapshot_, device = requested_markers_](const std::stop_token& stop) {
                     return find_markers(*snapshot, device, stop);
                   });
  }
  markers_.poll();
  if (const SnapshotMarkers* found = markers(state)) state.set_steps(found->steps);
  if (const PlotRaster* fresh = raster_.poll()) renderer_.set_raster(fresh->raster);
  const PlotRaster* shown = raster_.value();
  complete_ = shown != nullptr && serves(shown->geometry, state);
  // A running request is not replaced, so that a moving view gets finished results.
  if (complete_ || raster_.running()) return;
  PlotGeometry geometry = plot_geometry(state);
  if (raster_.failed() && requested_raster_ == geometry) return;  // the same request would fail again
  requested_raster_ = geometry;
  raster_.start(pool_, wake_,
                [snapshot = snapshot_, geometry = std::move(geometry)](const std::stop_token& stop) {
                  return plot_raster(*snapshot, geometry, stop);
                });
}

const SnapshotMarkers* MemoryPlot::markers(const SnapshotState& state) const {
  const SnapshotMarkers* found = markers_.value();
  return found != nullptr && found->device == state.device_index() ? found : nullptr;
}

std::uint32_t MemoryPlot::color_of(std::uint32_t group) const { return palette_[color_index(group)]; }

MemoryPlot::Pick MemoryPlot::pick(const SnapshotState& state, ImVec2 at) const {
  const PlotRaster* shown = raster_.value();
  if (shown == nullptr || shown->raster.cells.empty()) return {};
  const PlotGeometry& has = shown->geometry;
  if (!has_same_view(has, state)) return {};
  const Box& plot = state.boxes.plot;
  const double units = state.navigation.view().ns_from_px(at.x - plot.left);
  const double bytes = state.bytes.low() + (plot.bottom - at.y) * state.bytes.per_px(plot.height());
  const double column = std::floor((units - has.begin_units) / has.units_per_column);
  const double row = std::floor((bytes - has.low_bytes) / has.bytes_per_row);
  if (column < 0 || column >= has.columns || row < 0 || row >= has.rows) return {};
  const auto c = static_cast<std::size_t>(column);
  const MemoryCell& cell = shown->raster.at(c, static_cast<std::uint32_t>(row));
  return {AllocationId{cell.allocation - 1}, shown->raster.moments[c]};
}

void MemoryPlot::render(const ImDrawList*, const ImDrawCmd* command) {
  const MemoryPlot& plot = *static_cast<const MemoryPlot*>(command->UserCallbackData);
  plot.renderer_.draw(plot.area_, plot.mapping_, plot.colors_, plot.highlight_);
}

void MemoryPlot::request_bands(ImDrawList& list, const SnapshotState& state, const Theme& theme) {
  const PlotRaster* shown = raster_.value();
  if (shown == nullptr) return;
  const PlotGeometry& has = shown->geometry;
  if (!has_same_view(has, state)) return;
  const double fine = state.framebuffer_scale;
  const ImVec2 origin = ImGui::GetMainViewport()->Pos;
  const auto whole = [fine](float value) { return static_cast<int>(std::lround(value * fine)); };
  const Box& plot = state.boxes.plot;
  area_.x = whole(plot.left - origin.x);
  area_.y = whole(plot.top - origin.y);
  area_.width = std::max(0, whole(plot.right - origin.x) - area_.x);
  area_.height = std::max(0, whole(plot.bottom - origin.y) - area_.y);
  area_.framebuffer_height = whole(ImGui::GetIO().DisplaySize.y);
  const TimeView& view = state.navigation.view();
  mapping_.column_per_px = view.ns_per_px / fine / has.units_per_column;
  mapping_.first_column = (view.begin_ns - has.begin_units) / has.units_per_column;
  mapping_.row_per_px = state.bytes.per_px(area_.height) / has.bytes_per_row;
  mapping_.first_row = (state.bytes.low() - has.low_bytes) / has.bytes_per_row;
  colors_ = {theme.track_area, gray(theme), theme.dark ? 0xffffffffU : 0xff000000U, free_color(theme)};
  highlight_ = {};
  highlight_.hovered = state.hovered;
  if (state.selected != kNoAllocation) {
    highlight_.selected = state.selected;
    highlight_.group = band_group(state.history().allocations, state.selected);
  }
  PictureKey key;
  key.add(renderer_.version(), area_.x, area_.y, area_.width, area_.height);
  key.add(mapping_.column_per_px, mapping_.first_column, mapping_.row_per_px, mapping_.first_row);
  key.add(colors_.background, colors_.older, colors_.highlight, colors_.free);
  key.add(highlight_.group, index_of(highlight_.selected), index_of(highlight_.hovered));
  add_drawing(list, &MemoryPlot::render, this, key.value());
}

void MemoryPlot::use(const Theme& theme) {
  if (!palette_.empty() && palette_dark_ == theme.dark) return;
  palette_ = band_palette(theme.dark);
  palette_dark_ = theme.dark;
  renderer_.set_palette(std::span<const std::uint32_t, MemoryRenderer::kColors>(palette_));
}

void MemoryPlot::draw(ImDrawList& list, const SnapshotState& state, const Theme& theme) {
  const Box& plot = state.boxes.plot;
  list.AddRectFilled({plot.left, plot.top}, {plot.right, plot.bottom}, theme.track_area);
  draw_event_ruler(list, state, theme);
  if (const SnapshotMarkers* found = markers(state)) draw_annotations(list, state, found->annotations, theme);
  if (state.bands == nullptr || state.bands->strips.empty()) {
    draw_byte_ruler(list, state, theme);
  } else {
    draw_strip_ruler(list, state, theme);
  }
  list.PushClipRect({plot.left, plot.top}, {plot.right, plot.bottom}, true);
  request_bands(list, state, theme);
  if (state.bands == nullptr) {
    draw_reserved(list, state, theme);
    const PlotRaster* shown = raster_.value();
    if (shown != nullptr && has_same_view(shown->geometry, state)) draw_what_if(list, state, *shown, theme);
  }
  if (state.bands != nullptr) draw_strip_borders(list, state, theme);
  draw_step_borders(list, state, theme);
  labels_ = draw_plot_flags(list, state, markers(state), theme);
  if (raster_.failed() || bands_.failed()) {
    draw_elided(list, {plot.left + state.px(12), plot.top + state.px(8)}, plot.width() - state.px(24),
                theme.error, tr(Text::not_enough_memory));
  }
  list.PopClipRect();
}

/// Labels the line of reserved memory at its right end: above the line if it is flat there and there is room,
/// and otherwise below its lowest point, on a background.
void MemoryPlot::draw_reserved_label(ImDrawList& list, const SnapshotState& state, const PlotRaster& shown,
                                     const Theme& theme) {
  std::size_t column = shown.reserved.size();
  while (column > 0 && shown.raster.moments[column - 1] == kNoMoment) --column;
  if (column == 0 || shown.reserved[column - 1].highest == 0) return;
  const std::uint64_t bytes = shown.reserved[column - 1].highest;
  const std::string label = filled(Text::overlay_reserved, {text_from_bytes(static_cast<double>(bytes))});
  const Box& plot = state.boxes.plot;
  const float line = ImGui::GetFontSize();
  const float y = state.y_of(static_cast<double>(bytes));
  const float above = y - line - state.px(4);
  const float width = text_width(label);
  const float left = std::floor(plot.right - width - state.px(10));
  const auto under = static_cast<std::size_t>(std::max(0.0F, left - state.px(2) - plot.left));
  std::uint64_t lowest = bytes;
  bool flat = true;
  for (std::size_t i = std::min(under, column - 1); i < column; ++i) {
    if (shown.raster.moments[i] == kNoMoment) continue;
    flat = flat && shown.reserved[i].highest == bytes && shown.reserved[i].lowest == bytes;
    lowest = std::min(lowest, shown.reserved[i].lowest);
  }
  const float below = state.y_of(static_cast<double>(lowest)) + state.px(4);
  const float top = std::floor(flat && above >= plot.top ? above : below);
  if (left < plot.left || top + line > plot.bottom) return;
  constexpr std::uint32_t kOpacity = 210;
  list.AddRectFilled({left - state.px(3), top}, {left + width + state.px(3), top + line},
                     with_alpha(theme.track_area, kOpacity), state.px(2));
  list.AddText({left, top}, theme.text_dim, label.c_str());
}

// Draws reserved memory: a horizontal line at the highest value of each column, and vertical lines to the
// lowest value and to the next column.
void MemoryPlot::draw_reserved(ImDrawList& list, const SnapshotState& state, const Theme& theme) const {
  const PlotRaster* shown = raster_.value();
  if (shown == nullptr || !has_same_view(shown->geometry, state)) return;
  const PlotGeometry& has = shown->geometry;
  const TimeView& view = state.navigation.view();
  const auto x = [&](std::size_t column) {
    const double units = has.begin_units + static_cast<double>(column) * has.units_per_column;
    return state.boxes.plot.left + static_cast<float>(view.px_from_ns(units));
  };
  const std::uint32_t color = theme.text_dim;
  const float thick = std::max(1.0F, std::round(1.5F * state.scale));
  if (shown->raster.cells.empty()) return;
  draw_reserved_label(list, state, *shown, theme);
  std::size_t run = 0;
  for (std::size_t c = 1; c <= shown->reserved.size(); ++c) {
    const CurveExtent& before = shown->reserved[c - 1];
    const bool flat = before.lowest == before.highest && c < shown->reserved.size() &&
                      shown->reserved[c].lowest == before.lowest &&
                      shown->reserved[c].highest == before.highest &&
                      (shown->raster.moments[c] == kNoMoment) == (shown->raster.moments[c - 1] == kNoMoment);
    if (flat) continue;
    const std::size_t first = std::exchange(run, c);
    if (shown->raster.moments[c - 1] == kNoMoment) continue;
    const float y = std::floor(state.y_of(static_cast<double>(before.highest))) + 0.5F;
    list.AddLine({x(first), y}, {x(c), y}, color, thick);
    const bool joins = c < shown->reserved.size() && shown->raster.moments[c] != kNoMoment;
    const std::uint64_t next = joins ? shown->reserved[c].highest : before.lowest;
    const float lowest = state.y_of(static_cast<double>(std::min(before.lowest, next)));
    const float highest = state.y_of(static_cast<double>(std::max(before.highest, next)));
    if (lowest != highest) list.AddLine({x(c), highest}, {x(c), lowest}, color, thick);
  }
}

}  // namespace kino
