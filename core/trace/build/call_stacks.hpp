// Ends of Python functions and operators on the call stack of their thread.
#pragma once

#include <cstdint>
#include <vector>

#include "core/trace/slice_kind.hpp"

namespace kino {

/// Computes the ends of calls. Python functions of a thread are a stack, and so are its operators: a call
/// ends before its caller. Some calls are recorded longer, e.g. a C function whose return was missed lasts
/// until the profiler stops. Such a call ends with its caller. Other kinds of slices may cross.
class CallStacks {
 public:
  /// With a clock in us, a call may start before the recorded end of the previous one.
  static constexpr std::int64_t kClockTickNs = 1000;

  /// Returns the end of the next slice: its own, or the earlier end of its caller. Pass the slices of one
  /// thread in order of (start, longer first). If a slice starts in the last tick of an open call and
  /// outlasts it, the slice follows that call and keeps its own end. Amortized O(1).
  std::int64_t end_ns(SliceKind kind, std::int64_t start_ns, std::int64_t recorded_end_ns);

 private:
  static std::int64_t end_below(std::vector<std::int64_t>& open, std::int64_t start_ns,
                                std::int64_t recorded_end_ns);

  std::vector<std::int64_t> python_;  // ends of the open calls, not ascending from bottom to top
  std::vector<std::int64_t> operators_;
};

}  // namespace kino
