// How busy GPUs and CPU threads are in each of many equal bins of a time range: the overview strip's curves.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "core/base/result.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// One value a bin. Bin i covers [edge i, edge i + 1), edge i = begin + length * i / bins, in ns.
struct BusyProfile {
  std::vector<float> compute;        ///< share of the bin in which at least one stream computes, 0..1
  std::vector<float> communication;  ///< share in which one communicates
  std::vector<float> copy;           ///< share in which one copies
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
  /// Asking each row at each edge pays only while rows are few and long; else each slice is put into its
  /// bins.
  static constexpr std::uint32_t kShortRow = 4096;  // slices of a CPU row
  static constexpr std::size_t kManyRows = 256;     // of GPUs

  /// O(GPU slices log rows), one thread: 80 ms for 4 M GPU slices on 16 rows. Fails with `cancelled` only.
  /// With `only`, of that process alone.
  static Result<BusyIndex> build(const Trace& trace, const std::stop_token& stop = {},
                                 std::optional<std::uint32_t> only = std::nullopt);

  /// Exact, to the ns, before the last step to float. A bin of no length has 0. O((bins + 1) * rows * log n),
  /// but never much more than O(slices): rows with few slices are added slice by slice, and so are streams
  /// when there are hundreds. Parallel over pieces of the range (`threads` 0: as many as the machine has). 3
  /// ms for 2,000 bins over 12 M slices on 2 cores. What is left out when stopped is 0.
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

  void add_short_cpu_rows(TimeRange range, const std::stop_token& stop, std::vector<float>& density) const;
  void add_many_gpu_rows(TimeRange range, const std::stop_token& stop,
                         const std::array<std::vector<float>*, kKinds>& curves) const;

  const Trace* trace_ = nullptr;
  std::vector<std::uint32_t> gpu_rows_;  // indices into Trace::rows
  std::vector<std::uint32_t> cpu_rows_;
  std::vector<std::uint32_t> short_cpu_rows_;  // with so few slices that each is looked at
  std::vector<Mark> marks_;  // by time, the first before everything; none when there are too many GPU rows
};

}  // namespace kino
