// The roofline of operators: FLOPs and least bytes against time, with the limits of the device.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/tables/ledger/work_costs.hpp"
#include "core/tables/table_kind.hpp"
#include "core/trace/trace.hpp"

namespace kino {

class RangeParts;

/// Calls of one operator with one set of shapes and types.
struct RooflinePoint {
  NameId op{};
  std::string_view input_dims;
  std::string_view dtype;       ///< of the numbers that are multiplied, or of the first tensor
  NameId kernel{};              ///< the kernel with the most time
  std::uint64_t calls = 0;      ///< with kernels that are matrix work or memory-bound, or recomputed
  std::uint64_t uncounted = 0;  ///< calls without known bytes
  std::int64_t device_ns = 0;
  double flop = 0;              ///< that the device computes
  double bytes = 0;             ///< least bytes, of the calls that have any
  double peak_ns = -1;          ///< of `flop` at the peak; -1: not known
  double memory_ns = -1;        ///< of `bytes` at the bandwidth; -1: not known for some calls
  bool served_by_l2 = false;    ///< more bytes per time than the bandwidth
  bool at_most = false;         ///< FLOPs are an upper bound
  SliceId longest = kNoSlice;   ///< the longest call

  /// max(peak_ns, memory_ns) / device_ns; -1 if neither is known.
  double roof_share() const;
};

/// All points, the longest device time first. Calls that start in `range` count. O(kernels * log kernels).
std::vector<RooflinePoint> roofline(const Trace& trace, const WorkCosts& costs, TimeRange range,
                                    const std::stop_token& stop = {});

extern const TableKind<RangeParts> kRooflineTable;

}  // namespace kino
