// Unix time ranges of recordings, which relate a trace and an allocator snapshot of the same run.
#pragma once

#include <cstdint>
#include <optional>

#include "core/job/clock_fit.hpp"
#include "core/memory/snapshot.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Time range of a recording. Kineto and the allocator both write Unix time.
struct ClockRange {
  std::int64_t origin_unix_ns = 0;  ///< Unix time of ns 0; another clock's time if Unix time is unknown
  TimeRange content;                ///< relative to the origin
  bool operator==(const ClockRange&) const = default;
};

ClockRange clock_of(const Trace& trace);
/// Returns the range of a device, where ns 0 is the first entry. nullopt if entries have no times, or if
/// their times are negative, all equal, out of order, or more than 35 years apart. O(1).
std::optional<ClockRange> clock_of(const SnapshotDevice& device);

/// Returns whether both ranges have Unix times and overlap. Times are Unix times if they begin in the years
/// 2000 to 2099; a clock that counts from boot is far below.
bool is_same_clock(const ClockRange& a, const ClockRange& b);
/// Returns whether a device of the snapshot has the trace's clock.
bool is_same_clock(const Trace& trace, const Snapshot& snapshot);

/// Uncertainty of Unix times. Each process converts processor ticks to Unix time independently. On one
/// machine, times were up to 35 us apart (torch 2.1 on V100s; 3.8 us on H100s, by the ends of collectives),
/// and a snapshot has whole us. Between machines the error can be ms.
inline constexpr std::int64_t kUnixUncertaintyNs = 36'000;
/// Returns the fit from times of `first` to times of `second` by their Unix times. Requires is_same_clock().
/// The offset saturates.
ClockFit unix_fit(const ClockRange& first, const ClockRange& second);
/// Returns the fit from a device's ns to the trace's; nullopt unless both have the same clock.
std::optional<ClockFit> unix_fit(const SnapshotDevice& device, const Trace& trace);

/// Returns the trace's process for the device's GPU; nullopt for the host, or if the trace has no such GPU.
std::optional<std::uint32_t> process_of_gpu(const Trace& trace, const SnapshotDevice& device);

}  // namespace kino
