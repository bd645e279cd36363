#include "app/pages/critical/forecast_texts.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "app/ui/text/texts.hpp"
#include "core/base/saturating.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"
#include "core/trace/name_text.hpp"

namespace kino {
namespace {

constexpr std::string_view kKernel = "kernel:";
constexpr std::string_view kRank = "rank:";
constexpr std::string_view kMedian = "=median";

constexpr std::array<std::pair<std::string_view, Text>, 17> kSettingTitles{
    {{"compute", Text::setting_compute},
     {"copy", Text::setting_copy},
     {"cpu", Text::setting_cpu},
     {"loader", Text::setting_loader},
     {"gc", Text::setting_gc},
     {"operator", Text::setting_operator},
     {"python", Text::setting_python},
     {"annotation", Text::setting_annotation},
     {"silent", Text::setting_silent},
     {"launch", Text::setting_launch},
     {"malloc", Text::setting_malloc},
     {"runtime", Text::setting_runtime},
     {"synccall", Text::setting_synccall},
     {"moving", Text::setting_moving},
     {"graphs", Text::setting_graphs},
     {"overlap", Text::setting_overlap},
     {"sync", Text::setting_sync}}};

struct TimeUnit {
  double ns;
  const char* name;
};

TimeUnit unit_of_window(std::int64_t window_ns) {
  constexpr std::array kUnits{TimeUnit{1e9, "s"}, TimeUnit{1e6, "ms"}, TimeUnit{1e3, "µs"}};
  const auto fits = std::ranges::find_if(
      kUnits, [&](const TimeUnit& unit) { return static_cast<double>(window_ns) >= 10 * unit.ns; });
  return fits != kUnits.end() ? *fits : TimeUnit{1, "ns"};
}

/// Formats a number with as many decimals as an error of this size permits, at most three.
std::string number_within(double value, double error, bool with_sign) {
  constexpr double kMostDecimals = 3;
  const double decimals = error > 0 ? std::clamp(std::ceil(-std::log10(error)), 0.0, kMostDecimals) : 0;
  const double step = std::pow(10.0, decimals);
  const double rounded = std::round(value * step) / step;
  if (rounded == 0) return "0";
  constexpr std::array kFormats{"%.0f", "%.1f", "%.2f", "%.3f"};
  constexpr std::array kSigned{"%+.0f", "%+.1f", "%+.2f", "%+.3f"};
  const auto index = static_cast<std::size_t>(decimals);
  return formatted(with_sign ? kSigned[index] : kFormats[index], rounded);
}

std::string with_unit(std::int64_t value_ns, std::int64_t error_ns, std::int64_t window_ns, bool with_sign) {
  const TimeUnit unit = unit_of_window(window_ns);
  std::string text = number_within(static_cast<double>(value_ns) / unit.ns,
                                   static_cast<double>(error_ns) / unit.ns, with_sign);
  return text.append(" ").append(unit.name);
}

Text part_of_path(PathCause cause) {
  switch (cause) {
    case PathCause::compute:
    case PathCause::copy:
    case PathCause::kernel_gap:
      return Text::critical_gpu;
    case PathCause::moving:
    case PathCause::waiting:
      return Text::critical_communication;
    case PathCause::launch_latency:
    case PathCause::stream_wait:
    case PathCause::sync_return:
      return Text::critical_latency;
    case PathCause::unexplained:
      return Text::critical_unexplained;
    case PathCause::loader:
      return Text::critical_loading;
    default:
      return Text::critical_cpu;
  }
}

std::optional<double> value_of(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

void append_sentence(std::string& text, const std::string& sentence) {
  if (!text.empty()) text += ' ';
  text += sentence;
}

/// Adds the best certain forecast, and the forecasts without certain effect. Bounds are no forecasts.
void append_forecasts(const CriticalContent& content, const std::vector<Forecast>& forecasts,
                      std::string& text) {
  constexpr std::size_t kMostNamed = 3;
  const std::int64_t window_ns = content.window_ns();
  const auto is_certain = [&](const Forecast& row) {
    return !row.bound && !row.may_be_nothing(window_ns) && row.length_ns < window_ns;
  };
  const auto best = std::ranges::find_if(forecasts, is_certain);
  if (best != forecasts.end()) {
    const std::int64_t change_ns = saturating_subtract(best->length_ns, window_ns);
    const std::int64_t error_ns = bar_error_ns(*best, window_ns);
    append_sentence(text, filled(Text::critical_best, {changed_setting_title(best->setting),
                                                       change_text(change_ns, error_ns, window_ns),
                                                       change_share_text(change_ns, error_ns, window_ns)}));
  } else {
    append_sentence(text, tr(Text::critical_none_helps));
  }
  std::vector<Message> uncertain;
  for (const Forecast& row : forecasts) {
    if (uncertain.size() < kMostNamed && !row.bound && row.may_be_nothing(window_ns))
      uncertain.emplace_back(changed_setting_title(row.setting));
  }
  if (best != forecasts.end() && !uncertain.empty())
    append_sentence(text, filled(Text::critical_uncertain, {in_language(comma_list(uncertain))}));
}

/// Adds the rank with the longest part of the path, and the number of ranks without a trace.
void append_ranks(const CriticalContent& content, std::string& text) {
  const auto longest = std::ranges::max_element(content.ranks.lanes, {}, &RankLane::time_ns);
  if (longest != content.ranks.lanes.end()) {
    const std::int64_t window_ns = std::max<std::int64_t>(1, content.window_ns());
    const double share = static_cast<double>(longest->time_ns) / static_cast<double>(window_ns);
    append_sentence(text, filled(Text::critical_longest_rank,
                                 {std::to_string(longest->rank), text_from_duration(longest->time_ns),
                                  text_from_share(share)}));
  }
  if (const std::size_t missing = content.job->missing.size(); missing > 0)
    append_sentence(text, in_language({msg::path_missing_ranks, std::to_string(missing)}));
}

}  // namespace

std::string setting_title(std::string_view name) {
  if (name.starts_with(kKernel)) {
    const std::string kernel = literal_text(std::string(name.substr(kKernel.size())));
    return filled(Text::setting_kernel, {escaped(short_name(kernel))});
  }
  const auto* const found =
      std::ranges::find(kSettingTitles, name, &std::pair<std::string_view, Text>::first);
  return found != kSettingTitles.end() ? tr(found->second) : escaped(name);
}

std::string changed_setting_title(std::string_view setting) {
  if (setting.starts_with(kRank) && setting.ends_with(kMedian)) {
    const std::string_view rank =
        setting.substr(kRank.size(), setting.size() - kRank.size() - kMedian.size());
    return filled(Text::setting_at_median, {escaped(rank)});
  }
  const std::size_t equals = setting.rfind('=');
  if (equals == std::string_view::npos) return setting_title(setting);
  const std::string title = setting_title(setting.substr(0, equals));
  const std::optional<double> value = value_of(setting.substr(equals + 1));
  if (!value) return escaped(setting);
  if (*value == 0) return filled(Text::setting_gone, {title});
  const double speed = 1 / *value;
  if (speed > 1 && speed == std::round(speed))
    return filled(Text::setting_faster, {title, formatted("%.0f", speed)});
  return filled(Text::setting_scaled, {title, formatted("%.2f", *value)});
}

std::int64_t bar_error_ns(const Forecast& forecast, std::int64_t window_ns) {
  const std::int64_t spread_ns = saturating_subtract(forecast.highest_ns, forecast.lowest_ns) / 2;
  return std::max<std::int64_t>(1, saturating_add(spread_ns, forecast.margin_ns(window_ns)));
}

std::string change_text(std::int64_t change_ns, std::int64_t error_ns, std::int64_t window_ns) {
  return with_unit(change_ns, error_ns, window_ns, true);
}

std::string change_share_text(std::int64_t change_ns, std::int64_t error_ns, std::int64_t window_ns) {
  const auto window = static_cast<double>(std::max<std::int64_t>(1, window_ns));
  return number_within(100 * static_cast<double>(change_ns) / window,
                       100 * static_cast<double>(error_ns) / window, true) +
         " %";
}

std::string forecast_length_text(std::int64_t length_ns, std::int64_t error_ns, std::int64_t window_ns) {
  return with_unit(length_ns, error_ns, window_ns, false);
}

std::string critical_headline(const CriticalContent& content) {
  if (content.empty()) return tr(Text::critical_empty);
  constexpr std::array kParts{Text::critical_cpu,     Text::critical_loading,
                              Text::critical_gpu,     Text::critical_communication,
                              Text::critical_latency, Text::critical_unexplained};
  std::array<std::int64_t, kParts.size()> sums{};
  for (std::size_t i = 0; i < kPathCauseCount; ++i) {
    const Text part = part_of_path(static_cast<PathCause>(i));
    sums[static_cast<std::size_t>(std::ranges::find(kParts, part) - kParts.begin())] +=
        content.path.causes[i];
  }
  const auto largest = static_cast<std::size_t>(std::ranges::max_element(sums) - sums.begin());
  const std::int64_t window_ns = std::max<std::int64_t>(1, content.window_ns());
  const double share = static_cast<double>(sums[largest]) / static_cast<double>(window_ns);
  return filled(Text::critical_largest, {tr(kParts[largest]), text_from_duration(sums[largest]),
                                         text_from_duration(window_ns), text_from_share(share)});
}

std::string critical_evidence(const CriticalContent& content, const std::vector<Forecast>* forecasts) {
  std::string text;
  if (content.empty()) return text;
  if (!content.forecasts()) append_sentence(text, in_language(msg::path_is_unexplained));
  if (forecasts != nullptr && !forecasts->empty()) append_forecasts(content, *forecasts, text);
  if (content.steps.empty()) append_sentence(text, tr(Text::critical_no_steps));
  if (!content.has_work()) append_sentence(text, tr(Text::critical_no_gpu));
  if (content.job != nullptr) {
    append_ranks(content, text);
  } else if (!content.graph.ranks.front().collectives.empty()) {
    append_sentence(text, in_language(msg::path_one_rank));
  }
  return text;
}

}  // namespace kino
