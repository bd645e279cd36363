#include "app/pages/memory_plot/plot_flags.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "app/pages/memory_plot/band_labels.hpp"
#include "app/pages/memory_plot/what_if_line.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

constexpr int kLabelRows = 4;               // rows of labels, for events that are close together
constexpr std::size_t kMostOomLabels = 64;  // number of labels that are tried; more never fit
constexpr std::uint32_t kPlateAlpha = 215;

/// Returns the x of the middle of an event's interval on screen.
float x_of_event(const SnapshotState& state, EventIndex event) {
  const TimeView& view = state.navigation.view();
  const double begin = view.px_from_ns(state.axis().begin_of(event));
  const double width = state.axis().width_of(event) / view.ns_per_px;
  return std::floor(state.boxes.plot.left + static_cast<float>(begin + width / 2)) + 0.5F;
}

/// Draws flags: all lines first, then labels by importance.
class FlagDrawing {
 public:
  FlagDrawing(ImDrawList& list, const SnapshotState& state, const SnapshotMarkers* found, const Theme& theme)
      : list_(list),
        state_(state),
        found_(found),
        theme_(theme),
        plot_(state.boxes.plot),
        em_(ImGui::GetFontSize()),
        places_(plot_) {}

  std::vector<PlotLabel> draw() {
    draw_lines();
    mark_peak();
    if (found_ != nullptr) {
      label_ooms();
      label_capacities();
    }
    label_what_if();
    if (state_.bands != nullptr) label_strips();
    return std::move(labels_);
  }

 private:
  bool in_sight(float x) const { return x >= plot_.left && x < plot_.right; }
  float row_height() const { return std::round(em_ * 1.3F); }
  float width_of(const std::string& words) const { return std::ceil(text_width(words) + em_ * 0.8F); }

  void draw_lines() {
    const float thin = std::max(1.0F, state_.scale);
    const float thick = std::max(1.0F, std::round(1.5F * state_.scale));
    const auto line = [&](EventIndex event, std::uint32_t color, float thickness) {
      const float x = x_of_event(state_, event);
      if (in_sight(x)) list_.AddLine({x, plot_.top}, {x, plot_.bottom}, color, thickness);
    };
    if (found_ != nullptr) {
      for (const EventIndex event : found_->snapshots) line(event, theme_.grid, 1);
      for (const auto& y : {capacity_y(), device_y()}) {
        if (!y) continue;
        const float dash = std::round(8 * state_.scale);
        const int dashes = static_cast<int>(std::ceil((plot_.right - plot_.left) / (2 * dash)));
        for (int i = 0; i < dashes; ++i) {
          const float x = plot_.left + static_cast<float>(i) * 2 * dash;
          list_.AddLine({x, *y}, {std::min(x + dash, plot_.right), *y}, theme_.error, thin);
        }
      }
      for (const EventIndex event : found_->ooms) line(event, theme_.error, thin);
    }
    if (state_.baseline != kNoMoment) {
      const float x = x_of_event(state_, state_.baseline);
      const float dash = std::round(5 * state_.scale);
      const int dashes = in_sight(x) ? static_cast<int>(std::ceil(plot_.height() / (2 * dash))) : 0;
      for (int i = 0; i < dashes; ++i) {
        const float y = plot_.top + static_cast<float>(i) * 2 * dash;
        list_.AddLine({x, y}, {x, std::min(y + dash, plot_.bottom)}, theme_.accent, thick);
      }
    }
    line(state_.cursor, theme_.accent, thick);
    if (state_.hovered_moment != kNoMoment && state_.hovered_moment != state_.cursor)
      line(state_.hovered_moment, theme_.grid, 1);
  }

  /// Adds a label with `words` and, if it fits, the text of what the matching trace was executing at the
  /// event.
  void label_event(EventIndex event, float x0, float x1, float top, std::uint32_t color,
                   const std::string& words) {
    const auto beside = [&](const std::string& text) {
      return put(text, places_beside(x0, x1, top, width_of(text), row_height(), kLabelRows), color);
    };
    const std::string trace_text = state_.trace_text ? state_.trace_text(event) : std::string();
    if (trace_text.empty() || !beside(words + " · " + fitted_in_middle(trace_text, em_ * 24))) beside(words);
  }

  bool put(const std::string& words, std::span<const Box> wanted, std::uint32_t color) {
    const std::optional<Box> box = places_.place(wanted);
    if (!box) return false;
    const float round = em_ * 0.2F;
    const ImVec2 from{box->left, box->top};
    const ImVec2 to{box->right, box->bottom};
    list_.AddRectFilled(from, to, with_alpha(theme_.panel, kPlateAlpha), round);
    if (color != 0) list_.AddRect(from, to, color, round);
    draw_elided(list_, {from.x + em_ * 0.4F, from.y + std::floor((box->height() - em_) / 2)},
                box->width() - em_ * 0.8F + 1, theme_.text, words);
    labels_.push_back({words, *box});
    return true;
  }

