#include "app/pages/snapshot/snapshot_overlay.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/pages/memory_plot/allocation_texts.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

constexpr float kOverlayLinePx = 2;
constexpr float kOverlayReservedPx = 1.25F;
constexpr float kOverlayHaloPx = 1;  // margin of a line, which makes it visible on any color
constexpr float kOverlayDashPx = 5;
constexpr std::uint32_t kOverlayHaloAlpha = 0xb0;
constexpr float kPeakPlateEm = 10;  // approximate width of the flag at the peak, in em
constexpr float kLegendTitleEm = 22;
constexpr float kLegendTitleShare = 0.3F;  // largest share of the plot's width

struct CurveLook {
  std::uint32_t color = 0;
  float thick = 1;
  float dash = 0;  // 0: solid
};

/// Draws a curve as a line through the maximum of each column.
class CurveLine {
 public:
  CurveLine(ImDrawList& list, const SnapshotState& state, const OverlayCurves& curves)
      : list_(list), state_(state), curves_(curves) {}

  void draw(const std::vector<CurveExtent>& curve, const CurveLook& look) const {
    std::size_t run = 0;
    for (std::size_t c = 1; c <= curve.size(); ++c) {
      const bool here = inside(c - 1);
      const bool next = c < curve.size() && inside(c);
      if (here && next && curve[c].highest == curve[c - 1].highest) continue;
      const std::size_t first = std::exchange(run, c);
      if (!here) continue;
      const float y = y_of(curve[c - 1].highest);
      draw_level(x_of(first), x_of(c), y, look);
      if (!next) continue;
      const float to = y_of(curve[c].highest);
      const float half = look.thick / 2;
      list_.AddLine({x_of(c), std::min(y, to) - half}, {x_of(c), std::max(y, to) + half}, look.color,
                    look.thick);
    }
  }

 private:
  bool inside(std::size_t column) const { return curves_.moments[column] != kNoMoment; }
  float x_of(std::size_t column) const {
    const PlotGeometry& plot = curves_.question.plot;
    const double units = plot.begin_units + static_cast<double>(column) * plot.units_per_column;
    return state_.boxes.plot.left + static_cast<float>(state_.navigation.view().px_from_ns(units));
  }
  float y_of(std::uint64_t bytes) const { return std::floor(state_.y_of(static_cast<double>(bytes))) + 0.5F; }
  void draw_level(float from, float to, float y, const CurveLook& look) const {
    const Box& plot = state_.boxes.plot;
    if (look.dash == 0) {
      list_.AddLine({from, y}, {to, y}, look.color, look.thick);
      return;
    }
    const float end = std::min(to, plot.right);
    for (float x = std::max(from, plot.left); x < end;) {
      const float at = (x - plot.left) / look.dash;
      const float next = plot.left + (std::floor(at) + 1) * look.dash;
      const float until = std::min(std::max(next, x + 0.01F), end);
      if (std::fmod(std::floor(at), 2.0F) == 0) list_.AddLine({x, y}, {until, y}, look.color, look.thick);
      x = until;
    }
  }

  ImDrawList& list_;
  const SnapshotState& state_;
  const OverlayCurves& curves_;
};

std::string difference_text(std::uint64_t there, std::uint64_t here) {
  const char* const sign = there < here ? "−" : "+";
  return sign + text_from_bytes(there < here ? here - there : there - here);
}

Text alignment_text(const SnapshotAxis& axis) {
  if (axis.kind() == SnapshotAxisKind::events) return Text::overlay_by_event;
  if (axis.kind() == SnapshotAxisKind::time) return Text::overlay_by_time;
  return axis.steps()->region.empty() ? Text::overlay_by_part : Text::overlay_by_step;
}

float line_thickness(const SnapshotState& state, float units) { return std::max(1.0F, units * state.scale); }

