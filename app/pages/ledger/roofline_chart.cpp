#include "app/pages/ledger/roofline_chart.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/oklch.hpp"
#include "app/ui/widgets/panel_parts.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/gpu/device_peaks.hpp"
#include "core/tables/ledger/utilization.hpp"
#include "core/trace/name_text.hpp"

namespace kino {
namespace {

constexpr double kPerTera = 1000;  // FLOP per ns of 1 TFLOP/s

/// A logarithmic axis.
struct LogAxis {
  double low = 1;
  double high = 10;
  float at_low = 0;
  float at_high = 1;

  float position(double value) const {
    const double share = std::log(value / low) / std::log(high / low);
    return at_low + static_cast<float>(share) * (at_high - at_low);
  }
  /// Returns the powers of 10 on the axis, which starts at one of them.
  std::vector<double> powers() const {
    std::vector<double> values;
    const auto count = static_cast<int>(std::lround(std::log10(high / low)));
    values.reserve(static_cast<std::size_t>(std::max(count, 0)) + 1);
    double value = low;
    for (int i = 0; i <= count; ++i, value *= 10) values.push_back(value);
    return values;
  }
  /// Extends the axis to contain `value`.
  void cover(double value) {
    if (!(value > 0) || !std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  /// Rounds the ends to powers of 10.
  void round() {
    low = std::pow(10, std::floor(std::log10(low) + 1e-9));
    high = std::pow(10, std::ceil(std::log10(high) - 1e-9));
    if (high <= low) high = low * 10;
  }
};

double intensity_of(const RooflinePoint& point) { return point.flop / point.bytes; }
double tflops_of(const RooflinePoint& point) {
  return point.flop / static_cast<double>(point.device_ns) / kPerTera;
}
double gbps_of(const RooflinePoint& point) { return point.bytes / static_cast<double>(point.device_ns); }

bool is_plotted(const RooflinePoint& point) {
  return point.flop > 0 && point.bytes > 0 && point.uncounted == 0 && point.device_ns > 0;
}
bool is_in_strip(const RooflinePoint& point) {
  return point.flop <= 0 && point.bytes > 0 && point.uncounted == 0 && point.device_ns > 0;
}

std::uint32_t type_color(std::string_view type, const Theme& theme) {
  const double lightness = theme.dark ? 0.70 : 0.56;
  if (type == "bf16" || type == "fp16") return packed_color({lightness, 0.14, 254});
  if (type == "e4m3" || type == "e5m2") return packed_color({lightness, 0.14, 305});
  if (type == "fp32") return packed_color({lightness, 0.12, 170});
  return packed_color({lightness, 0.10, 60});
}

class RooflineChart {
 public:
  RooflineChart(ImDrawList& list, LedgerState& state)
      : list_(list),
        state_(state),
        points_(state.content->report.points),
        roofs_(state.content->report.inputs->costs.roofs()) {
    const Box& box = state.boxes.roofline;
    const float em = ImGui::GetFontSize();
    const float left = box.left + state.px(14) + 3.8F * em;
    const float right = box.right - state.px(16);
    const float strip = 3.6F * em;
    plot_ = {left, box.top + 3.4F * em, right, box.bottom - strip - 2.4F * em};
    strip_ = {left, box.bottom - strip, right, box.bottom - 1.6F * em};
    for (const RooflinePoint& point : points_) longest_ns_ = std::max(longest_ns_, point.device_ns);
    set_axes();
  }

  void draw() {
    draw_grid();
    draw_limits();
    hovered_ = pointed_at();
    for (std::size_t i = points_.size(); i-- > 0;) draw_point(i);
    draw_peak_labels();
    draw_strip_axis();
    handle_mouse();
  }

 private:
  void set_axes() {
    for (const RooflinePoint& point : points_) {
      if (!is_plotted(point)) continue;
      x_.cover(intensity_of(point));
      y_.cover(tflops_of(point));
      const std::string_view type = short_dtype(point.dtype);
      const std::optional<DevicePeak> peak = roofs_.peak(point.dtype);
      if (peak && std::ranges::find(peaks_, type, &Peak::type) == peaks_.end())
        peaks_.push_back({type, peak->tflop_per_s, peak->tf32});
    }
    // Each type has one line at its peak.
    std::ranges::sort(peaks_, {}, &Peak::tflops);
    for (const Peak& peak : peaks_) {
      y_.cover(peak.tflops);
      if (roofs_.bytes_per_ns > 0) x_.cover(peak.tflops * kPerTera / roofs_.bytes_per_ns * 3);
    }
    x_.round();
    y_.round();
    constexpr double kLeastShare = 1e-5;  // share of the highest value; lower points are drawn at the edge
    y_.low = std::max(y_.low, y_.high * kLeastShare);
    x_.low = std::max(x_.low, x_.high * kLeastShare * 0.1);
    x_.at_low = plot_.left;
    x_.at_high = plot_.right;
    y_.at_low = plot_.bottom;
    y_.at_high = plot_.top;
    for (const RooflinePoint& point : points_) {
      if (is_in_strip(point)) fastest_gbps_ = std::max(fastest_gbps_, gbps_of(point));
    }
    fastest_gbps_ = std::max(fastest_gbps_, roofs_.bytes_per_ns) * 1.05;
  }

  void draw_grid() {
    const Theme& theme = state_.theme;
    const float em = ImGui::GetFontSize();
    for (const double value : x_.powers()) {
      const float x = std::floor(x_.position(value)) + 0.5F;
      list_.AddLine({x, plot_.top}, {x, plot_.bottom}, theme.grid);
      const std::string words = formatted("%g", value);
      const float text_x =
          std::min(x - text_width(words) / 2, state_.boxes.roofline.right - state_.px(8) - text_width(words));
      list_.AddText({std::floor(text_x), plot_.bottom + state_.px(2)}, theme.text_dim, words.c_str());
    }
    for (const double value : y_.powers()) {
      const float y = std::floor(y_.position(value)) + 0.5F;
      list_.AddLine({plot_.left, y}, {plot_.right, y}, theme.grid);
      const std::string words = formatted("%g", value);
      list_.AddText({std::floor(plot_.left - state_.px(6) - text_width(words)), std::floor(y - em / 2)},
                    theme.text_dim, words.c_str());
    }
    const std::string unit = tr(Text::ledger_flop_per_byte);
    list_.AddText({plot_.right - text_width(unit), plot_.bottom - 1.2F * em}, theme.text_dim, unit.c_str());
    list_.AddText({plot_.left, plot_.top - 1.2F * em}, theme.text_dim, "TFLOP/s");
  }

  void draw_limits() {
    const Theme& theme = state_.theme;
    const float em = ImGui::GetFontSize();
    list_.PushClipRect(left_top(plot_), right_bottom(plot_), true);
    const double bandwidth = roofs_.bytes_per_ns;
    const double highest = peaks_.empty() ? y_.high : peaks_.back().tflops;
    if (bandwidth > 0) {
      const auto x_at = [&](double tflops) { return x_.position(tflops * kPerTera / bandwidth); };
      list_.AddLine({x_at(y_.low), y_.position(y_.low)}, {x_at(highest), y_.position(highest)},
                    theme.text_dim, state_.px(1.5F));
    }
    for (const Peak& peak : peaks_) {
      const float ridge = bandwidth > 0 ? x_.position(peak.tflops * kPerTera / bandwidth) : plot_.left;
      const float y = y_.position(peak.tflops);
      list_.AddLine({ridge, y}, {plot_.right, y}, type_color(peak.type, theme), state_.px(1.5F));
    }
    list_.PopClipRect();
    if (bandwidth > 0) {
      const std::string words = formatted("%.0f GB/s", bandwidth);
      const double lowest_shown = std::max(y_.low, x_.low * bandwidth / kPerTera);
      const double highest_shown = std::min(highest, x_.high * bandwidth / kPerTera);
      const double tflops = std::sqrt(lowest_shown * highest_shown);  // middle of the line
      const float x = std::max(plot_.left, x_.position(tflops * kPerTera / bandwidth)) + state_.px(10);
      const float y = std::min(plot_.bottom - em, y_.position(tflops));
      if (x + text_width(words) < plot_.right) list_.AddText({x, y}, theme.text_dim, words.c_str());
    }
  }

  /// Draws the labels of the peaks above the points, from the highest peak down. A label that would overlap
  /// the one above is placed below its line, or left out.
  void draw_peak_labels() {
    const Theme& theme = state_.theme;
    const float em = ImGui::GetFontSize();
    float taken = plot_.top - 2 * em;  // bottom of the label above
    for (std::size_t i = peaks_.size(); i-- > 0;) {
      const Peak& peak = peaks_[i];
      std::string words(peak.type);
      words.append(peak.tf32 ? " (TF32) " : " ").append(formatted("%.0f", peak.tflops));
      const float line = y_.position(peak.tflops);
      const float above = std::floor(line - 1.15F * em);
      const float y = above >= taken ? above : std::floor(line + state_.px(2));
      if (y < taken) continue;
      taken = y + em;
      const float x = std::floor(plot_.right - text_width(words));
      const float padding = state_.px(2);
      constexpr std::uint32_t kOpacity = 200;
      list_.AddRectFilled({x - padding, y}, {plot_.right, y + em}, with_alpha(theme.panel, kOpacity),
                          padding);
      list_.AddText({x, y}, type_color(peak.type, theme), words.c_str());
    }
  }

  ImVec2 center_of(const RooflinePoint& point) const {
    if (is_in_strip(point)) {
      const double share = gbps_of(point) / fastest_gbps_;
      return {strip_.left + static_cast<float>(std::min(share, 1.0)) * strip_.width(),
              (strip_.top + strip_.bottom) / 2};
    }
    return {std::clamp(x_.position(intensity_of(point)), plot_.left, plot_.right),
            std::clamp(y_.position(tflops_of(point)), plot_.top, plot_.bottom)};
  }

  float radius_of(const RooflinePoint& point) const {
    const double share = static_cast<double>(point.device_ns) / static_cast<double>(longest_ns_);
    const float most = is_in_strip(point) ? strip_.height() / 2 : state_.px(15);
    return std::max(state_.px(2.5F), most * static_cast<float>(std::sqrt(share)));
  }

  /// Returns the index of the point under the mouse; if there are several, of the one with the shortest time.
  std::optional<std::size_t> pointed_at() const {
    if (!ImGui::IsWindowHovered()) return std::nullopt;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      if (!is_plotted(points_[i]) && !is_in_strip(points_[i])) continue;
      const ImVec2 center = center_of(points_[i]);
      const float radius = radius_of(points_[i]) + state_.px(2);
      const float dx = mouse.x - center.x;
      const float dy = mouse.y - center.y;
      if (dx * dx + dy * dy > radius * radius) continue;
      if (!found || points_[i].device_ns < points_[*found].device_ns) found = i;
    }
    return found;
  }

  void draw_point(std::size_t index) {
    const RooflinePoint& point = points_[index];
    const bool in_strip = is_in_strip(point);
    if (!in_strip && !is_plotted(point)) return;
    const ImVec2 center = center_of(point);
    const float radius = radius_of(point);
    const std::uint32_t color = in_strip ? row_color(StepRow::memory_roof, state_.theme)
                                         : type_color(short_dtype(point.dtype), state_.theme);
    list_.AddCircleFilled(center, radius, with_alpha(color, 130));
    list_.AddCircle(center, radius, color, 0, 1);
    if (state_.point == index || hovered_ == index)
      list_.AddCircle(center, radius + state_.px(2), state_.theme.selection, 0, state_.px(2));
  }

  void draw_strip_axis() {
    const Theme& theme = state_.theme;
    const float em = ImGui::GetFontSize();
    list_.AddLine({strip_.left, strip_.bottom}, {strip_.right, strip_.bottom}, theme.border);
    if (roofs_.bytes_per_ns > 0) {
      const auto share = static_cast<float>(roofs_.bytes_per_ns / fastest_gbps_);
      const float x = std::floor(strip_.left + share * strip_.width()) + 0.5F;
      list_.AddLine({x, strip_.top}, {x, strip_.bottom}, row_color(StepRow::memory_roof, theme),
                    state_.px(1.5F));
      const std::string words = formatted("%.0f GB/s", roofs_.bytes_per_ns);
      list_.AddText({std::floor(std::min(x, strip_.right) - text_width(words)), strip_.bottom + state_.px(2)},
                    theme.text_dim, words.c_str());
    }
    draw_elided(list_, {strip_.left, strip_.bottom + state_.px(2)}, strip_.width() - 8 * em, theme.text_dim,
                tr(Text::ledger_without_flops));
  }

  void handle_mouse() {
    if (!hovered_) return;
    const RooflinePoint& point = points_[*hovered_];
    wrapped_tooltip(text_of_point(point));
    if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) state_.point = hovered_;
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
      state_.requests.emplace_back(ShowRange{
          {state_.trace().start_ns(point.longest), state_.trace().end_ns(point.longest)}, point.longest});
    }
  }

