// How busy GPUs and CPU threads are in each of many equal bins of a time range: the overview strip's curves.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "core/result.hpp"
#include "core/trace.hpp"

namespace kino {

/// One value a bin. Bin i covers [edge i, edge i + 1), edge i = begin + length * i / bins, in ns.
struct BusyProfile {
  std::vector<float> compute;        ///< share of the bin in which at least one stream computes, 0..1
  std::vector<float> communication;  ///< likewise
  std::vector<float> copy;           ///< likewise
  std::vector<float> cpu_density;    ///< mean number of CPU threads whose outermost lane is busy; without
                                     ///< the profiler's own bookkeeping
};

/// Built once for a trace, then asked for any range. Immutable, so any thread may ask. The trace must outlive
/// it.
///
/// Streams overlap and mix kinds, so the union of a kind cannot be had from busy times of rows. The index
/// keeps the state of one sweep over all GPU work at least every kStride slices (0.9 B a GPU slice): how much
/// of each kind's union lies before a time, and until when what has started goes on. From there at most
/// kStride slices lie before any time.
class BusyIndex {
 public:
  static constexpr std::uint32_t kStride = 64;

  /// O(GPU slices log rows), one thread: 80 ms for 4 M GPU slices on 16 rows. Fails with `cancelled` only.
  static Result<BusyIndex> build(const Trace& trace, const std::stop_token& stop = {});

  /// Exact, to the ns, before the last step to float. A bin of no length has 0. O((bins + 1) * rows * log n),
  /// parallel over pieces of the range (`threads` 0: as many as the machine has). 3 ms for 2,000 bins over 12
  /// M slices on 2 cores. Bins left out when stopped have 0.
  BusyProfile profile(TimeRange range, std::uint32_t bins, const std::stop_token& stop = {},
                      unsigned threads = 0) const;

  std::size_t size_bytes() const { return marks_.size() * sizeof(Mark); }

 private:
  static constexpr std::size_t kKinds = 3;  // compute, communication, copy: the first of SliceKind

  /// The sweep's state once all that starts before time_ns has been seen.
  struct Mark {
    std::int64_t time_ns = 0;
    std::array<std::int64_t, kKinds> covered_ns{};  // of the union, also what lies behind time_ns
    std::array<std::int64_t, kKinds> until_ns{};    // where the union of what was seen ends
    void take(std::size_t kind, std::int64_t start_ns, std::int64_t end_ns);
    /// Measure of the union before time_ns.
    std::int64_t before_ns(std::size_t kind) const;
  };
  class Sweep;
  class Edges;

  const Trace* trace_ = nullptr;
  std::vector<std::uint32_t> gpu_rows_;  // indices into Trace::rows
  std::vector<std::uint32_t> cpu_rows_;
  std::vector<Mark> marks_;  // by time; the first lies before everything
};

}  // namespace kino
