// Copies and memsets by direction: bytes, time, bandwidth.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/counter_curve.hpp"
#include "core/base/duration_list.hpp"
#include "core/tables/table.hpp"
#include "core/tables/table_kind.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/trace.hpp"

namespace kino {

class RangeParts;

struct CopyRow {
  std::string direction;  ///< "Memcpy HtoD" (11 characters, as in HTA), "Memset", or the name with the
                          ///< recorded direction
  DurationStats spread;
  std::int64_t bytes = -1;     ///< sum over copies with a recorded size; -1 if there are none
  std::uint64_t sized = 0;     ///< number of copies with a recorded size
  double bandwidth = -1;       ///< GB/s: bytes divided by time, excluding copies of zero duration
  double least = -1;           ///< GB/s of the slowest copy, measured like `bandwidth`
  double most = -1;            ///< GB/s of the fastest copy, measured like `bandwidth`
  double max_concurrent = -1;  ///< maximum summed GB/s of concurrent copies of this direction, measured like
                               ///< `bandwidth`
  double peak = -1;            ///< maximum of HTA's curve in GB/s: concurrent copies, from recorded
                               ///< bandwidths
  double mean_bandwidth = -1;  ///< GB/s: HTA's mean over the points of its curve above 0
  std::uint64_t points = 0;    ///< number of points of HTA's curve above 0
  SliceId longest = kNoSlice;
};

/// Returns one row per direction, most time first. Durations are clipped to the range. O(copies log copies).
std::vector<CopyRow> copy_rows(const Trace& trace, const GpuWork& work, TimeRange range,
                               const std::stop_token& stop = {});

/// Returns the copies with the direction of `example`, by stream. O(work).
std::vector<SliceId> copy_instances(const Trace& trace, const GpuWork& work, SliceId example);

/// HTA's bandwidth over time (README.md, Copies) in GB/s: summed bandwidths of the concurrent copies of one
/// direction on a GPU. Each copy counts for at least 1 us.
struct CopyCurve {
  std::uint32_t process = 0;  ///< index into Trace::processes
  std::string direction;      ///< see CopyRow::direction
  std::vector<CurvePoint> points;
};
/// Returns one curve per GPU and direction with recorded bandwidths, sorted by GPU, then by the first
/// appearance of the direction. O(copies log copies).
std::vector<CopyCurve> copy_curves(const Trace& trace, const GpuWork& work, const std::stop_token& stop = {});

/// Table `copies`: one row per direction.
Table copy_table(const std::vector<CopyRow>& rows);

extern const TableKind<RangeParts> kCopyTable;

}  // namespace kino
