// Allocations recorded by the profiler ([memory] events): peaks by device, and allocations by operator.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/counter_curve.hpp"
#include "core/tables/table.hpp"
#include "core/tables/table_kind.hpp"
#include "core/trace/trace.hpp"

namespace kino {

class RangeParts;

/// Allocations of one device within a range.
struct MemoryDevice {
  std::uint32_t device = 0;  ///< see ArgumentColumns::memory_device
  std::uint64_t allocations = 0;
  std::uint64_t frees = 0;
  std::int64_t allocated_bytes = 0;  ///< sum of the sizes of all allocations
  std::int64_t freed_bytes = 0;
  std::int64_t peak_bytes = 0;  ///< peak of allocated bytes as recorded by the allocator; if not recorded,
                                ///< summed from the first event
  std::int64_t peak_time_ns = 0;
  SliceId peak_slice = kNoSlice;  ///< innermost operator around the event of the peak, if there is one
  std::int64_t end_bytes = 0;     ///< allocated bytes after the last event of the range
};
/// Returns the allocations by device, host first. O(events).
std::vector<MemoryDevice> memory_devices(const Trace& trace, TimeRange range);

/// Allocated bytes of one device over the whole trace. For the whole trace, MemoryDevice::peak_bytes is the
/// maximum of the curve.
struct AllocatedCurve {
  std::uint32_t device = 0;
  TrackId track = kNoTrack;  ///< thread of the first event
  std::vector<CurvePoint> points;
};
/// Returns the curves by device, host first. O(events).
std::vector<AllocatedCurve> memory_curves(const Trace& trace, const std::stop_token& stop = {});

/// Allocations of an operator on a device, as defined by the TensorBoard plugin (README.md, Memory): an event
/// belongs to the innermost operator of its thread.
struct MemoryOperator {
  std::uint32_t device = 0;
  NameId name{};                  ///< operator name; empty for allocations outside of operators
  std::uint64_t allocations = 0;  ///< allocations of the operator and of operators below it
  std::uint64_t self_allocations = 0;
  std::int64_t allocated_bytes = 0;
  std::int64_t self_allocated_bytes = 0;
  std::int64_t increase_bytes = 0;  ///< allocated minus freed
  std::int64_t self_increase_bytes = 0;
  SliceId largest = kNoSlice;  ///< call with the largest allocation of its own
};
/// Returns one row per operator and device, sorted by the operator's own allocated bytes, most first.
/// O(events * depth).
std::vector<MemoryOperator> memory_operators(const Trace& trace, TimeRange range,
                                             const std::stop_token& stop = {});

/// Returns the calls of operators of this name with allocations on the device in the call or in calls below
/// it. Sorted by id, without duplicates. O(events * depth).
std::vector<SliceId> memory_instances(const Trace& trace, TimeRange range, std::uint32_t device, NameId name,
                                      const std::stop_token& stop = {});

/// Returns "CPU" or "GPU 0".
std::string memory_device_name(std::uint32_t device);
/// Returns the name of the trace's GPU with this number, such as "NPU 0"; without such a GPU, "GPU 0". If the
/// trace has only one GPU, and it has a memory counter, every number except that of the host means this GPU,
/// because the profiler may number memory differently. O(processes).
std::string memory_device_name(const Trace& trace, std::uint32_t device);
/// Returns the device whose memory_device_name() is `name`, or the host if there is none. O(events log
/// devices + devices * processes).
std::uint32_t memory_device_named(const Trace& trace, std::string_view name);

/// Table `memory`: one row per device, or per operator and device.
Table memory_device_table(const std::vector<MemoryDevice>& devices);
Table memory_device_table(const Trace& trace, const std::vector<MemoryDevice>& devices);
Table memory_operator_table(const Trace& trace, const std::vector<MemoryOperator>& rows);

extern const TableKind<RangeParts> kMemoryTable;

}  // namespace kino
