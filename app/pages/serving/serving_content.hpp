// The computed content of the page of an inference engine's iterations. Computed by workers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "core/tables/serving/iterations.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Consecutive iterations that share one bar of the plot.
struct PlotBar {
  std::size_t first = 0;
  std::size_t end = 0;      ///< index after the last one
  std::size_t longest = 0;  ///< the one with the longest window, whose height and color the bar has
};
/// Largest number of bars. With more iterations, each bar contains several.
inline constexpr std::size_t kMostPlotBars = 4096;

/// Statements of the headline, in the order in which they are tried.
enum class ServingVerdict : std::uint8_t {
  no_iterations,
  none_used,        ///< the statistics leave all iterations out
  no_steady_state,  ///< of main_group()
  stalls,           ///< above kMostStalled of the time
  idle,             ///< above kMostIdle of decode
  largest_part,
};

struct ServingContent {
  /// Shares above which stalls and idle time are the headline.
  static constexpr double kMostStalled = 0.1;
  static constexpr double kMostIdle = 0.2;
  /// Fewest iterations of which percentiles other than the median are shown.
  static constexpr std::size_t kLeastForPercentiles = 4;

  std::shared_ptr<const Trace> trace;
  Iterations iterations;
  std::vector<IterationGroup> groups;  ///< the longest sum of windows first
  std::vector<Stall> stalls;           ///< in order of time
  WindowStats between_tokens;
  std::vector<PlotBar> bars;
  std::int64_t plot_top_ns = 1;           ///< longest window in the statistics or, if they are empty, of all
  std::array<std::size_t, 5> left_out{};  ///< iterations by LeftOut

  std::int64_t used_ns = 0;  ///< sum of all windows in the statistics
  std::int64_t stalled_ns = 0;
  std::int64_t longest_stall_ns = 0;
  std::int64_t decode_ns = 0;  ///< sum of the windows of decode and verify, as are the members below
  std::int64_t decode_idle_ns = 0;

  bool empty() const { return iterations.list.empty(); }
  /// Whether windows follow from GPU work.
  bool has_gpu_work() const { return iterations.device.has_value(); }
  std::size_t used() const { return left_out[0]; }
  /// Whether any iteration is known to generate tokens; otherwise, there cannot be stalls.
  bool generates() const;
  /// Returns the index of the group of decode with the most time. Without one, returns that of the group with
  /// the most time. nullopt without groups.
  std::optional<std::size_t> main_group() const;
  /// Returns the index into `stalls` of an iteration's stall; nullopt if it has none. O(log stalls).
  std::optional<std::size_t> stall_of(std::size_t iteration) const;
  ServingVerdict verdict() const;
};

/// Finds the iterations, their groups and stalls. Unspecified if stopped. O(slices + names + work log work).
std::shared_ptr<const ServingContent> serving_content(const std::shared_ptr<const Trace>& trace,
                                                      const std::stop_token& stop);

/// Returns at most `most` bars, each with equally many iterations except for the last one. O(iterations).
std::vector<PlotBar> plot_bars(std::span<const Iteration> list, std::size_t most = kMostPlotBars);

/// Returns the sum of the idle parts.
std::int64_t idle_ns(const IterationTimes& times);

}  // namespace kino
