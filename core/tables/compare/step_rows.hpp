// The rows of a step's ledger: where one GPU spent each nanosecond.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace kino {

/// Rows in the order of tables. Definitions: core/tables/ledger/README.md, "Rows".
enum class StepRow : std::uint8_t {
  matrix_peak,     ///< matrix work: the time that its model FLOPs need at the peak
  matrix_memory,   ///< matrix work: the time that its least bytes need beyond that
  matrix_loss,     ///< matrix work: the rest of the time
  matrix_unknown,  ///< matrix work without a known number of FLOPs, type or peak
  memory_roof,     ///< memory-bound work: the time that its least bytes need
  memory_loss,     ///< memory-bound work: the rest of the time
  memory_unknown,  ///< memory-bound work without a known number of bytes or bandwidth
  recompute,       ///< kernels that the backward pass computes again
  optimizer,
  kernel_other,   ///< all other kernels
  comm_waiting,   ///< exposed collectives: the part that waits for other ranks; a lower bound for one trace
  comm_moving,    ///< exposed collectives: the part that transfers data; only with a job
  comm_unsplit,   ///< exposed collectives: waiting and transfer, which cannot be separated
  comm_p2p,       ///< exposed send and receive kernels
  copy,           ///< exposed copies and memsets
  idle_launch,    ///< nothing runs, and the launch call of the next work has begun
  idle_loader,    ///< nothing runs, the next launch call has not begun, and some thread is in a data loader
  idle_sync,      ///< the launching thread waits for the GPU
  idle_malloc,    ///< the launching thread allocates or frees driver memory
  idle_gc,        ///< the launching thread collects garbage
  idle_lock,      ///< the launching thread waits for another thread
  idle_dispatch,  ///< the launching thread is in an operator or in a call of the runtime
  idle_python,    ///< the launching thread is in a Python frame, a module, an annotation or a wrapper
  idle_silent,    ///< the launching thread has no events
  idle_bubble,    ///< waiting for messages of a pipeline; only with a job
  idle_unknown,   ///< the launch of the next work was not recorded
  idle_tail,      ///< no GPU work follows
};
inline constexpr std::size_t kStepRowCount = static_cast<std::size_t>(StepRow::idle_tail) + 1;

/// Returns "matrix:peak", "idle:launch", ...
std::string_view text_of(StepRow row);
std::optional<StepRow> step_row_named(std::string_view name);

constexpr bool is_idle(StepRow row) { return row >= StepRow::idle_launch; }
/// Whether the row is time of kernels that compute.
constexpr bool is_kernel(StepRow row) { return row <= StepRow::kernel_other; }
/// Whether the row is exposed communication or exposed copies.
constexpr bool is_exposed(StepRow row) { return !is_kernel(row) && !is_idle(row); }

/// Time of each row, in ns.
class StepTimes {
 public:
  std::int64_t& operator[](StepRow row) { return ns_[static_cast<std::size_t>(row)]; }
  std::int64_t operator[](StepRow row) const { return ns_[static_cast<std::size_t>(row)]; }
  std::int64_t total() const;
  StepTimes& operator+=(const StepTimes& other);
  /// Returns the mean of `count` windows with this sum; rounded so that rows add up to the mean length.
  StepTimes mean(std::int64_t count) const;
  bool operator==(const StepTimes&) const = default;

 private:
  std::array<std::int64_t, kStepRowCount> ns_{};
};

/// Length of a step under increasingly optimistic assumptions, in ns. The values are lower bounds, not
/// predictions.
struct StepCeiling {
  std::int64_t measured_ns = 0;
  std::int64_t no_idle_ns = 0;       ///< without the idle rows
  std::int64_t no_exposed_ns = 0;    ///< also without exposed communication and copies
  std::int64_t no_recompute_ns = 0;  ///< also without recomputation
  std::int64_t at_roof_ns = 0;       ///< also without the loss rows
  std::int64_t unknown_ns = 0;       ///< part of at_roof_ns in kernels without a known limit
};

StepCeiling step_ceiling(const StepTimes& times);

}  // namespace kino
