// Time of a rank before each of its communication kernels, by activity: explains why the rank was late.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/packed/indexed_iterator.hpp"
#include "core/trace/packed/packed_table.hpp"
#include "core/trace/trace.hpp"

namespace kino {

struct CommunicationKernel;  // communication_kernels.hpp

/// Activity of a rank. At each time the first activity of this list that applies counts. Idle time of the GPU
/// after the launch of its next work is `queued`; before the launch, and after the last work, the activity of
/// the launching threads counts. If the launch is unknown, all of the idle time is `launch_unknown`. Without
/// GPU work, the activity of all CPU threads counts.
enum class IntervalPart : std::uint8_t {
  compute,
  copy,
  other_communication,
  queued,
  data_loader,
  garbage_collection,
  blocking_call,   ///< calls that wait for a GPU, or that allocate or free GPU memory
  cpu_busy,        ///< operators and runtime calls
  cpu_untraced,    ///< only annotations and Python functions, or no events
  launch_unknown,  ///< the GPU is idle, and the launch of its next work was not recorded
};
inline constexpr int kIntervalPartCount = static_cast<int>(IntervalPart::launch_unknown) + 1;

/// Returns "compute", "CPU untraced", ...
msg::Id text_of(IntervalPart part);

/// ns by IntervalPart.
using IntervalTimes = std::array<std::int64_t, kIntervalPartCount>;

/// Interval before a kernel, from the last end of an earlier communication kernel to the kernel's start.
struct TraceInterval {
  static constexpr std::uint32_t kNone = 0xffffffffU;

  std::uint32_t previous = kNone;  ///< kernel at whose end the interval starts; kNone: no kernel ended before
  std::int64_t length_ns = 0;
  IntervalTimes times{};           ///< by part; the sum is length_ns
  std::int64_t overlapped_ns = 0;  ///< compute time that overlaps the previous kernel
};

/// List of intervals, returned by value from a PackedTable. Immutable.
class TraceIntervals {
 public:
  using Iterator = IndexedIterator<TraceIntervals, TraceInterval>;

  TraceIntervals() = default;
  /// Keeps the order of `stretches`. O(n).
  explicit TraceIntervals(std::span<const TraceInterval> stretches);

  std::size_t size() const { return table_.size(); }
  bool empty() const { return table_.empty(); }
  TraceInterval operator[](std::size_t i) const;
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }

  // Single members of one interval, cheaper than operator[].
  std::uint32_t previous(std::size_t i) const { return previous_of(i, table_.at(i, kBack)); }
  std::int64_t length_ns(std::size_t i) const;

  /// For storing: see PackedTable.
  PackedTable& table() { return table_; }
  const PackedTable& table() const { return table_; }
  /// Returns whether each interval can be read, its parts add up to at most `most_ns`, and `previous` is
  /// kNone or less than `kernels`. O(n).
  bool sound(std::size_t kernels, std::int64_t most_ns) const;

 private:
  // Columns: distance to the previous kernel; compute time that overlaps that kernel; the parts; the length
  // minus the sum of the parts, which is always 0.
  static constexpr std::size_t kBack = 0;
  static constexpr std::size_t kBeside = 1;
  static constexpr std::size_t kParts = 2;
  static constexpr std::size_t kRest = kParts + kIntervalPartCount;
  static constexpr std::size_t kColumns = kRest + 1;

  // Computed modulo 2^32, so that kNone also has a small distance: i + 1.
  static std::uint32_t previous_of(std::size_t i, std::int64_t back) {
    return static_cast<std::uint32_t>(i) - static_cast<std::uint32_t>(back);
  }

  PackedTable table_;
};

/// Returns one interval per kernel. `kernels` must be sorted by start, in Unix ns. O(slices + GPU work log
/// work).
std::vector<TraceInterval> intervals_of(const Trace& trace, const GpuWork& work,
                                        std::span<const CommunicationKernel> kernels,
                                        const std::stop_token& stop);

}  // namespace kino
