// Shares of time for display. If the recording is incomplete, shares are shown as bounds, as unknown or as
// not recorded.
#pragma once

#include <span>

#include "core/base/messages/message.hpp"
#include "core/tables/gpu/step_breakdown.hpp"
#include "core/trace/links/doubtful_work.hpp"
#include "core/trace/links/launch_calls.hpp"
#include "core/trace/links/recorded_kinds.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Value and text of a share in a table.
struct ShownShare {
  double value = 0;  ///< kNoNumber if it is not known
  Message text;      ///< empty: formatted from the value
};

/// Converts shares of time within windows for display. Lost GPU work makes busy shares lower bounds, and idle
/// shares upper bounds. Implausible durations, and CUDA graphs recorded without their kernels, have the
/// opposite effect. If both occur, or if implausible durations fill most of the windows, shares are unknown.
/// Kinds that the profiler never records are "not recorded" instead of 0 %.
class KnownShares {
 public:
  /// `windows` are disjoint and sorted. O(slices).
  KnownShares(const Trace& trace, const LaunchCounts& launches, std::span<const DoubtfulWork> doubtful,
              std::span<const TimeRange> windows);

  /// Returns the share of a role of TimeBreakdown for display.
  ShownShare of_role(StepRole role, double share) const;
  /// Returns the share of time in which a GPU works, for display.
  ShownShare busy(double share) const { return bounded(share, true, doubtful_ || whole_graphs_); }
  /// Returns the share of time in which a GPU is idle, for display.
  ShownShare idle(double share) const { return bounded(share, false, doubtful_ || whole_graphs_); }

 private:
  /// `of_work`: whether `share` is a share of work, not of idle time. `too_busy`: whether shares of work are
  /// upper bounds.
  ShownShare bounded(double share, bool of_work, bool too_busy) const;

  RecordedKinds recorded_;
  bool lost_ = false;  // whether so much GPU work is lost that idle time is unknown
  bool doubtful_ = false;
  bool whole_graphs_ = false;  // whether graphs recorded without their kernels, and so without inner gaps,
                               // fill a visible share of the windows
  bool mostly_doubtful_ = false;
};

}  // namespace kino
