// Where recordings lie in Unix time: by it a trace and an allocator snapshot of the same run belong together.
#pragma once

#include <cstdint>
#include <optional>

#include "core/job/clock_fit.hpp"
#include "core/memory/snapshot.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Kineto and the allocator both write Unix time.
struct ClockRange {
  std::int64_t origin_unix_ns = 0;  ///< of the recording's ns 0; of another clock where it knows no better
  TimeRange content;                ///< ns from there
  bool operator==(const ClockRange&) const = default;
};

ClockRange clock_of(const Trace& trace);
/// ns 0 is the first entry. Nothing where entries have no times, or some that do not ascend. O(1).
std::optional<ClockRange> clock_of(const SnapshotDevice& device);

/// Whether both have Unix times (between the years 2000 and 2100; a clock that counts from the machine's
/// start is far below) and share a part of them.
bool same_clock(const ClockRange& a, const ClockRange& b);
/// Whether a device of the snapshot has the trace's clock.
bool same_clock(const Trace& trace, const Snapshot& snapshot);

/// Each process converts the processor's ticks to Unix time by itself: on one machine moments were up to 35
/// us apart (torch 2.1 on V100s; 3.8 us on H100s, by the ends of collectives), and a snapshot has whole us.
/// Between machines it can be ms.
inline constexpr std::int64_t kUnixUncertaintyNs = 36'000;
/// From times of `first` to times of `second`, by what both say of Unix time; of use where same_clock(). An
/// offset beyond 64 bits is the end of them.
ClockFit unix_fit(const ClockRange& first, const ClockRange& second);
/// From a device's ns to the trace's; nothing unless both have the same clock.
std::optional<ClockFit> unix_fit(const SnapshotDevice& device, const Trace& trace);

/// The process of the trace whose GPU has the device's number; nothing for the host, or without such a GPU.
std::optional<std::uint32_t> process_of_gpu(const Trace& trace, const SnapshotDevice& device);

}  // namespace kino
