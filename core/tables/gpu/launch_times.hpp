// GPU work sorted by launch time, to find the work launched in a step or CPU range, and its launch coverage.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// GPU time by kind of launcher, determined by each piece's own launch.
struct LaunchCoverage {
  std::int64_t known_ns = 0;     ///< time of work launched within an operator (cpu_op)
  std::int64_t all_ns = 0;       ///< time of all GPU work
  std::int64_t range_ns = 0;     ///< time of work launched within user annotations, NVTX or MPI ranges, but
                                 ///< in no operator
  std::int64_t launched_ns = 0;  ///< time of work whose launch, operator or range is in the trace
};

/// Innermost known launcher of GPU work. An annotation within an operator counts as that operator.
enum class Launcher : std::uint8_t { unknown, call, range, op };

/// Returns the coverage of all of `work`; durations are not clipped. O(work * depth), in parallel.
LaunchCoverage launch_coverage(const Trace& trace, const GpuWork& work, const std::stop_token& stop = {});

/// Returns "The launching operator is recorded for 56.2 % of GPU time."; mentions user ranges if work was
/// launched only in such ranges. Empty if no launches were recorded.
Message launch_coverage_note(const LaunchCoverage& coverage);

/// GPU work of a trace, sorted by launch time.
class LaunchTimes {
 public:
  LaunchTimes() = default;
  /// Sorts the GPU work by launch time. The object does not refer to the trace afterwards. It takes 48 bytes
  /// per piece of GPU work. O(slices), plus a sort of launches that are out of order.
  explicit LaunchTimes(const Trace& trace, const std::stop_token& stop = {});

  /// Returns the work whose launch starts in the range. For work without a recorded launch, the start of the
  /// operator with its External id is used. O(log work + n log n) for n pieces launched in the range.
  GpuWork launched_in(const Trace& trace, TimeRange range) const;
  /// Returns the coverage of work launched in the range. If `unknown_too`, includes work of unknown launch
  /// that starts in the range. O(log work).
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
  std::vector<LaunchCoverage> before_;  // prefix sums: coverage of the pieces before each index; the last
                                        // entry covers all
};

}  // namespace kino
