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

/// Sums over the calls of one operator with the same input shapes and type.
struct RooflinePoint {
  NameId op{};
  std::string_view input_dims;
  std::string_view dtype;       ///< type of the numbers that are multiplied, or of the first tensor
  NameId kernel{};              ///< name of the longest kernel
  std::uint64_t calls = 0;      ///< number of calls
  std::uint64_t uncounted = 0;  ///< calls without known bytes
  std::int64_t device_ns = 0;
  double flop = 0;             ///< FLOPs that the device computes
  double bytes = 0;            ///< least bytes of the calls for which they are known
  double peak_ns = -1;         ///< time of `flop` at the peak; -1: unknown for some calls
  double memory_ns = -1;       ///< time of `bytes` at the bandwidth; -1: unknown for some calls
  bool served_by_l2 = false;   ///< whether some calls move their least bytes faster than the memory bandwidth
                               ///< allows
  bool at_most = false;        ///< whether the FLOPs are an upper bound
  SliceId longest = kNoSlice;  ///< the longest kernel

  /// Returns max(peak_ns, memory_ns) / device_ns. -1 if neither time is known, or if device_ns is 0.
  double roof_share() const;
};

/// Returns the points by descending device time. A call counts if it starts in `range`, its shapes were
/// recorded, and one of its kernels is matrix work, memory-bound or recomputed. O(kernels * log kernels).
std::vector<RooflinePoint> roofline(const Trace& trace, const WorkCosts& costs, TimeRange range,
                                    const std::stop_token& stop = {});

extern const TableKind<RangeParts> kRooflineTable;

}  // namespace kino
