// Where recordings lie in Unix time: by it a trace and an allocator snapshot of the same run belong together.
#pragma once

#include <cstdint>
#include <optional>

#include "core/snapshot.hpp"
#include "core/trace.hpp"

namespace kino {

/// Kineto and the allocator both write Unix time. Each converts the processor's ticks by itself, so moments
/// of the two can be some microseconds apart.
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
/// The ns to add to a time of `a` to get the same moment as a time of `b`; at the ends of 64 bits where it
/// lies beyond.
std::int64_t clock_offset_ns(const ClockRange& a, const ClockRange& b);

/// The process of the trace whose GPU has the device's number; nothing for the host, or without such a GPU.
std::optional<std::uint32_t> process_of_gpu(const Trace& trace, const SnapshotDevice& device);

}  // namespace kino
