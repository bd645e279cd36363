// Ends of Python functions and operators on the call stacks of their thread.
#pragma once

#include <cstdint>
#include <vector>

#include "core/trace/slice_kind.hpp"

namespace kino {

/// Computes the ends of the calls of one thread. Python functions form one call stack, and operators another:
/// a call ends no later than its caller. Some calls are recorded with a later end: a C function whose return
/// was missed lasts until the profiler stops. Such a call is cut at the end of its caller. Slices of other
/// kinds keep their ends, and may cross.
class CallStacks {
 public:
  /// Resolution of the clock. A call may start up to one tick before the recorded end of the previous call.
  static constexpr std::int64_t kClockTickNs = 1000;

  /// Returns the end of the next slice: the recorded end, or the end of its caller if that is earlier. Pass
  /// the slices of one thread in order of (start, longer first). If a slice starts in the last tick of an
  /// open call and outlasts it, that call is not its caller: the slice follows it. Amortized O(1).
  std::int64_t end_ns(SliceKind kind, std::int64_t start_ns, std::int64_t recorded_end_ns);

 private:
  static std::int64_t end_below(std::vector<std::int64_t>& open, std::int64_t start_ns,
                                std::int64_t recorded_end_ns);

  std::vector<std::int64_t> python_;  // ends of the open calls, not ascending from bottom to top
  std::vector<std::int64_t> operators_;
};

}  // namespace kino