/// Returns a snapshot's name in the legend. It includes the device if there are several.
std::string legend_name(const std::string& title, const Snapshot& snapshot, std::size_t device,
                        const Box& plot) {
  const float room = std::min(ImGui::GetFontSize() * kLegendTitleEm, plot.width() * kLegendTitleShare);
  const std::string name = fitted_in_middle(escaped(title), room);
  return snapshot.devices.size() > 1 ? name + " · " + device_name(snapshot, device) : name;
}

/// Returns the corner of the legend: on the side without the peak, and below the peak's flag if they overlap.
ImVec2 legend_corner(const SnapshotState& state, float width, float pad) {
  const Box& plot = state.boxes.plot;
  const float em = ImGui::GetFontSize();
  const CurvePeak& peak = state.peak();
  const auto x = static_cast<float>(state.navigation.view().px_from_ns(state.axis().begin_of(peak.event)));
  const bool in_sight = x >= 0 && x < plot.width();
  const float left = in_sight && x < plot.width() / 2 ? plot.right - pad - width : plot.left + pad;
  const float y = std::max(state.y_of(static_cast<double>(peak.bytes)), plot.top);
  const bool meet = in_sight && plot.left + x + kPeakPlateEm * em > left && plot.left + x < left + width &&
                    y < plot.top + 7 * em;
  return {left, meet ? y + em * 0.4F : plot.top + pad};
}

/// Returns the moment of the legend's figures: the moment under the mouse, else the cursor.
EventIndex moment_of_legend(const SnapshotState& state) {
  return state.hovered_moment != kNoMoment ? state.hovered_moment : state.cursor;
}

}  // namespace

void SnapshotOverlay::next(std::span<const OtherSnapshot> others, std::uint64_t first) {
  const auto place = [&](std::uint64_t document) {
    const auto found = std::ranges::find(others, document, &OtherSnapshot::document);
    return static_cast<std::size_t>(found - others.begin()) % std::max<std::size_t>(1, others.size());
  };
  const std::size_t begin = place(first);
  if (!wanted_) {
    wanted_ = true;
    document_ = others.empty() ? 0 : others[begin].document;
    return;
  }
  const std::size_t now = others.empty() ? 0 : (place(document_) + 1) % others.size();
  wanted_ = now != begin;
  if (wanted_) document_ = others[now].document;
}

void SnapshotOverlay::update(const SnapshotState& state, std::span<const OtherSnapshot> others) {
  const auto found = std::ranges::find(others, document_, &OtherSnapshot::document);
  const OtherSnapshot* const other = found != others.end() ? &*found
                                     : others.empty()      ? nullptr
                                                           : &others.front();
  if (!wanted_ || other == nullptr) {
    document_ = 0;
    title_.clear();
    other_.reset();
    requested_.reset();
    curves_.reset();
    return;
  }
  document_ = other->document;
  title_ = other->title;
  const std::size_t device = matching_device(state.device(), *other->shown);
  if (other_.lock() != other->shown->snapshot || device_ != device) {
    other_ = other->shown->snapshot;
    device_ = device;
    requested_.reset();
    curves_.reset();
  }
  curves_.poll();
  // A running request is not replaced, so that a moving view gets finished results.
  if (state.bands != nullptr || curves_.running() || (requested_ && matches_columns(*requested_, state)))
    return;
  requested_ = plot_geometry(state);
  OverlayParams question{other_, device_, nullptr, *requested_, 0};
  if (state.axis().kind() == SnapshotAxisKind::steps) {
    question.units_per_step = state.axis().units_per_step();
    if (const OverlayCurves* last = curves_.value()) question.steps = last->question.steps;
  }
  curves_.start(pool_, wake_,
                [question](const std::stop_token& stop) { return overlay_curves(question, stop); });
}

std::optional<OverlayParams> SnapshotOverlay::question(const SnapshotState& state) const {
  const OverlayCurves* const found = curves(state);
  return found == nullptr ? std::nullopt : std::optional(found->question);
}

