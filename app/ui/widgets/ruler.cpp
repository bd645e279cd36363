#include "app/ui/widgets/ruler.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "core/base/time_text.hpp"

namespace kino {
namespace {

constexpr int kMostDecimals = 3;
constexpr std::int64_t kMs = 1'000'000;
constexpr double kMostMs = 10'000;  // times up to here are in ms

struct TimeUnit {
  std::int64_t ns;
  const char* name;
};
constexpr std::array kTimeUnits{TimeUnit{1, "ns"}, TimeUnit{1'000, "µs"}, TimeUnit{1'000'000, "ms"},
                                TimeUnit{1'000'000'000, "s"}};

std::int64_t whole_ns(double ns) {
  constexpr double kMost = 9.0e18;
  return static_cast<std::int64_t>(std::clamp(ns, -kMost, kMost));
}

/// Returns the largest time unit that is at most `ns`.
const TimeUnit& unit_for(double ns) {
  const TimeUnit* best = &kTimeUnits.front();
  for (const TimeUnit& unit : kTimeUnits) {
    if (ns >= static_cast<double>(unit.ns)) best = &unit;
  }
  return *best;
}

const char* unit_name(std::int64_t unit_ns) {
  for (const TimeUnit& unit : kTimeUnits) {
    if (unit.ns == unit_ns) return unit.name;
  }
  return "";
}

std::int64_t floor_to(std::int64_t value, std::int64_t step) {
  const std::int64_t rest = value % step;
  return value - (rest < 0 ? rest + step : rest);
}

std::int64_t power_of_ten_above(double ns) {
  std::int64_t power = 1;
  while (static_cast<double>(power) < ns && power < 1'000'000'000'000'000'000) power *= 10;
  return power;
}

int decimals_for(std::int64_t unit_ns, std::int64_t step_ns) {
  int decimals = 0;
  for (std::int64_t part = unit_ns; part > 1 && step_ns % part != 0; part /= 10) ++decimals;
  return decimals;
}

double pixel(double x) { return std::floor(x) + 0.5; }

}  // namespace

RulerScale ruler_scale(const TimeView& view, double min_step_px) {
  RulerScale scale;
  const double wanted = std::clamp(view.ns_per_px * min_step_px, 1.0, 1e18);
  std::int64_t power = power_of_ten_above(wanted);
  if (static_cast<double>(power) > wanted) power /= 10;  // the power of ten at or below
  scale.step_ns = power;
  scale.minor_ns = power / 5;
  for (const int factor : {2, 5, 10}) {
    if (static_cast<double>(scale.step_ns) >= wanted) break;
    scale.step_ns = power * factor;
    scale.minor_ns = factor == 2 ? power / 2 : scale.step_ns / 5;
  }
  if (scale.minor_ns * 5 != scale.step_ns && scale.minor_ns * 4 != scale.step_ns) scale.minor_ns = 0;

  const double furthest = std::max(std::abs(view.begin_ns), std::abs(view.end_ns()));
  scale.unit_ns = unit_for(furthest).ns;
  scale.decimals = decimals_for(scale.unit_ns, scale.step_ns);
  // Times of a few seconds are in ms, like the durations in labels and tables.
  if (scale.unit_ns > kMs && scale.decimals > 0 && furthest < kMostMs * kMs) {
    scale.unit_ns = kMs;
    scale.decimals = decimals_for(kMs, scale.step_ns);
  }
  if (scale.decimals <= kMostDecimals) return scale;

  scale.relative = true;
  const double length = view.end_ns() - view.begin_ns;
  scale.base_ns = floor_to(whole_ns(view.begin_ns), std::max(power_of_ten_above(length), scale.step_ns));
  scale.unit_ns = unit_for(static_cast<double>(scale.step_ns)).ns;
  scale.decimals = decimals_for(scale.unit_ns, scale.step_ns);
  return scale;
}

std::string tick_text(const RulerScale& scale, std::int64_t time_ns) {
  const std::int64_t value = time_ns - scale.base_ns;
  const std::uint64_t size =
      value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  const auto unit = static_cast<std::uint64_t>(scale.unit_ns);
  const char* sign = value < 0 ? "-" : scale.relative ? "+" : "";
  std::array<char, 64> text{};
  if (scale.decimals == 0) {
    std::snprintf(text.data(), text.size(), "%s%llu %s", sign, static_cast<unsigned long long>(size / unit),
                  unit_name(scale.unit_ns));
    return text.data();
  }
  std::uint64_t part = unit;
  for (int i = 0; i < scale.decimals; ++i) part /= 10;
  std::snprintf(text.data(), text.size(), "%s%llu.%0*llu %s", sign,
                static_cast<unsigned long long>(size / unit), scale.decimals,
                static_cast<unsigned long long>(size % unit / std::max<std::uint64_t>(1, part)),
                unit_name(scale.unit_ns));
  return text.data();
}

std::string label_text(const RulerScale& scale, std::int64_t duration_ns) {
  constexpr double kLeast = 0.05;  // in the ruler's unit
  constexpr double kMost = 10'000;
  const double value = static_cast<double>(duration_ns) / static_cast<double>(scale.unit_ns);
  if (value < kLeast || value >= kMost) return text_from_duration(duration_ns);
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.*f %s",
                value < 1      ? 2
                : value < 9.95 ? 1
                               : 0,
                value, unit_name(scale.unit_ns));
  return text.data();
}

std::string ruler_duration_text(const RulerScale& scale, std::int64_t duration_ns) {
  constexpr double kMost = 10'000;
  const double value = static_cast<double>(duration_ns) / static_cast<double>(scale.unit_ns);
  // From 1000 to 10,000 of the ruler's unit, text_from_duration() has the same digits, but in a larger unit.
  if (value < 1000 || value >= kMost || scale.unit_ns >= kTimeUnits.back().ns)
    return text_from_duration(duration_ns);
  return formatted("%.0f ", value) + unit_name(scale.unit_ns);
}

std::int64_t ruler_unit_ns(std::int64_t time_ns) {
  const double size = std::abs(static_cast<double>(time_ns));
  return size < kMostMs * kMs ? std::min(kMs, unit_for(size).ns) : kTimeUnits.back().ns;
}

std::string exact_time_text(std::int64_t time_ns) {
  return exact_time_text(time_ns, time_ns == 0 ? kMs : ruler_unit_ns(time_ns));
}

std::string exact_time_text(std::int64_t time_ns, std::int64_t unit_ns) {
  const std::uint64_t size =
      time_ns < 0 ? 0 - static_cast<std::uint64_t>(time_ns) : static_cast<std::uint64_t>(time_ns);
  const auto unit = static_cast<std::uint64_t>(unit_ns);
  std::string text(time_ns < 0 ? "-" : "");
  text += std::to_string(size / unit);
  // The digits below the unit, in groups of three.
  std::uint64_t rest = size % unit;
  bool first = true;
  for (std::uint64_t group = unit / 1000; group > 0 && rest > 0; group /= 1000) {
    std::array<char, 32> digits{};
    std::snprintf(digits.data(), digits.size(), "%c%03llu", first ? '.' : ' ',
                  static_cast<unsigned long long>(rest / group));
    text += digits.data();
    rest %= group;
    first = false;
  }
  return text + " " + unit_name(unit_ns);
}

std::string base_text(const RulerScale& scale) {
  return scale.relative ? exact_time_text(scale.base_ns) : "";
}

void draw_ruler(ImDrawList& list, const TimeView& view, const RulerScale& scale, ImVec2 left_top,
                ImVec2 right_bottom, std::span<const RulerGap> gaps, const Theme& theme, float ui_scale) {
  list.PushClipRect(left_top, right_bottom, true);
  const float bottom = right_bottom.y;
  const auto end = whole_ns(view.end_ns());
  if (scale.minor_ns > 0) {
    for (std::int64_t t = floor_to(whole_ns(view.begin_ns), scale.minor_ns); t <= end; t += scale.minor_ns) {
      const auto x = static_cast<float>(pixel(left_top.x + view.px_from_ns(static_cast<double>(t))));
      list.AddLine({x, bottom - 4 * ui_scale}, {x, bottom}, theme.border);
    }
  }
  const float text_y = std::floor(left_top.y + (right_bottom.y - left_top.y - ImGui::GetFontSize()) / 2);
  for (std::int64_t t = floor_to(whole_ns(view.begin_ns), scale.step_ns); t <= end; t += scale.step_ns) {
    const auto x = static_cast<float>(pixel(left_top.x + view.px_from_ns(static_cast<double>(t))));
    list.AddLine({x, bottom - 9 * ui_scale}, {x, bottom}, theme.text_dim);
    const std::string text = tick_text(scale, t);
    const float width = ImGui::CalcTextSize(text.data(), text.data() + text.size()).x;
    if (x < left_top.x || x + 9 * ui_scale + width > right_bottom.x) continue;  // truncated labels mislead
    const float right = x + 7 * ui_scale + width;
    if (std::ranges::any_of(gaps, [&](const RulerGap& gap) { return gap.left < right && gap.right > x; }))
      continue;
    list.AddText({x + 5 * ui_scale, text_y}, theme.text_dim, text.data(), text.data() + text.size());
  }
  list.PopClipRect();
}

void draw_grid(ImDrawList& list, const TimeView& view, const RulerScale& scale, ImVec2 left_top,
               ImVec2 right_bottom, const Theme& theme) {
  const auto end = whole_ns(view.end_ns());
  for (std::int64_t t = floor_to(whole_ns(view.begin_ns), scale.step_ns); t <= end; t += scale.step_ns) {
    const auto x = static_cast<float>(pixel(left_top.x + view.px_from_ns(static_cast<double>(t))));
    if (x >= left_top.x && x < right_bottom.x) list.AddLine({x, left_top.y}, {x, right_bottom.y}, theme.grid);
  }
}

void draw_linked_time(ImDrawList& list, const TimeView& view, ImVec2 left_top, ImVec2 right_bottom,
                      std::optional<double> time_ns, const Theme& theme, float ui_scale) {
  if (!time_ns) return;
  const double px = view.px_from_ns(*time_ns);
  if (px < 0 || px >= view.width_px) return;
  const float x = left_top.x + std::floor(static_cast<float>(px)) + 0.5F;
  list.AddLine({x, left_top.y}, {x, right_bottom.y}, with_alpha(theme.accent, 0xb0),
               std::max(1.0F, std::round(ui_scale)));
}

}  // namespace kino
