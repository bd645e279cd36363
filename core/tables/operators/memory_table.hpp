// Allocations that the profiler recorded ([memory] events): the peak of each device, and which operators
// allocate.
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

/// One device's allocations within a range.
struct MemoryDevice {
  std::uint32_t device = 0;  ///< as in ArgumentColumns::memory_device
  std::uint64_t allocations = 0;
  std::uint64_t frees = 0;
  std::int64_t allocated_bytes = 0;  ///< summed
  std::int64_t freed_bytes = 0;
  std::int64_t peak_bytes =
      0;  ///< allocated at once: as the allocator said, else summed from the first event
  std::int64_t peak_time_ns = 0;
  SliceId peak_slice = kNoSlice;  ///< the operator that allocated then, if there is one
  std::int64_t end_bytes = 0;     ///< allocated after the last event of the range
};
/// By device, the host first. O(events).
std::vector<MemoryDevice> memory_devices(const Trace& trace, TimeRange range);

/// What one device had allocated over the whole trace, in bytes: the curve whose peak MemoryDevice tells.
struct AllocatedCurve {
  std::uint32_t device = 0;
  TrackId track = kNoTrack;  ///< the thread of the first event
  std::vector<CurvePoint> points;
};
/// By device, the host first. O(events).
std::vector<AllocatedCurve> memory_curves(const Trace& trace, const std::stop_token& stop = {});

/// What an operator allocated on a device, by the TensorBoard plugin's definition (README.md, Memory): an
/// event belongs to the innermost operator of its thread.
struct MemoryOperator {
  std::uint32_t device = 0;
  NameId name{};                  ///< the empty name: outside of operators
  std::uint64_t allocations = 0;  ///< with those of operators below
  std::uint64_t self_allocations = 0;
  std::int64_t allocated_bytes = 0;
  std::int64_t self_allocated_bytes = 0;
  std::int64_t increase_bytes = 0;  ///< allocated minus freed
  std::int64_t self_increase_bytes = 0;
  SliceId largest = kNoSlice;  ///< the call with the largest single allocation
};
/// The most allocated by themselves first. O(events depth).
std::vector<MemoryOperator> memory_operators(const Trace& trace, TimeRange range,
                                             const std::stop_token& stop = {});

/// The calls of operators of this name that allocate on the device, with those below them; each once, in
/// order of id. O(events depth).
std::vector<SliceId> memory_instances(const Trace& trace, TimeRange range, std::uint32_t device, NameId name,
                                      const std::stop_token& stop = {});

/// "CPU", "GPU 0".
std::string memory_device_name(std::uint32_t device);
/// The same as the trace calls its devices: "NPU 0", and the number that its work has where the recorder
/// numbers memory in another way. O(processes).
std::string memory_device_name(const Trace& trace, std::uint32_t device);
/// The device of such a name. O(devices of allocations * processes).
std::uint32_t memory_device_named(const Trace& trace, std::string_view name);

/// `memory`: a row a device, or an operator and device.
Table memory_device_table(const std::vector<MemoryDevice>& devices);
Table memory_device_table(const Trace& trace, const std::vector<MemoryDevice>& devices);
Table memory_operator_table(const Trace& trace, const std::vector<MemoryOperator>& rows);

extern const TableKind<RangeParts> kMemoryTable;

}  // namespace kino
