// Start-up that happens once: calls that load code, and first calls that take far longer than later ones.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include "core/trace/links/busy_time.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Whether a runtime or driver call of this name loads or compiles code, or sets up the device.
bool loads_code(std::string_view call);

/// Start-up calls on the threads that launch GPU work, and time in which these threads recorded anything.
/// Immutable; does not refer to the trace.
///
/// A call is start-up if it loads or compiles code, also as a Python frame; if it takes at least 1 ms as the
/// first launch of a kernel; if it is the first operator or call of its name and takes at least 1 ms and ten
/// times the median of the later ones; or if it instantiates a graph, or is the innermost operator of at
/// least 1 ms around such a call and the only one of its name.
class StartUp {
 public:
  StartUp() = default;
  /// `holding` is from calls_that_hold_up(). O(slices). Empty when stopped.
  StartUp(const Trace& trace, std::span<const SliceId> holding, const std::stop_token& stop = {});

  /// By start, outer calls first; calls may contain each other.
  const std::vector<SliceId>& calls() const { return calls_; }
  /// Start-up in [begin, end) outside of calls that wait for the GPU or change its memory, in ns.
  std::int64_t launching_ns(TimeRange range) const {
    return launching_.covered(range.begin_ns, range.end_ns);
  }
  /// Start-up in [begin, end) within calls that change GPU memory, in ns.
  std::int64_t memory_ns(TimeRange range) const { return memory_.covered(range.begin_ns, range.end_ns); }
  /// Time in [begin, end) in which no thread that launches has a CPU sample or an event other than
  /// annotations around others, in ns.
  std::int64_t silent_ns(TimeRange range) const {
    return range.length_ns() - recorded_.covered(range.begin_ns, range.end_ns);
  }

 private:
  std::vector<SliceId> calls_;
  BusyLine launching_;
  BusyLine memory_;
  BusyLine recorded_;
};

}  // namespace kino
