// What the host did while the GPU waited for it: the finer causes of idle:host.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include "core/tables/compare/run_ledger.hpp"
#include "core/trace/links/busy_time.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// The first that applies has the moment.
enum class HostCause : std::uint8_t {
  synchronise,  ///< a call that waits for the GPU
  allocate,     ///< a call that gets memory from the driver, or gives it back
  collect,      ///< Python's garbage collection
  lock,         ///< waits for another thread
  other,        ///< anything else, or nothing that was recorded
};
inline constexpr std::size_t kHostCauseCount = static_cast<std::size_t>(HostCause::other) + 1;
/// "sync", "malloc", "gc", "lock", "other".
std::string_view text_of(HostCause cause);

/// ns by HostCause.
using HostTimes = std::array<std::int64_t, kHostCauseCount>;

/// Whether a call of the runtime is one of the first two.
bool holds_up(std::string_view call);
/// All such calls, in order. O(slices). Empty when stopped.
std::vector<SliceId> calls_that_hold_up(const Trace& trace, const std::stop_token& stop = {});

/// Of the thread that launches what ends the wait, whatever others do meanwhile: a watchdog that waits for an
/// event holds nobody up. Immutable; does not refer to the trace.
class HostCauses {
 public:
  HostCauses() = default;
  /// `calls` as calls_that_hold_up() gives them. O(calls + idle parts * log rows), and the slices of threads
  /// that launch where locks or collections are recorded. Empty when stopped, and of a trace without GPU
  /// work.
  HostCauses(const Trace& trace, const RunLedger& ledger, std::span<const SliceId> calls,
             const std::stop_token& stop = {});

  /// They add up to `idle_host_ns`, which is what the ledger has of the window as LedgerCause::idle_host.
  /// O(log parts).
  HostTimes times(TimeRange window, std::int64_t idle_host_ns) const;

 private:
  std::array<BusyLine, kHostCauseCount - 1> lines_;
};

}  // namespace kino
