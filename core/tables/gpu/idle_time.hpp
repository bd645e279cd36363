// How much of any stretch of time a GPU was idle: for bands on the timeline, at every zoom.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/trace/trace.hpp"

namespace kino {

/// Disjoint stretches in order of time. Immutable.
class IdleTime {
 public:
  IdleTime() = default;
  /// `gaps` are disjoint, in order and not empty.
  IdleTime(std::optional<std::uint32_t> process, std::vector<TimeRange> gaps);

  /// Of the GPU, index into Trace::processes; nullopt: of all GPUs at once.
  std::optional<std::uint32_t> process() const { return process_; }
  const std::vector<TimeRange>& gaps() const { return gaps_; }
  /// ns of [begin, end) that are idle. O(log gaps).
  std::int64_t in(std::int64_t begin_ns, std::int64_t end_ns) const {
    return before(end_ns) - before(begin_ns);
  }

 private:
  std::int64_t before(std::int64_t time_ns) const;

  std::optional<std::uint32_t> process_;
  std::vector<TimeRange> gaps_;
  std::vector<std::int64_t> sums_;  // of the gaps before each one
};

/// Of each GPU with work, in display order, within gap_window() of the whole trace; behind them that of all
/// at once, which for a lone GPU is the same. Empty without a GPU, and when stopped. O(GPU slices log
/// streams).
std::vector<IdleTime> idle_times(const Trace& trace, const std::stop_token& stop = {});

}  // namespace kino
