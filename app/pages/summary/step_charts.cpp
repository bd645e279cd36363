#include "app/pages/summary/step_charts.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "app/ui/tables/step_group_color.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/hatching.hpp"
#include "app/ui/widgets/panel_parts.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/gpu/time_base.hpp"

namespace kino {
namespace {

constexpr std::uint32_t kUnusedAlpha = 110;

double ratio(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

StepGroup group_at(std::size_t index) { return static_cast<StepGroup>(index); }

/// Explains how a group differs from the finding with nearly the same meaning; empty for other groups.
std::string hint_of(StepGroup group, const std::string& device) {
  if (group == StepGroup::idle_late) return with_device_word(tr(Text::idle_late_launch_hint), device);
  return group == StepGroup::idle_launch ? with_device_word(tr(Text::idle_launching_hint), device)
                                         : std::string();
}

/// Fills a piece of a bar. Idle time is hatched.
void fill_group(const PageColumn& column, const Box& box, StepGroup group, bool used) {
  if (box.right <= box.left || box.bottom <= box.top) return;
  const Theme& theme = column.theme();
  const std::uint32_t color = with_alpha(step_group_color(group, theme), used ? 255 : kUnusedAlpha);
  if (!is_idle(group)) return column.list().AddRectFilled(left_top(box), right_bottom(box), color);
  column.list().AddRectFilled(left_top(box), right_bottom(box),
                              mixed(theme.panel, color | 0xff000000U, used ? 0.6 : 0.3));
  add_hatching(column.list(), left_top(box), right_bottom(box), color, column.frame().scale);
}

/// Draws a stacked bar from left to right. `per_ns` converts ns to ImGui units. Returns its right end.
float draw_stack(const PageColumn& column, Box box, const GroupTimes& times, double per_ns, bool used) {
  const float begin = box.left;
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < kStepGroupCount; ++i) {
    const std::int64_t ns = times[group_at(i)];
    if (ns <= 0) continue;
    sum += ns;
    box.right = begin + std::round(static_cast<float>(static_cast<double>(sum) * per_ns));
    fill_group(column, box, group_at(i), used);
    box.left = box.right;
  }
  return box.left;
}

/// Shows a tooltip with the parts of a bar and their times.
void times_hint(const std::string& head, const GroupTimes& times, const TimeScale& unit) {
  std::string text = head;
  for (std::size_t i = 0; i < kStepGroupCount; ++i) {
    if (times[group_at(i)] <= 0) continue;
    text += "\n" + in_language(title_of(group_at(i))) + ": " + unit.number(times[group_at(i)]) + " " +
            unit.unit();
  }
  wrapped_tooltip(text);
}

std::string step_label(const FindingBase::Part& part) {
  return part.name.empty() ? std::string(tr(Text::summary_whole_time)) : escaped(part.name);
}

std::string step_hint(const TraceOverview& overview, std::size_t index) {
  const FindingBase::Part& part = overview.summary.findings.base.all[index];
  const std::string length = text_from_duration(part.range.length_ns());
  std::string text =
      part.name.empty() ? length : filled(Text::summary_step_hint, {escaped(part.name), length});
  if (!part.used) text += std::string("\n") + tr(Text::summary_step_unused);
  if (overview.outliers[index]) text += std::string("\n") + tr(Text::summary_step_outlier);
  return text;
}

/// Draws the groups that have time, with their colors.
void draw_legend(PageColumn& column, const std::vector<GroupTimes>& parts) {
  const float square = column.px(9);
  float x = column.left();
  for (std::size_t i = 0; i < kStepGroupCount; ++i) {
    const StepGroup group = group_at(i);
    if (std::ranges::none_of(parts, [&](const GroupTimes& times) { return times[group] > 0; })) continue;
    const std::string title = in_language(title_of(group));
    const float needed = square + column.px(5) + text_width(title);
    if (x > column.left() && x + needed > column.right()) {
      x = column.left();
      column.move_to(column.y() + column.line_height() + column.px(2));
    }
    const float top = column.y() + std::floor((column.line_height() - square) / 2);
    fill_group(column, {x, top, x + square, top + square}, group, true);
    draw_elided(column.list(), {x + square + column.px(5), column.y()},
                column.right() - x - square - column.px(5), column.theme().text_dim, title);
    x += needed + column.px(16);
  }
  column.move_to(column.y() + column.line_height());
}

/// Marks a step that is much longer than the others.
void draw_outlier_mark(const PageColumn& column, float x, float y) {
  const float size = column.px(3);
  column.list().AddTriangleFilled({x - size, y}, {x + size, y}, {x, y - 1.7F * size}, column.theme().warning);
}

class StepChart {
 public:
  StepChart(PageColumn& column, const TraceOverview& overview, const OverviewGpu& gpu, const TimeScale& unit)
      : column_(column),
        overview_(overview),
        parts_(overview.summary.findings.base.all),
        gpu_(gpu),
        unit_(unit) {
    for (const FindingBase::Part& part : parts_) longest_ns_ = std::max(longest_ns_, part.range.length_ns());
  }

