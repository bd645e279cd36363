// Activity of the host while the GPU waited for it: the finer causes of idle:host.
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

/// The first cause that applies has the moment.
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

/// ns by HostCause.
using HostTimes = std::array<std::int64_t, kHostCauseCount>;

/// Whether a runtime call has one of the first two causes.
bool is_blocking_call(std::string_view call);
/// All calls with is_blocking_call(), in order. O(slices).
std::vector<SliceId> find_blocking_calls(const Trace& trace, const std::stop_token& stop = {});

/// Considers only the thread that launches the work after the wait: a watchdog that waits for an event does
/// not delay others. Immutable; does not refer to the trace.
class HostCauses {
 public:
  HostCauses() = default;
  /// `calls` is the result of find_blocking_calls(). Empty for a trace without GPU work. O(calls + idle parts
  /// * log rows), and the slices of launching threads if locks or collections are recorded.
  HostCauses(const Trace& trace, const TimeAttribution& ledger, std::span<const SliceId> calls,
             const std::stop_token& stop = {});

  /// Times by cause. They add up to `idle_host_ns`, the ledger's TimeCategory::idle_host of the window. O(log
  /// parts).
  HostTimes times(TimeRange window, std::int64_t idle_host_ns) const;

 private:
  std::array<BusyLine, kHostCauseCount - 1> lines_;
};

}  // namespace kino
