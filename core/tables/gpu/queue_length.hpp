// Number of launched pieces of work that wait on each stream, as a curve and as a summary.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/tables/table.hpp"
#include "core/tables/table_kind.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/trace.hpp"

namespace kino {

class RangeParts;

/// Queue length from time_ns until the next point.
struct QueuePoint {
  std::int64_t time_ns = 0;
  std::int64_t length = 0;
};

/// Returns HTA's queue length (README.md, Queues) over time, for every kind of launch. The length increases
/// by 1 when a launch starts, and decreases by 1 when its work starts; at equal times, launches are first. A
/// graph launch counts once, with its first work on the stream. Work without a recorded launch does not
/// count. O(work log work).
std::vector<QueuePoint> queue_curve(const Trace& trace, const StreamWork& stream);

struct QueueRow {
  TrackId track{};
  std::uint64_t points = 0;
  std::int64_t min = 0;
  std::int64_t max = 0;
  double mean = 0;             ///< mean over the points, as in HTA
  double mean_over_time = 0;   ///< mean weighted by duration
  std::int64_t full_ns = 0;    ///< time in which at least kFullQueue pieces wait, so that CUDA launches block
  bool cuda = false;           ///< whether CUDA calls launch work of the stream
  SliceId deepest = kNoSlice;  ///< work whose launch made the queue reach `max`

  static constexpr std::int64_t kFullQueue = 1024;
};
std::vector<QueueRow> queue_rows(const Trace& trace, const GpuWork& work, const std::stop_token& stop = {});

/// Table `queue`: one row per stream.
Table queue_table(const Trace& trace, const std::vector<QueueRow>& rows);

extern const TableKind<RangeParts> kQueueTable;

}  // namespace kino
