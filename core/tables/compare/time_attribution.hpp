// Division of a run's time by cause. Each moment has one cause, so the times of the causes in any interval
// add up to its length.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

#include "core/trace/links/gpu_work.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Cause to which the time at a moment is attributed. Sorted by name, as in tables.
enum class TimeCategory : std::uint8_t {
  comm,
  compute,
  copy,
  cpu,  ///< activity of the step's thread, in traces without GPU work
  idle_host,
  idle_launch,
  idle_loader,
  idle_tail,
};
inline constexpr std::size_t kTimeCategoryCount = static_cast<std::size_t>(TimeCategory::idle_tail) + 1;
/// Returns "comm", "idle:host", ...
std::string_view text_of(TimeCategory cause);
std::optional<TimeCategory> time_category_named(std::string_view name);
constexpr bool is_idle(TimeCategory cause) { return cause >= TimeCategory::idle_host; }

/// Whether TimeAttribution counts the kernel as a collective. Unlike for SliceKind::communication, only
/// kernels of communication libraries count. O(length).
bool is_attributed_collective(std::string_view kernel);

/// Selects the kernels that count as communication.
enum class AttributedCollectives : std::uint8_t {
  of_libraries,  ///< is_attributed_collective(): the definition of comparisons, gates and stored records
  all,           ///< SliceKind::communication: includes collectives of the program itself and of XLA
};

using CauseTimes = std::array<std::int64_t, kTimeCategoryCount>;

/// Interval of one cause. It ends at the start of the next part.
struct AttributionPart {
  std::int64_t begin_ns = 0;
  SliceId slice = kNoSlice;  ///< the running work, or the innermost event of the thread; for idle parts, the
                             ///< work that ends them; kNoSlice if there is none
  TimeCategory cause = TimeCategory::idle_tail;
};

/// Parts of a trace in order of time. Immutable; does not refer to the trace.
class TimeAttribution {
 public:
  TimeAttribution() = default;
  /// Divides the time of all GPUs of the trace together. If the trace has no GPU work or `cpu` is set,
  /// divides the time of a thread by its innermost operator, annotation or call. The thread is `cpu`, or the
  /// one with the most events. Outside of all items, a thread's activity is unknown and the GPUs are idle.
  /// O(work log streams).
  explicit TimeAttribution(const Trace& trace, std::optional<TrackId> cpu = std::nullopt,
                           const std::stop_token& stop = {},
                           AttributedCollectives communication = AttributedCollectives::of_libraries);

  /// Attributes the time of some streams, such as those of one GPU. Empty if they have no work.
  TimeAttribution(const Trace& trace, std::span<const StreamWork> streams,
                  AttributedCollectives communication = AttributedCollectives::of_libraries,
                  const std::stop_token& stop = {});

  bool of_gpu() const { return of_gpu_; }
  const std::vector<AttributionPart>& parts() const { return parts_; }
  /// Returns all GPU work, or all operators, annotations and calls of the thread, sorted by start.
  const std::vector<SliceId>& items() const { return items_; }
  /// Returns the range from the start of the first item to the end of the last.
  TimeRange extent() const { return extent_; }

  /// Calls body(begin_ns, end_ns, cause, slice) for the parts of `window`, in order and without gaps. O(log
  /// parts + parts in the window).
  template <class Body>
  void for_each(TimeRange window, Body&& body) const {
    std::size_t at = first_at(window.begin_ns);
    std::int64_t from_ns = window.begin_ns;
    while (from_ns < window.end_ns) {
      const AttributionPart& part = at < parts_.size() ? parts_[at] : nothing_;
      const std::int64_t next_ns = at + 1 < parts_.size() ? parts_[at + 1].begin_ns : window.end_ns;
      const std::int64_t to_ns = next_ns < window.end_ns ? next_ns : window.end_ns;
      if (to_ns > from_ns) body(from_ns, to_ns, part.cause, part.slice);
      from_ns = to_ns > from_ns ? to_ns : from_ns;
      ++at;
    }
  }
  /// Returns the times by cause within the window, which add up to its length.
  CauseTimes times(TimeRange window) const;

 private:
  /// Returns the index of the part that contains a time.
  std::size_t first_at(std::int64_t time_ns) const;
  void add(std::int64_t begin_ns, TimeCategory cause, SliceId slice);
  friend class GpuAttributionSweep;
  friend class CpuAttributionSweep;

  std::vector<AttributionPart> parts_;  // the first part starts before any window
  std::vector<SliceId> items_;
  AttributionPart nothing_;
  TimeRange extent_;
  bool of_gpu_ = false;
};

/// Returns the merged intervals of data loader calls on any thread. Idle time within them is idle:loader.
/// O(slices).
std::vector<TimeRange> loader_intervals(const Trace& trace, const std::stop_token& stop = {});

}  // namespace kino
