// Forecasts: the length of the window if something were different, with bounds from several readings.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "core/critical/path_cause.hpp"
#include "core/critical/retiming.hpp"

namespace kino {

/// A setting that scales thread time, and the cause whose time it scales.
struct ThreadSetting {
  std::string_view name;
  PathCause cause;
};
inline constexpr std::array kThreadSettings{
    ThreadSetting{"loader", PathCause::loader},         ThreadSetting{"gc", PathCause::gc},
    ThreadSetting{"operator", PathCause::op},           ThreadSetting{"python", PathCause::python},
    ThreadSetting{"annotation", PathCause::annotation}, ThreadSetting{"silent", PathCause::silent},
    ThreadSetting{"launch", PathCause::launch_call},    ThreadSetting{"malloc", PathCause::memory_call},
    ThreadSetting{"runtime", PathCause::runtime_call},  ThreadSetting{"synccall", PathCause::sync_call}};

/// A setting, and the changes that it makes to the graph.
struct WhatIf {
  std::string setting;  ///< as on the command line: "compute=0.5"
  GraphChange change;
  bool bound = false;  ///< whether the forecast is only a bound, since dependences may remain
};

/// Forecast of one or several settings together. Lengths are in ns.
struct Forecast {
  std::string setting;
  bool bound = false;
  std::int64_t length_ns = 0;  ///< with unexplained time as recorded
  std::int64_t lowest_ns = 0;  ///< smallest and largest of all readings, not widened
  std::int64_t highest_ns = 0;
  /// Standard error of the gain over the steps; nullopt with fewer than three steps.
  std::optional<std::int64_t> step_error_ns;

  /// Half of the width by which the bar is widened: 1 % of the window, and twice the standard error.
  std::int64_t margin_ns(std::int64_t window_ns) const;
  /// Whether the bar includes the recorded length, so that a gain is not certain.
  bool may_be_nothing(std::int64_t window_ns) const;
};

/// Parses settings such as "compute=0.5", "kernel:gemm=0.5", "loader=0", "busbw=200", "graphs", "stream:7",
/// "rank:2=median" or "rank:2.cpu=0.5", and combines them; factors of the same event are multiplied. Fails
/// with a sentence if a setting, value, kernel, rank or stream is unknown, if two settings set the same cost,
/// or if one has no effect beside another. O(settings * (settings + work)).
Result<WhatIf> parse_what_if(const ActivityGraph& graph, std::span<const std::string> settings);

/// Computes the forecast of a change. O(edges) per reading.
Forecast forecast(const ActivityGraph& graph, const WhatIf& what_if, const std::stop_token& stop = {});

/// Returns the usual settings that apply to the graph: kernels, CPU, launches, loader, collectives, copies,
/// synchronizing calls, garbage collection, and the ranks like the median that have the most time on the path
/// (at most 16).
std::vector<WhatIf> usual_what_ifs(const ActivityGraph& graph);

/// Returns the forecasts of usual_what_ifs(), shortest first.
std::vector<Forecast> usual_forecasts(const ActivityGraph& graph, const std::stop_token& stop = {});

}  // namespace kino
