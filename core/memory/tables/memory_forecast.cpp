#include "core/memory/tables/memory_forecast.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/byte_text.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

constexpr double kLeastGrowth = 0.001;  // growth over all steps, as a share of the peak

/// Returns Student's t at 97.5 %, by the Cornish-Fisher expansion (Abramowitz and Stegun 26.7.5). The error
/// is less than 0.5 % from three degrees of freedom on.
double student_t(double freedom) {
  constexpr double kZ = 1.959963985;
  const double z2 = kZ * kZ;
  const double a = (z2 + 1) * kZ / 4;
  const double b = ((5 * z2 + 16) * z2 + 3) * kZ / 96;
  const double c = (((3 * z2 + 19) * z2 + 17) * z2 - 15) * kZ / 384;
  const double d = ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) * kZ / 92160;
  return kZ + a / freedom + b / (freedom * freedom) + c / std::pow(freedom, 3) + d / std::pow(freedom, 4);
}

std::string step_words(double steps) {
  constexpr double kMost = 1e15;
  return grouped(static_cast<std::uint64_t>(std::clamp(std::floor(steps), 0.0, kMost)));
}

}  // namespace

std::optional<GrowthFit> fit_growth(std::span<const std::uint64_t> peaks) {
  constexpr std::size_t kLeast = 3;
  if (peaks.size() < kLeast) return std::nullopt;
  const auto count = static_cast<double>(peaks.size());
  const double middle = (count - 1) / 2;
  double mean = 0;
  for (const std::uint64_t peak : peaks) mean += static_cast<double>(peak) / count;
  double xx = 0;
  double xy = 0;
  double yy = 0;
  for (std::size_t i = 0; i < peaks.size(); ++i) {
    const double x = static_cast<double>(i) - middle;
    const double y = static_cast<double>(peaks[i]) - mean;
    xx += x * x;
    xy += x * y;
    yy += y * y;
  }
  GrowthFit fit;
  fit.steps = peaks.size();
  fit.per_step = xy / xx;
  fit.last = mean + fit.per_step * middle;
  const double rest = std::max(0.0, yy - fit.per_step * xy);
  fit.r_squared = yy > 0 ? 1 - rest / yy : 0;
  const double freedom = count - 2;
  fit.error = student_t(freedom) * std::sqrt(rest / freedom / xx);
  return fit;
}

MemoryForecast forecast_of(std::span<const std::uint64_t> peaks, bool real_steps,
                           std::optional<std::uint64_t> capacity) {
  MemoryForecast forecast;
  forecast.capacity = capacity;
  if (!real_steps) return forecast;
  forecast.doubt = NoForecastReason::few_steps;
  if (peaks.empty()) return forecast;
  forecast.last = peaks.back();
  const std::span<const std::uint64_t> later = peaks.subspan(1);
  if (later.size() < kLeastForecastSteps) return forecast;
  forecast.fit = fit_growth(later).value_or(GrowthFit{});
  const GrowthFit& fit = forecast.fit;
  const double growth = fit.per_step * static_cast<double>(fit.steps - 1);
  const auto second = fit_growth(later.subspan(later.size() / 2));
  forecast.doubt = NoForecastReason::none;
  if (growth <= static_cast<double>(forecast.last) * kLeastGrowth) {
    forecast.doubt = NoForecastReason::flat;
  } else if (fit.per_step - fit.error <= 0 || fit.r_squared < kLeastForecastR2) {
    forecast.doubt = NoForecastReason::noise;
  } else if (second && second->per_step < fit.per_step / 2) {
    forecast.doubt = NoForecastReason::slows;
  }
  if (forecast.doubt != NoForecastReason::none || !capacity) return forecast;
  const double room = std::max(0.0, static_cast<double>(*capacity) - static_cast<double>(forecast.last));
  forecast.steps_left = room / fit.per_step;
  forecast.least_steps = room / (fit.per_step + fit.error);
  forecast.most_steps = room / (fit.per_step - fit.error);
  return forecast;
}

MemoryForecast memory_forecast(const SnapshotDevice& device, const SnapshotSteps& steps,
                               std::optional<std::uint64_t> capacity) {
  bool from_oom = false;
  const auto actions = device.entries.action.span();
  const auto oom = std::ranges::find(actions, SnapshotAction::oom);
  if (!capacity && oom != actions.end()) {
    const auto event = static_cast<EventIndex>(oom - actions.begin());
    capacity =
        curve_at(device, MemoryCurve::reserved, event) + device.entries.addr[static_cast<std::size_t>(event)];
    from_oom = true;
  }
  std::vector<std::uint64_t> peaks;
  EventIndex begin = steps.begin;
  for (const EventIndex end : steps.ends) {
    peaks.push_back(curve_over(device, MemoryCurve::requested, begin, end).highest);
    begin = end + 1;
  }
  MemoryForecast forecast = forecast_of(peaks, !steps.region.empty(), capacity);
  forecast.capacity_from_oom = from_oom;
  return forecast;
}

std::vector<Message> forecast_notes(const MemoryForecast& forecast, ByteUnits units) {
  const auto shown_bytes_text = [units](double bytes) { return text_from_bytes(bytes, units); };
  std::vector<Message> notes;
  const GrowthFit& fit = forecast.fit;
  switch (forecast.doubt) {
    case NoForecastReason::no_steps:
      return {msg::no_forecast_equal_parts};
    case NoForecastReason::few_steps:
      return {Message(msg::no_forecast_too_few_steps, grouped(kLeastForecastSteps))};
    case NoForecastReason::flat:
      return {msg::no_forecast_no_growth};
    case NoForecastReason::noise:
      return {Message(msg::no_forecast_not_significant, text_from_share(fit.r_squared))};
    case NoForecastReason::slows:
      return {msg::no_forecast_slowing};
    case NoForecastReason::none:
      break;
  }
  notes.emplace_back(msg::forecast_growth, shown_bytes_text(fit.per_step),
                     shown_bytes_text(fit.per_step - fit.error), shown_bytes_text(fit.per_step + fit.error),
                     grouped(fit.steps), text_from_share(fit.r_squared));
  if (!forecast.steps_left) {
    notes.emplace_back(msg::forecast_needs_capacity);
    return notes;
  }
  notes.emplace_back(forecast.capacity_from_oom ? msg::forecast_of_oom_capacity : msg::forecast_of_capacity,
                     shown_bytes_text(static_cast<double>(*forecast.capacity)),
                     step_words(*forecast.steps_left), step_words(forecast.least_steps),
                     step_words(forecast.most_steps));
  return notes;
}

}  // namespace kino