  void mark_peak() {
    const CurvePeak& peak = state_.peak();
    const float x = x_of_event(state_, peak.event);
    if (!in_sight(x)) return;
    const float half = em_ * 0.4F;
    const bool piled = state_.bands == nullptr || state_.bands->kind == PlotLayout::stacked;
    const float height = piled ? state_.y_of(static_cast<double>(peak.bytes)) : plot_.top + em_ * 0.75F;
    const float y = std::clamp(height, plot_.top, plot_.bottom);
    const Box mark{x - half, y - em_ * 0.75F, x + half, y};
    list_.AddTriangleFilled({mark.left, mark.top}, {mark.right, mark.top}, {x, mark.bottom}, theme_.warning);
    places_.keep_free(mark);
    const float top = std::clamp(y - em_ * 1.9F, plot_.top + em_ * 0.2F,
                                 std::max(plot_.top + em_ * 0.2F, plot_.bottom - row_height() - 1));
    const Text words = state_.filtered() ? Text::snapshot_peak_of_hits : Text::snapshot_peak_flag;
    label_event(peak.event, mark.left, mark.right, top, theme_.warning,
                filled(words, {text_from_bytes(peak.bytes)}));
  }

  void label_ooms() {
    std::size_t tried = 0;
    for (const EventIndex event : found_->ooms) {
      const float x = x_of_event(state_, event);
      if (!in_sight(x)) continue;
      if (++tried > kMostOomLabels) break;
      const std::uint64_t requested_bytes = state_.device().entries.size[static_cast<std::size_t>(event)];
      label_event(event, x, x, plot_.top + em_ * 0.2F, theme_.error,
                  filled(Text::snapshot_oom_flag, {text_from_bytes(requested_bytes)}));
    }
  }

  // Returns the memory that the process could use: reserved and free memory at the first out-of-memory error.
  // Recordings do not contain the device's capacity.
  double capacity() const {
    const EventIndex oom = found_->ooms.front();
    const std::uint64_t free = state_.device().entries.addr[static_cast<std::size_t>(oom)];
    return static_cast<double>(curve_at(state_.device(), MemoryCurve::reserved, oom)) +
           static_cast<double>(free);
  }

  std::optional<float> capacity_y() const {
    if (found_->ooms.empty() || state_.bands != nullptr) return std::nullopt;
    return y_in_sight(capacity());
  }

  // Returns the y of the device's capacity. If the matching trace does not contain it, if it is out of view,
  // or if state_.bands is set, returns nullopt.
  std::optional<float> device_y() const {
    if (state_.device_bytes == 0 || state_.bands != nullptr) return std::nullopt;
    return y_in_sight(static_cast<double>(state_.device_bytes));
  }

  std::optional<float> y_in_sight(double bytes) const {
    const float y = std::floor(state_.y_of(bytes)) + 0.5F;
    return y >= plot_.top && y < plot_.bottom ? std::optional(y) : std::nullopt;
  }

  void label_capacities() {
    if (const auto y = capacity_y())
      label_height(*y, filled(Text::snapshot_capacity_flag, {text_from_bytes(capacity())}));
    if (const auto y = device_y()) {
      label_height(*y, filled(Text::snapshot_device_flag,
                              {state_.device_model, text_from_bytes(state_.device_bytes)}));
    }
  }

  void label_height(float y, const std::string& words) {
    const float width = std::min(width_of(words), plot_.width() / 2);
    std::vector<Box> places;
    const float left = plot_.left + em_ * 0.3F;
    for (const float top : {y + 2, y - 2 - row_height()}) {
      const auto along = places_along(left, plot_.right, top, width, row_height(), em_);
      places.insert(places.end(), along.begin(), along.end());
    }
    put(words, places, theme_.error);
  }

  void label_what_if() {
    const WhatIfCurve* const curve = state_.what_if.get();
    if (curve == nullptr || curve->device != state_.device_index() || state_.bands != nullptr) return;
    const float x = x_of_event(state_, std::max<EventIndex>(curve->peak.event, 0));
    if (!in_sight(x)) return;
    const std::string setting = curve->setting.empty() ? tr(Text::what_if_baseline) : curve->setting;
    const std::string words = filled(Text::what_if_flag, {setting, text_from_bytes(curve->peak.bytes)});
    const float y = state_.y_of(static_cast<double>(curve->peak.bytes));
    std::vector<Box> places;
    for (const float top : {y - row_height() - em_ * 0.3F, y + em_ * 0.3F}) {
      const auto beside = places_beside(x, x, top, width_of(words), row_height(), 1);
      places.insert(places.end(), beside.begin(), beside.end());
      const auto along =
          places_along(plot_.left + em_ * 0.3F, plot_.right, top, width_of(words), row_height(), em_);
      places.insert(places.end(), along.begin(), along.end());
    }
    put(words, places, theme_.selection);
  }

  void label_strips() {
    for (const StripLabel& label : strip_labels(state_)) put(label.words, label.places, 0);
  }

  ImDrawList& list_;
  const SnapshotState& state_;
  const SnapshotMarkers* found_;
  const Theme& theme_;
  const Box& plot_;
  float em_;
  LabelPlaces places_;
  std::vector<PlotLabel> labels_;
};

}  // namespace

std::vector<PlotLabel> draw_plot_flags(ImDrawList& list, const SnapshotState& state,
                                       const SnapshotMarkers* found, const Theme& theme) {
  return FlagDrawing(list, state, found, theme).draw();
}

}  // namespace kino