  std::optional<std::size_t> draw() {
    if (parts_.size() > kMostStepRows) {
      draw_columns();
    } else {
      draw_rows();
    }
    column_.space(4);
    draw_legend(column_, gpu_.parts);
    return clicked_;
  }

 private:
  void draw_rows() {
    float name = 0;
    float time = 0;
    for (const FindingBase::Part& part : parts_) {
      name = std::max(name, text_width(step_label(part)));
      time = std::max(time, text_width(unit_.number(part.range.length_ns())));
    }
    name = std::min(name, column_.width() / 4);
    const float left = column_.left() + name + column_.px(10);
    const float room = std::max(1.0F, column_.right() - left - time - column_.px(22));
    const float height = column_.line_height() + column_.px(3);
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const float y = column_.y();
      const std::uint32_t color = parts_[i].used ? column_.theme().text : column_.theme().text_dim;
      draw_elided(column_.list(), {column_.left(), y}, name, color, step_label(parts_[i]));
      const Box bar{left, y, 0, y + column_.line_height()};
      const float end =
          draw_stack(column_, bar, gpu_.parts[i], room / static_cast<double>(longest_ns_), parts_[i].used);
      const std::string number = unit_.number(parts_[i].range.length_ns());
      column_.list().AddText({end + column_.px(8), y}, color, number.c_str());
      if (overview_.outliers[i])
        draw_outlier_mark(column_, end + column_.px(14) + text_width(number), y + column_.px(12));
      button(i, {column_.left(), y, column_.right(), y + height});
      column_.move_to(y + height);
    }
  }

  void draw_columns() {
    const auto fits = static_cast<std::size_t>(std::max(1.0F, column_.width() / column_.px(4)));
    const std::size_t joined = (parts_.size() + fits - 1) / fits;
    const std::size_t count = (parts_.size() + joined - 1) / joined;
    const float width = std::min(column_.px(24), column_.width() / static_cast<float>(count));
    const float top = column_.y() + column_.px(8);
    const float height = column_.px(110);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t first = i * joined;
      const std::size_t end = std::min(parts_.size(), first + joined);
      std::size_t shown = first;
      for (std::size_t at = first; at < end; ++at) {
        if (parts_[at].range.length_ns() > parts_[shown].range.length_ns()) shown = at;
      }
      const float left = column_.left() + std::floor(width * static_cast<float>(i));
      const float right =
          column_.left() + std::floor(width * static_cast<float>(i + 1)) - (width > 3 ? 1 : 0);
      draw_column(shown, {left, top, right, top + height});
    }
    column_.move_to(top + height + column_.px(2));
    column_.list().AddText({column_.left(), column_.y()}, column_.theme().text_dim,
                           step_label(parts_.front()).c_str());
    column_.right_text(std::min(column_.right(), column_.left() + width * static_cast<float>(count)),
                       column_.y(), column_.theme().text_dim, step_label(parts_.back()));
    column_.move_to(column_.y() + column_.line_height());
    if (joined > 1)
      column_.text(column_.theme().text_dim, filled(Text::summary_columns_joined, {grouped(joined)}));
  }

  void draw_column(std::size_t part, const Box& box) {
    const double per_ns = static_cast<double>(box.height()) / static_cast<double>(longest_ns_);
    std::int64_t sum = 0;
    float bottom = box.bottom;
    for (std::size_t i = 0; i < kStepGroupCount; ++i) {
      const std::int64_t ns = gpu_.parts[part][group_at(i)];
      if (ns <= 0) continue;
      sum += ns;
      const float y = box.bottom - std::round(static_cast<float>(static_cast<double>(sum) * per_ns));
      fill_group(column_, {box.left, y, box.right, bottom}, group_at(i), parts_[part].used);
      bottom = y;
    }
    if (overview_.outliers[part])
      draw_outlier_mark(column_, (box.left + box.right) / 2, bottom - column_.px(2));
    button(part, box);
  }

