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
  std::string direction;  ///< "Memcpy HtoD", "Memset": the first 11 characters of a copy's name, as HTA
  DurationSpread spread;
  std::int64_t bytes = -1;   ///< of those that tell; -1: none does
  std::uint64_t sized = 0;   ///< copies with a recorded size
  double bandwidth = -1;     ///< GB/s: bytes divided by their time, of copies that took any
  double least = -1;         ///< GB/s of one copy, by the same measure
  double most = -1;          ///< as `least`
  double most_at_once = -1;  ///< GB/s of copies of this direction that run at one time, by the same measure
  double peak = -1;          ///< as `most_at_once`, from the bandwidths that the profiler wrote (HTA's curve)
  double mean_of_curve = -1;  ///< GB/s: HTA's mean, over the points of its curve above 0
  std::uint64_t points = 0;   ///< of that curve above 0
  SliceId longest = kNoSlice;
};

/// Durations are clipped to the range. The most time first. O(copies log copies).
std::vector<CopyRow> copy_rows(const Trace& trace, const GpuWork& work, TimeRange range,
                               const std::stop_token& stop = {});

/// The copies of the direction of `example`, by stream. O(work).
std::vector<SliceId> copy_instances(const Trace& trace, const GpuWork& work, SliceId example);

/// HTA's bandwidth over time (README.md, Copies), in GB/s: the bandwidths of the copies of one direction that
/// run on a GPU, each for at least 1 us.
struct CopyCurve {
  std::uint32_t process = 0;  ///< index into Trace::processes
  std::string direction;      ///< as CopyRow::direction
  std::vector<CurvePoint> points;
};
/// One for each GPU and direction with copies that tell their bandwidth, in that order. O(copies log copies).
std::vector<CopyCurve> copy_curves(const Trace& trace, const GpuWork& work, const std::stop_token& stop = {});

/// `copies`: a row a direction.
Table copy_table(const std::vector<CopyRow>& rows);

extern const TableKind<RangeParts> kCopyTable;

}  // namespace kino
