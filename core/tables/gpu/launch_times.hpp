// GPU work sorted by launch: the work launched in a step or CPU range, and its coverage.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// GPU time by kind of launcher. Each piece of work counts by its own launch.
struct LaunchCoverage {
  std::int64_t known_ns = 0;     ///< launched within an operator (cpu_op)
  std::int64_t all_ns = 0;       ///< all GPU work
  std::int64_t range_ns = 0;     ///< launched within user annotations, NVTX or MPI ranges only
  std::int64_t launched_ns = 0;  ///< the launch, the operator or the range is in the trace
};

/// Innermost known launcher of GPU work. An annotation within an operator counts as that operator.
enum class Launcher : std::uint8_t { unknown, call, range, op };

/// Coverage of all of `work`, with whole durations. O(work * depth), in parallel.
LaunchCoverage launch_coverage(const Trace& trace, const GpuWork& work, const std::stop_token& stop = {});

/// Returns "56.2 % of GPU time has a launching operator."; names user ranges if only these launched. Empty
/// without recorded launches.
Message launch_coverage_note(const LaunchCoverage& coverage);

class LaunchTimes {
 public:
  LaunchTimes() = default;
  /// Does not refer to the trace later. 48 bytes per piece of GPU work. O(slices), and a sort of launches
  /// that are out of order.
  explicit LaunchTimes(const Trace& trace, const std::stop_token& stop = {});

  /// Work with a launch that starts in the range. For work without a recorded launch, the operator with its
  /// External id counts instead. O(log work + work launched there), and a sort of that.
  GpuWork launched_in(const Trace& trace, TimeRange range) const;
  /// Coverage of work launched in the range. With `unknown_too`, includes work of unknown launch that starts
  /// in it. O(log work).
  LaunchCoverage coverage(TimeRange range, bool unknown_too) const;

 private:
  struct Launched {
    std::int64_t at_ns = 0;
    SliceId work = kNoSlice;
    Launcher launcher{};
  };
  struct Span {
    std::size_t first = 0;
    std::size_t last = 0;
  };
  Span span_of(TimeRange range) const;

  std::vector<Launched> launched_;      // sorted by at_ns
  std::vector<LaunchCoverage> before_;  // sums of all before each, and of all
};

}  // namespace kino