  void button(std::size_t part, const Box& box) {
    ImGui::PushID(static_cast<int>(part));
    place_button("step", box);
    if (ImGui::IsItemClicked()) clicked_ = part;
    if (ImGui::IsItemHovered()) {
      ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      if (!popup_open()) times_hint(step_hint(overview_, part), gpu_.parts[part], unit_);
    }
    ImGui::PopID();
    if (part < kMostStepRows)
      column_.frame().places.emplace_back("step_" + std::to_string(part), item_center());
  }

  PageColumn& column_;
  const TraceOverview& overview_;
  const std::vector<FindingBase::Part>& parts_;
  const OverviewGpu& gpu_;
  const TimeScale& unit_;
  std::int64_t longest_ns_ = 1;
  std::optional<std::size_t> clicked_;
};

}  // namespace

std::optional<std::size_t> draw_gpu_rows(PageColumn& column, const TraceOverview& overview, std::size_t shown,
                                         const TimeScale& unit) {
  std::optional<std::size_t> clicked;
  const auto device_text = [&](std::string text) {
    return with_device_word(std::move(text), overview.summary.findings.device);
  };
  column.heading(device_text(tr(Text::summary_gpus)).c_str(), device_text(tr(Text::summary_gpus_note)));
  float name = 0;
  std::int64_t longest_ns = 1;
  for (const OverviewGpu& gpu : overview.gpus) {
    name = std::max(name, text_width(escaped(gpu.title)));
    longest_ns = std::max(longest_ns, gpu.mean.total());
  }
  name = std::min(name, column.width() * 0.35F);
  const float left = column.left() + name + column.px(10);
  const float room =
      std::max(1.0F, column.right() - left - text_width(unit.number(longest_ns)) - column.px(8));
  const float height = column.line_height() + column.px(3);
  for (std::size_t i = 0; i < overview.gpus.size(); ++i) {
    const OverviewGpu& gpu = overview.gpus[i];
    const float y = column.y();
    const Box all{column.left(), y, column.right(), y + height};
    if (i == shown)
      column.list().AddRectFilled(left_top(all), right_bottom(all), with_alpha(column.theme().accent, 40));
    draw_elided(column.list(), {column.left(), y}, name, column.theme().text, escaped(gpu.title));
    const float end = draw_stack(column, {left, y, 0, y + column.line_height()}, gpu.mean,
                                 room / static_cast<double>(longest_ns), true);
    const std::string number = unit.number(gpu.mean.total());
    column.list().AddText({end + column.px(8), y}, column.theme().text, number.c_str());
    ImGui::PushID(static_cast<int>(i));
    place_button("gpu", all);
    if (ImGui::IsItemClicked()) clicked = i;
    if (ImGui::IsItemHovered() && !popup_open()) times_hint(escaped(gpu.title), gpu.mean, unit);
    ImGui::PopID();
    column.frame().places.emplace_back("gpu_" + std::to_string(i), item_center());
    column.move_to(y + height);
  }
  if (overview.gpu_count > overview.gpus.size()) {
    column.text(column.theme().text_dim,
                device_text(filled(Text::summary_gpus_more,
                                   {grouped(overview.gpus.size()), grouped(overview.gpu_count)})));
  }
  return clicked;
}

std::optional<std::size_t> draw_step_chart(PageColumn& column, const TraceOverview& overview,
                                           const OverviewGpu& gpu, const TimeScale& unit) {
  return StepChart(column, overview, gpu, unit).draw();
}

