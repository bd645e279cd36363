// GPU work in order of its launches: what a step or a range of the CPU launched, and how much is known of it.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/relations/gpu_work.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// How much of the GPU time that is asked for an operator is known to have launched.
struct LaunchCoverage {
  std::int64_t known_ns = 0;
  std::int64_t all_ns = 0;
};

class LaunchTimes {
 public:
  LaunchTimes() = default;
  /// Does not refer to the trace later. 40 bytes for each piece of GPU work. O(slices), and a sort of
  /// launches that do not come in order. Empty when stopped.
  explicit LaunchTimes(const Trace& trace, const std::stop_token& stop = {});

  /// Work whose launch starts in the range; of work without a launch in the trace, what an operator that
  /// starts in it launched (its External id). O(log work + work launched there), and a sort of that.
  GpuWork launched_in(const Trace& trace, TimeRange range) const;
  /// Of work launched in the range; `unknown_too`: and of work of unknown launch that starts in it. O(log
  /// work).
  LaunchCoverage coverage(TimeRange range, bool unknown_too) const;

 private:
  struct Launched {
    std::int64_t at_ns = 0;
    SliceId work = kNoSlice;
    bool launch_known = false;
    bool owned = false;
  };
  struct Span {
    std::size_t first = 0;
    std::size_t last = 0;
  };
  struct Sums {
    LaunchCoverage coverage;
    std::int64_t unknown_ns = 0;  ///< the part of all without a known launch
  };
  Span span_of(TimeRange range) const;

  std::vector<Launched> launched_;  // in order of at_ns
  std::vector<Sums> before_;        // of all before each, and the end
};

}  // namespace kino
