// Display of shares of time that the recording does not fully cover: as bounds, unknown, or not recorded.
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

/// Shares of time within windows. Lost GPU work makes busy shares lower bounds. Implausible durations, and
/// graphs recorded as a whole, make them upper bounds. With both, or if such durations fill most of the
/// windows, shares are unknown. Kinds that the recorder never writes are "not recorded" instead of 0 %.
class KnownShares {
 public:
  /// `windows` are disjoint and sorted. O(slices).
  KnownShares(const Trace& trace, const LaunchCounts& launches, std::span<const DoubtfulWork> doubtful,
              std::span<const TimeRange> windows);

  /// Share of a role of TimeBreakdown.
  ShownShare of_role(StepRole role, double share) const;
  /// Share of time in which a GPU works.
  ShownShare busy(double share) const { return bounded(share, true, doubtful_ || whole_graphs_); }
  /// Share of time in which a GPU is idle.
  ShownShare idle(double share) const { return bounded(share, false, doubtful_ || whole_graphs_); }

 private:
  /// `too_busy`: whether the share of work is an upper bound.
  ShownShare bounded(double share, bool of_work, bool too_busy) const;

  RecordedKinds recorded_;
  bool lost_ = false;  // so much GPU work is lost that idle time is unknown
  bool doubtful_ = false;
  bool whole_graphs_ = false;  // they fill a visible share of the windows; gaps within them are not recorded
  bool mostly_doubtful_ = false;
};

}  // namespace kino