const OverlayCurves* SnapshotOverlay::curves(const SnapshotState& state) const {
  const OverlayCurves* const found = curves_.value();
  if (found == nullptr || !found->axis || state.bands != nullptr) return nullptr;
  return has_same_view(found->question.plot, state) ? found : nullptr;
}

double SnapshotOverlay::highest_in_sight(const SnapshotState& state) const {
  const std::shared_ptr<const Snapshot> alive = other_.lock();
  const OverlayCurves* const found = alive != nullptr ? curves(state) : nullptr;
  if (found == nullptr) return 0;
  const TimeView& view = state.navigation.target();
  const EventsBetween events =
      events_between(*found->axis, view.begin_ns * found->scale, view.end_ns() * found->scale);
  return events.first == kNoMoment ? 0 : highest_of_curves(*found->device, events.first, events.last);
}

std::string SnapshotOverlay::problem(const SnapshotState& state) const {
  if (!wanted_) return {};
  if (other_.expired()) return tr(Text::overlay_no_other);
  if (state.bands != nullptr) return tr(Text::overlay_needs_stacked);
  if (curves_.failed()) return tr(Text::not_enough_memory);
  const OverlayCurves* const found = curves_.value();
  if (found == nullptr || found->axis || !has_same_view(found->question.plot, state)) return {};
  return tr(state.axis().by_time() ? Text::overlay_no_times : Text::overlay_no_steps);
}

// Returns the figures of both snapshots at moment_of_legend(). If the curves of the other snapshot are
// missing, a row contains the reason instead of its figures.
std::vector<SnapshotOverlay::LegendRow> SnapshotOverlay::legend(const SnapshotState& state,
                                                                const std::string& own_title,
                                                                const Theme& theme) const {
  const EventIndex moment = moment_of_legend(state);
  const std::uint64_t own_active = curve_at(state.device(), MemoryCurve::requested, moment);
  const std::uint64_t own_reserved = curve_at(state.device(), MemoryCurve::reserved, moment);
  const auto bytes = [](std::uint64_t value) { return text_from_bytes(value); };
  const std::string own_name =
      legend_name(own_title, *state.snapshot, state.device_index(), state.boxes.plot);
  const std::shared_ptr<const Snapshot> other = other_.lock();
  std::vector<LegendRow> rows;
  rows.push_back(
      {filled(Text::overlay_active, {own_name, bytes(own_active)}), theme.text, LegendSample::bands});
  if (state.history().curve(MemoryCurve::reserved).peak.bytes > 0) {
    rows.push_back(
        {filled(Text::overlay_reserved, {bytes(own_reserved)}), theme.text, LegendSample::own_reserved});
  }
  const std::string name =
      other != nullptr ? legend_name(title_, *other, device_, state.boxes.plot) : std::string();
  if (const std::string words = problem(state); !words.empty()) {
    if (!name.empty()) rows.push_back({name, theme.text, LegendSample::none});
    rows.push_back({words, theme.warning, LegendSample::none});
    return rows;
  }
  const OverlayCurves* const shown = other != nullptr ? curves(state) : nullptr;
  if (shown == nullptr) return rows;
  const EventIndex there = shown->event_at(state.axis().begin_of(moment) + state.axis().width_of(moment) / 2);
  const auto figures = [&](MemoryCurve which, std::uint64_t own) -> std::string {
    if (there == kNoMoment) return tr(Text::overlay_outside);
    const std::uint64_t value = curve_at(*shown->device, which, there);
    return bytes(value) + " (" + difference_text(value, own) + ")";
  };
  rows.push_back({filled(Text::overlay_active, {name, figures(MemoryCurve::requested, own_active)}),
                  theme.text, LegendSample::active});
  if (shown->knows_reserved()) {
    rows.push_back({filled(Text::overlay_reserved, {figures(MemoryCurve::reserved, own_reserved)}),
                    theme.text, LegendSample::reserved});
  }
  rows.push_back({tr(alignment_text(state.axis())), theme.text_dim, LegendSample::none});
  return rows;
}