void draw_mean_step(PageColumn& column, const TraceOverview& overview, const OverviewGpu& gpu,
                    const TimeScale& unit) {
  const std::int64_t mean_ns = overview.summary.findings.base.mean_ns;
  float name = 0;
  std::int64_t longest_ns = 1;
  for (std::size_t i = 0; i < kStepGroupCount; ++i) {
    if (gpu.mean[group_at(i)] <= 0) continue;
    name = std::max(name, text_width(in_language(title_of(group_at(i)))));
    longest_ns = std::max(longest_ns, gpu.mean[group_at(i)]);
  }
  const float share_px = text_width("99.9 %");
  const float time_px = text_width(unit.number(longest_ns));
  const float time = column.right() - share_px - column.px(12);
  name = std::min(name, std::max(column.px(60), time - time_px - column.left() - column.px(70)));
  const float left = column.left() + name + column.px(10);
  const float room = std::max(1.0F, time - time_px - column.px(10) - left);
  for (std::size_t i = 0; i < kStepGroupCount; ++i) {
    const std::int64_t ns = gpu.mean[group_at(i)];
    if (ns <= 0) continue;
    const float y = column.y();
    draw_elided(column.list(), {column.left(), y}, name, column.theme().text,
                in_language(title_of(group_at(i))));
    const float inset = column.px(3);
    const float end = left + std::max(1.0F, room * static_cast<float>(ratio(ns, longest_ns)));
    fill_group(column, {left, y + inset, end, y + column.line_height() - inset}, group_at(i), true);
    column.right_text(time, y, column.theme().text, unit.number(ns));
    column.right_text(column.right(), y, column.theme().text_dim, text_from_share(ratio(ns, mean_ns)));
    ImGui::SetCursorScreenPos({column.left(), y});
    ImGui::Dummy({std::max(1.0F, column.width()), column.line_height()});
    const std::string hint = hint_of(group_at(i), overview.summary.findings.device);
    if (!hint.empty() && ImGui::IsItemHovered() && !popup_open()) wrapped_tooltip(hint);
    column.move_to(y + column.line_height() + column.px(4));
  }
}

void draw_memory_curve(PageColumn& column, const MemoryColumns& curve) {
  if (curve.bytes.empty() || curve.peak_bytes <= 0) return;
  const float height = column.px(46);
  const float bottom = column.y() + height;
  const float width = column.width() / static_cast<float>(curve.bytes.size());
  const std::uint32_t color = column.theme().counter;
  for (std::size_t i = 0; i < curve.bytes.size(); ++i) {
    const float left = column.left() + width * static_cast<float>(i);
    const float top = bottom - height * static_cast<float>(std::max(0.0, curve.bytes[i]) / curve.peak_bytes);
    column.list().AddRectFilled({std::floor(left), top}, {std::floor(left + width) + 0.5F, bottom}, color);
  }
  column.list().AddLine({column.left(), bottom}, {column.right(), bottom}, column.theme().border);
  column.move_to(bottom + column.px(6));
}

void draw_step_bars(PageColumn& column, const Box& box, const FindingBase& base, const Finding& finding,
                    std::uint32_t color) {
  const std::vector<std::int64_t>& times = finding.step_ns;
  if (times.size() < 2 || times.size() != base.all.size()) return;
  const auto fits = static_cast<std::size_t>(std::max(1.0F, box.width() / column.px(4)));
  const std::size_t joined = (times.size() + fits - 1) / fits;
  struct Bar {
    std::int64_t ns = 0;
    bool used = false;
  };
  std::vector<Bar> bars;
  bars.reserve((times.size() + joined - 1) / joined);
  for (std::size_t first = 0; first < times.size(); first += joined) {
    const std::size_t end = std::min(times.size(), first + joined);
    Bar& bar = bars.emplace_back();
    for (std::size_t i = first; i < end; ++i) {
      bar.ns += times[i] / static_cast<std::int64_t>(end - first);
      bar.used = bar.used || base.all[i].used;
    }
  }
  const std::int64_t longest = std::max<std::int64_t>(1, std::ranges::max(bars, {}, &Bar::ns).ns);
  const float width = std::min(column.px(13), box.width() / static_cast<float>(bars.size()));
  const float left = box.right - width * static_cast<float>(bars.size());
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const float height = std::max(1.0F, box.height() * static_cast<float>(ratio(bars[i].ns, longest)));
    const ImVec2 from{std::floor(left + width * static_cast<float>(i)), box.bottom - height};
    const ImVec2 to{std::floor(left + width * static_cast<float>(i + 1)) - std::max(1.0F, column.px(2)),
                    box.bottom};
    if (bars[i].used) {
      column.list().AddRectFilled(from, to, color);
    } else {
      column.list().AddRect(from, to, color);
    }
  }
  if (ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(left_top(box), right_bottom(box)) &&
      !popup_open()) {
    wrapped_tooltip(joined == 1 ? std::string(tr(Text::summary_bars_hint))
                                : filled(Text::summary_bars_hint_joined, {grouped(joined)}));
  }
}

}  // namespace kino
