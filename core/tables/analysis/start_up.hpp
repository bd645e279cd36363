// One-time start-up: calls that load code, and first calls that take far longer than later ones.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include "core/trace/links/busy_time.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Whether the runtime or driver call loads or compiles code, or initializes the device.
bool loads_code(std::string_view call);

/// Start-up calls on the launching threads, and the time in which these threads recorded events. Immutable;
/// does not refer to the trace.
///
/// A call is start-up in one of these cases:
/// - It loads or compiles code. This includes Python frames.
/// - It is the first launch of a kernel and takes at least 1 ms.
/// - It is the first operator or call of its name. It takes at least 1 ms and ten times the median of the
/// later ones.
/// - It instantiates a graph, or it is the innermost operator of at least 1 ms around such a call, with a
/// unique name.
class StartUp {
 public:
  StartUp() = default;
  /// `holding` is the result of find_blocking_calls(). O(slices).
  StartUp(const Trace& trace, std::span<const SliceId> holding, const std::stop_token& stop = {});

  /// Returns the start-up calls, sorted by start, outer calls first; calls may be nested.
  const std::vector<SliceId>& calls() const { return calls_; }
  /// Returns the start-up time within `range`, without calls that wait for the GPU or change its memory.
  std::int64_t launching_ns(TimeRange range) const {
    return launching_.covered(range.begin_ns, range.end_ns);
  }
  /// Returns the start-up time within `range` in calls that allocate or free GPU memory.
  std::int64_t memory_ns(TimeRange range) const { return memory_.covered(range.begin_ns, range.end_ns); }
  /// Returns the time within `range` in which no launching thread has a CPU sample or an event. Annotations
  /// that contain other events do not count as events.
  std::int64_t untraced_ns(TimeRange range) const {
    return range.length_ns() - recorded_.covered(range.begin_ns, range.end_ns);
  }

 private:
  std::vector<SliceId> calls_;
  BusyLine launching_;
  BusyLine memory_;
  BusyLine recorded_;
};

}  // namespace kino
