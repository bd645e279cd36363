// Busy shares of GPUs and CPU threads in equal bins of a time range: the curves of the overview.
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

/// One value per bin. Bin i is [edge i, edge i + 1), edge i = begin + length * i / bins, in ns.
struct BusyProfile {
  std::vector<float> compute;        ///< share of the bin in which at least one stream computes, 0..1
  std::vector<float> communication;  ///< share of the bin in which at least one stream communicates
  std::vector<float> copy;           ///< share of the bin in which at least one stream copies
  std::vector<float> cpu_density;    ///< mean number of CPU threads whose outermost lane is busy, excluding
                                     ///< the profiler's bookkeeping
};

/// Computes busy profiles. Built once per trace, then queried for any range. Immutable. The trace must
/// outlive the index.
///
/// Streams overlap and mix kinds, so the union of a kind cannot be computed from busy times of rows.
/// Therefore the index stores the state of a sweep over all GPU work every kStride slices (0.9 B per GPU
/// slice), or later if slices start at the same time. The state is the covered time of each kind before a
/// time, and the end of the slices that have started. So a query at any time visits few slices after a stored
/// state.
class BusyIndex {
 public:
  static constexpr std::uint32_t kStride = 64;
  /// Limits for querying each row at each edge, which is faster only for few and long rows. Otherwise each
  /// slice is added to its bins.
  static constexpr std::uint32_t kShortRow = 4096;  // slices of a shorter CPU row are added one by one
  static constexpr std::size_t kManyRows = 256;     // with more GPU rows, their slices are added one by one

  /// Builds the index. O(GPU slices log rows), one thread: 80 ms for 4 M GPU slices on 16 rows. The only
  /// possible error is `cancelled`. If `only` is set, considers that process alone.
  static Result<BusyIndex> build(const Trace& trace, const std::stop_token& stop = {},
                                 std::optional<std::uint32_t> only = std::nullopt);

  /// Returns the profile of `range`. Exact to the ns before the conversion to float. A bin of zero length has
  /// the value 0. O((bins + 1) * rows * log n), but never much more than O(slices). Short rows are added
  /// slice by slice, and so are streams if there are hundreds. Parallel over parts of the range (`threads` 0:
  /// all of the hardware). 3 ms for 2,000 bins over 12 M slices on 2 cores. If stopped, the missing values
  /// are 0.
  BusyProfile profile(TimeRange range, std::uint32_t bins, const std::stop_token& stop = {},
                      unsigned threads = 0) const;

  std::size_t size_bytes() const { return marks_.size() * sizeof(Mark); }

 private:
  static constexpr std::size_t kKinds = 3;  // compute, communication, copy: the first of SliceKind

  /// The sweep's state after all slices that start before time_ns.
  struct Mark {
    std::int64_t time_ns = 0;
    std::array<std::int64_t, kKinds> covered_ns{};  // length of the union, including parts after time_ns
    std::array<std::int64_t, kKinds> until_ns{};    // end of the union so far
    void take(std::size_t kind, std::int64_t start_ns, std::int64_t end_ns);
    /// Returns the length of the union before time_ns.
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
  std::vector<std::uint32_t> short_cpu_rows_;  // rows with few slices, which are added one by one
  std::vector<Mark> marks_;  // by time, the first one before all slices; empty if there are too many GPU rows
};

}  // namespace kino
