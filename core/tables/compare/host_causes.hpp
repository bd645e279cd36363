// Activity of the host while the GPU waited for it: divides idle:host into finer causes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include "core/tables/compare/time_attribution.hpp"
#include "core/trace/links/busy_time.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Causes in order of precedence: a moment belongs to the first one that applies.
enum class HostCause : std::uint8_t {
  synchronize,  ///< a call that waits for the GPU
  allocate,     ///< a call that allocates or frees driver memory
  collect,      ///< Python's garbage collection
  lock,         ///< a wait for another thread
  other,        ///< anything else, or no recorded event
};
inline constexpr std::size_t kHostCauseCount = static_cast<std::size_t>(HostCause::other) + 1;
/// Returns "sync", "malloc", "gc", "lock" or "other".
std::string_view text_of(HostCause cause);

/// Times in ns, indexed by HostCause.
using HostTimes = std::array<std::int64_t, kHostCauseCount>;

/// Whether a runtime call waits for the GPU, or allocates or frees driver memory.
bool is_blocking_call(std::string_view call);
/// Returns all calls for which is_blocking_call() is true, sorted by id. O(slices).
std::vector<SliceId> find_blocking_calls(const Trace& trace, const std::stop_token& stop = {});

/// Host causes of a trace's idle:host time. Only the thread that launches the work after a wait is
/// considered. Other threads, such as a watchdog that waits for an event, do not delay that work. Immutable;
/// does not refer to the trace.
class HostCauses {
 public:
  HostCauses() = default;
  /// `calls` is the result of find_blocking_calls(). Empty for a trace without GPU work. O(calls + idle parts
  /// * log rows), plus the slices of launching threads if lock waits or garbage collections are recorded.
  HostCauses(const Trace& trace, const TimeAttribution& ledger, std::span<const SliceId> calls,
             const std::stop_token& stop = {});

  /// Returns the times by cause, which add up to `idle_host_ns`: the window's time of
  /// TimeCategory::idle_host. O(log parts).
  HostTimes times(TimeRange window, std::int64_t idle_host_ns) const;
  /// Returns the moments of a cause other than HostCause::other. Moments of different causes are disjoint.
  const BusyLine& line(HostCause cause) const { return lines_[static_cast<std::size_t>(cause)]; }

 private:
  std::array<BusyLine, kHostCauseCount - 1> lines_;
};

}  // namespace kino
