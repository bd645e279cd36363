// How a share of time is written where the recording does not have all of it: bounded, unknown, not recorded.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/messages/message.hpp"
#include "core/tables/gpu/step_split.hpp"
#include "core/trace/links/doubtful_work.hpp"
#include "core/trace/links/launch_calls.hpp"
#include "core/trace/links/recorded_kinds.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// A share as a table has it.
struct ShownShare {
  double value = 0;  ///< kNoNumber if it is not known
  Message text;      ///< empty: as the value reads
};

/// Shares of some windows. GPU work that was lost makes busy shares lower bounds; durations that cannot be
/// right, and graphs that were recorded whole, make them upper bounds. With both, or where such durations
/// fill most of the windows, they are unknown. What the recorder never writes was not recorded, which is not
/// 0 %.
class KnownShares {
 public:
  /// The windows are disjoint and in order. O(slices).
  KnownShares(const Trace& trace, const LaunchCounts& launches, std::span<const DoubtfulWork> doubtful,
              std::span<const TimeRange> windows);

  /// The share of a role of TimeSplit.
  ShownShare of_role(StepRole role, double share) const;
  /// The share in which a GPU works.
  ShownShare busy(double share) const { return bounded(share, true, doubtful_ || whole_graphs_); }
  /// The share in which it does not.
  ShownShare idle(double share) const { return bounded(share, false, doubtful_ || whole_graphs_); }

 private:
  /// `too_busy`: whether the share of work is an upper bound.
  ShownShare bounded(double share, bool of_work, bool too_busy) const;

  RecordedKinds recorded_;
  bool lost_ = false;  // so much GPU work that idle time is unknown
  bool doubtful_ = false;
  bool whole_graphs_ = false;  // fill so much of the windows that it shows; gaps within are not recorded
  bool mostly_doubtful_ = false;
};

}  // namespace kino