  std::string text_of_point(const RooflinePoint& point) const {
    std::string text =
        escaped(state_.trace().name_text(point.op)) + "  " + std::string(short_dtype(point.dtype)) + "\n" +
        escaped(point.input_dims) + "\n" +
        filled(Text::ledger_point_calls, {grouped(point.calls), text_from_duration(point.device_ns)});
    if (is_plotted(point)) {
      text += "\n" + formatted("%.3g TFLOP/s", tflops_of(point)) + ", " +
              formatted("%.3g FLOP/byte", intensity_of(point));
    } else {
      text += "\n" + formatted("%.0f GB/s", gbps_of(point));
    }
    if (point.roof_share() >= 0) {
      const bool compute = point.peak_ns >= point.memory_ns;
      text += "\n" + filled(compute ? Text::ledger_point_compute : Text::ledger_point_memory,
                            {text_from_share(point.roof_share())});
    }
    if (point.served_by_l2) text += "\n" + in_language(Message(msg::roofline_served_by_l2));
    if (point.at_most) text += "\n" + in_language(Message(msg::roofline_flop_at_most));
    constexpr std::size_t kLongestKernel = 160;  // characters; names of Tensile have over 600
    return text + "\n" + escaped(shortened_text(state_.trace().name_text(point.kernel), kLongestKernel));
  }

