// How the peak of live memory grows from step to step, and when it runs out: only of growth that is steady.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/byte_text.hpp"
#include "core/base/messages/message.hpp"
#include "core/memory/snapshot.hpp"
#include "core/memory/snapshot_steps.hpp"

namespace kino {

/// A line through the peaks of steps, by least squares.
struct GrowthFit {
  std::size_t steps = 0;
  double per_step = 0;  ///< bytes
  double error = 0;     ///< half of the interval that holds `per_step` in 95 of 100 cases, by Student's t
  double r_squared = 0;
  double last = 0;  ///< bytes of the line at the last step
};
/// Nothing for fewer than three.
std::optional<GrowthFit> fit_growth(std::span<const std::uint64_t> peaks);

/// Why nothing is forecast.
enum class ForecastDoubt : std::uint8_t {
  none,
  no_steps,   ///< equal parts of a recording are no steps
  few_steps,  ///< less than kLeastForecastSteps behind the first one, which allocates what stays
  flat,       ///< the first of them needed as much as the last
  noise,      ///< the growth is not clear of what steps differ by
  slows,      ///< the second half grows by less than half of what all do
};
inline constexpr std::size_t kLeastForecastSteps = 8;
inline constexpr double kLeastForecastR2 = 0.9;

struct MemoryForecast {
  ForecastDoubt doubt = ForecastDoubt::no_steps;
  GrowthFit fit;           ///< where there are steps enough
  std::uint64_t last = 0;  ///< the peak of the last step
  std::optional<std::uint64_t> capacity;
  bool capacity_from_oom = false;
  /// Steps behind the last one until live memory alone is more than the capacity: about, at least, at most.
  /// Only of steady growth with a capacity.
  std::optional<double> steps_left;
  double least_steps = 0;
  double most_steps = 0;
};

/// `peaks` of all steps, the first one included; `steps` tells whether they are any. Never of noise: growth
/// that is clear of it (95 %), fits a line, goes on in the second half and comes to 0.1 % of the peak.
MemoryForecast forecast_of(std::span<const std::uint64_t> peaks, bool real_steps,
                           std::optional<std::uint64_t> capacity);
/// Of a device; without a capacity the one that its first out-of-memory error tells. O(entries).
MemoryForecast memory_forecast(const SnapshotDevice& device, const SnapshotSteps& steps,
                               std::optional<std::uint64_t> capacity);
/// The same in sentences.
std::vector<Message> forecast_notes(const MemoryForecast& forecast, ByteUnits units);

}  // namespace kino
