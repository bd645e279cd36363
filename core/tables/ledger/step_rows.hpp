// The rows of a step's ledger: where one GPU spent each nanosecond.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace kino {

/// In the order of tables. Definitions: README.md.
enum class StepRow : std::uint8_t {
  matrix_peak,     ///< matrix work: the time that its model FLOPs need at the peak
  matrix_memory,   ///< the time that its least bytes need beyond that
  matrix_loss,     ///< the rest of such kernels
  matrix_unknown,  ///< matrix work without a known number of FLOPs, type or peak
  memory_roof,     ///< memory-bound work: the time that its least bytes need
  memory_loss,     ///< the rest of such kernels
  memory_unknown,  ///< memory-bound work without a known number of bytes or bandwidth
  recompute,       ///< kernels that the backward pass computes again
  optimizer,
  kernel_other,   ///< kernels of no known category
  comm_waiting,   ///< exposed collectives: the part that waits for other ranks, at least
  comm_moving,    ///< the part that transfers data, if the other ranks are known
  comm_unsplit,   ///< collectives of which the two parts are not known
  comm_p2p,       ///< exposed send and receive kernels
  copy,           ///< exposed copies and memsets
  idle_launch,    ///< nothing runs, and the launch call of the next work has begun
  idle_loader,    ///< nothing runs, that call has not begun, and a data loader is called
  idle_sync,      ///< the launching thread waits for the GPU
  idle_malloc,    ///< the launching thread allocates or frees driver memory
  idle_gc,        ///< the launching thread collects garbage
  idle_lock,      ///< the launching thread waits for another thread
  idle_dispatch,  ///< the launching thread is in an operator or in a call of the runtime
  idle_python,    ///< the launching thread is in a Python frame, a module, an annotation or a wrapper
  idle_silent,    ///< the launching thread recorded nothing
  idle_bubble,    ///< waiting for messages of a pipeline; only with a job
  idle_unknown,   ///< the launch of the next work was not recorded
  idle_tail,      ///< no GPU work follows
};
inline constexpr std::size_t kStepRowCount = static_cast<std::size_t>(StepRow::idle_tail) + 1;

/// "matrix:peak", "idle:launch", ...
std::string_view text_of(StepRow row);
std::optional<StepRow> step_row_named(std::string_view name);

constexpr bool is_idle(StepRow row) { return row >= StepRow::idle_launch; }
/// Whether kernels compute in the row.
constexpr bool is_kernel(StepRow row) { return row <= StepRow::kernel_other; }
/// Whether the row is exposed communication or exposed copies.
constexpr bool is_exposed(StepRow row) { return !is_kernel(row) && !is_idle(row); }

/// Times in ns by StepRow.
class StepTimes {
 public:
  std::int64_t& operator[](StepRow row) { return ns_[static_cast<std::size_t>(row)]; }
  std::int64_t operator[](StepRow row) const { return ns_[static_cast<std::size_t>(row)]; }
  std::int64_t total() const;
  StepTimes& operator+=(const StepTimes& other);
  bool operator==(const StepTimes&) const = default;

 private:
  std::array<std::int64_t, kStepRowCount> ns_{};
};

}  // namespace kino