  struct Peak {
    std::string_view type;
    double tflops;
    bool tf32;
  };

  ImDrawList& list_;
  LedgerState& state_;
  const std::vector<RooflinePoint>& points_;
  const DeviceRoofs& roofs_;
  Box plot_;
  Box strip_;
  LogAxis x_;
  LogAxis y_;
  std::vector<Peak> peaks_;  // sorted by ascending peak
  std::int64_t longest_ns_ = 1;
  double fastest_gbps_ = 1;
  std::optional<std::size_t> hovered_;
};

}  // namespace

void draw_roofline(ImDrawList& list, LedgerState& state) {
  const Box& box = state.boxes.roofline;
  const float em = ImGui::GetFontSize();
  const ImVec2 at{box.left + state.px(14), std::floor(box.top + 0.5F * em)};
  const float used = draw_elided(list, at, box.width() - state.px(28), state.theme.text,
                                 in_language(Message(msg::roofline_title)));
  const float room = box.right - state.px(14) - (at.x + used + em);
  if (room > 8 * em)
    draw_elided(list, {at.x + used + em, at.y}, room, state.theme.text_dim, tr(Text::ledger_roofline_note));
  const std::vector<RooflinePoint>& points = state.content->report.points;
  const auto shown = [](const RooflinePoint& point) { return is_plotted(point) || is_in_strip(point); };
  if (std::ranges::none_of(points, shown)) {
    const bool has_shapes = !points.empty();
    list.AddText(ImGui::GetFont(), em, {at.x, at.y + 2 * em}, state.theme.text_dim,
                 tr(has_shapes ? Text::ledger_no_types : Text::ledger_no_shapes), nullptr,
                 box.width() - state.px(28));
    return;
  }
  RooflineChart(list, state).draw();
}

}  // namespace kino
