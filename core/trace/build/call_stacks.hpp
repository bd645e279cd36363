// The ends of Python functions and operators on the call stack of their thread.
#pragma once

#include <cstdint>
#include <vector>

#include "core/trace/slice_kind.hpp"

namespace kino {

/// Python functions of a thread are a stack, and so are its operators: a call ends before its caller does.
/// Some are recorded longer, e.g. a C function whose return was never seen lasts until the profiler stops.
/// Such a call ends with its caller. Other kinds of slices may cross.
class CallStacks {
 public:
  /// Clocks that count in us let a call begin before the one ahead of it has ended.
  static constexpr std::int64_t kClockTickNs = 1000;

  /// Returns the end of the next slice: its own, or the earlier end of its caller. Feed the slices of one
  /// thread in order of (start, longer first). A call that starts in the last tick of another one, and
  /// outlasts it, follows it: it keeps its end. Amortised O(1).
  std::int64_t end_ns(SliceKind kind, std::int64_t start_ns, std::int64_t recorded_end_ns);

 private:
  static std::int64_t end_below(std::vector<std::int64_t>& open, std::int64_t start_ns,
                                std::int64_t recorded_end_ns);

  std::vector<std::int64_t> python_;  // ends of the open calls, which do not grow from bottom to top
  std::vector<std::int64_t> operators_;
};

}  // namespace kino
