// Idle time of GPUs in any interval, for the idle bands on the timeline at every zoom level.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/trace/links/busy_time.hpp"
#include "core/trace/trace.hpp"

namespace kino {

struct IdleTime {
  std::optional<std::uint32_t> process;  ///< index into Trace::processes; nullopt: all GPUs
  BusyLine gaps;
};

/// Returns the idle time of each GPU with work, in display order, within gap_window() of the whole trace. The
/// last entry is the time during which all GPUs are idle. Empty if there is no GPU. O(GPU slices log
/// streams).
std::vector<IdleTime> idle_times(const Trace& trace, const std::stop_token& stop = {});

}  // namespace kino