void SnapshotOverlay::draw_legend(ImDrawList& list, const SnapshotState& state,
                                  const std::vector<LegendRow>& rows, const OwnColors& own_colors,
                                  const Theme& theme) {
  const Box& plot = state.boxes.plot;
  const float em = ImGui::GetFontSize();
  const float pad = std::round(em * 0.4F);
  const float sample = std::round(em * 1.6F);
  const float line_height = std::round(em * 1.3F);
  float words_width = 0;
  for (const LegendRow& row : rows) words_width = std::max(words_width, text_width(row.words));
  words_width = std::min(words_width, plot.width() - 5 * pad - sample);
  if (words_width < 2 * em) return;
  const float width = 3 * pad + sample + words_width;
  const auto [left, top] = legend_corner(state, width, pad);
  const float right = left + width;
  const float bottom = top + pad + static_cast<float>(rows.size()) * line_height;
  list.AddRectFilled({left, top}, {right, bottom}, theme.panel, em * 0.2F);
  list.AddRect({left, top}, {right, bottom}, theme.border, em * 0.2F);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const LegendRow& row = rows[i];
    const float y = top + pad / 2 + static_cast<float>(i) * line_height;
    const float middle = std::floor(y + line_height / 2) + 0.5F;
    const float from = left + pad;
    const float to = from + sample;
    const float part = sample / static_cast<float>(own_colors.size());
    for (std::size_t band = 0; row.sample == LegendSample::bands && band < own_colors.size(); ++band) {
      const float x = from + static_cast<float>(band) * part;
      list.AddRectFilled({x, y + line_height * 0.2F}, {x + part, y + line_height * 0.8F}, own_colors[band]);
    }
    if (row.sample == LegendSample::own_reserved)
      list.AddLine({from, middle}, {to, middle}, theme.text_dim, line_thickness(state, kOverlayReservedPx));
    if (row.sample == LegendSample::active)
      list.AddLine({from, middle}, {to, middle}, theme.text, line_thickness(state, kOverlayLinePx));
    const float dash = state.px(kOverlayDashPx);
    for (float x = from; row.sample == LegendSample::reserved && x < to; x += 2 * dash) {
      list.AddLine({x, middle}, {std::min(x + dash, to), middle}, theme.text,
                   line_thickness(state, kOverlayReservedPx));
    }
    draw_elided(list, {to + pad, std::floor(y + (line_height - em) / 2)}, words_width + 1, row.color,
                row.words);
  }
}

void SnapshotOverlay::draw(ImDrawList& list, const SnapshotState& state, const std::string& own_title,
                           const OwnColors& own_colors, const Theme& theme) const {
  if (!wanted_) return;
  const Box& plot = state.boxes.plot;
  const std::shared_ptr<const Snapshot> alive = other_.lock();
  list.PushClipRect({plot.left, plot.top}, {plot.right, plot.bottom}, true);
  if (const OverlayCurves* const shown = alive != nullptr ? curves(state) : nullptr) {
    const CurveLine line(list, state, *shown);
    const auto draw_curve = [&](const std::vector<CurveExtent>& curve, float thick, float dash) {
      const std::uint32_t halo = with_alpha(theme.track_area, kOverlayHaloAlpha);
      line.draw(curve, {halo, thick + 2 * state.px(kOverlayHaloPx), dash});
      line.draw(curve, {theme.text, thick, dash});
    };
    if (shown->knows_reserved())
      draw_curve(shown->reserved, line_thickness(state, kOverlayReservedPx), state.px(kOverlayDashPx));
    draw_curve(shown->active, line_thickness(state, kOverlayLinePx), 0);
  }
  draw_legend(list, state, legend(state, own_title, theme), own_colors, theme);
  list.PopClipRect();
}

}  // namespace kino
