// Forecast of the peak of live memory over steps, and of running out of memory. Only for steady growth.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/byte_text.hpp"
#include "core/base/messages/message.hpp"
#include "core/memory/snapshot.hpp"
#include "core/memory/snapshot_steps.hpp"

namespace kino {

/// Least-squares line through the peaks of the steps.
struct GrowthFit {
  std::size_t steps = 0;
  double per_step = 0;  ///< growth in bytes per step
  double error = 0;     ///< half of the 95 % interval of `per_step`, by Student's t
  double r_squared = 0;
  double last = 0;  ///< value of the line at the last step, in bytes
};
/// Fits the line; nullopt for fewer than three peaks.
std::optional<GrowthFit> fit_growth(std::span<const std::uint64_t> peaks);

/// Reason why there is no forecast.
enum class NoForecastReason : std::uint8_t {
  none,
  no_steps,   ///< equal parts of a recording are not steps
  few_steps,  ///< fewer than kLeastForecastSteps after the first one, which allocates permanent memory
  flat,       ///< the line grows by at most 0.1 % of the last peak over all steps
  noise,      ///< the growth is not significant, or not linear
  slows,      ///< the growth rate of the second half is less than half of the rate over all steps
};
inline constexpr std::size_t kLeastForecastSteps = 8;
inline constexpr double kLeastForecastR2 = 0.9;

struct MemoryForecast {
  NoForecastReason doubt = NoForecastReason::no_steps;
  GrowthFit fit;           ///< set if there are enough steps
  std::uint64_t last = 0;  ///< peak of the last step
  std::optional<std::uint64_t> capacity;
  bool capacity_from_oom = false;
  /// Number of steps after the last one until live memory alone exceeds the capacity; least_steps and
  /// most_steps are its bounds. Only set for steady growth with a known capacity.
  std::optional<double> steps_left;
  double least_steps = 0;
  double most_steps = 0;
};

/// Returns the forecast for the peaks of all steps, including the first. `real_steps`: the steps are not
/// equal parts of a recording. The growth must be significant (95 %) and linear, continue in the second half,
/// and exceed 0.1 % of the last peak.
MemoryForecast forecast_of(std::span<const std::uint64_t> peaks, bool real_steps,
                           std::optional<std::uint64_t> capacity);
/// Returns the forecast for a device. The default capacity is that of its first out-of-memory error.
/// O(entries).
MemoryForecast memory_forecast(const SnapshotDevice& device, const SnapshotSteps& steps,
                               std::optional<std::uint64_t> capacity);
/// Returns sentences that describe the forecast.
std::vector<Message> forecast_notes(const MemoryForecast& forecast, ByteUnits units);

}  // namespace kino
