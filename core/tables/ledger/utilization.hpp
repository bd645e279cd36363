// Model and hardware FLOPs utilization (MFU, HFU) of one GPU in a window, with the parts of the formula.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/tables/ledger/work_costs.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Returns the usual short name of a type: "bf16" for "c10::BFloat16". Unknown types are returned unchanged.
std::string_view short_dtype(std::string_view dtype);

/// FLOPs of one type of number.
struct TypeFlop {
  std::string_view dtype;    ///< name that PyTorch writes
  double model_flop = 0;     ///< FLOPs without recomputed calls, and without recomputed attention scores
  double hardware_flop = 0;  ///< all FLOPs that the device computes
  double flop_per_ns = 0;    ///< peak of the device; 0: unknown
};

/// FLOPs of the counted calls of one GPU in a window. If only a part of a call's kernel time is in the
/// window, the same share of its FLOPs counts. Kernels that overlap others count as well.
struct Utilization {
  std::vector<TypeFlop> types;  ///< types in order of their first kernels in the streams
  std::int64_t window_ns = 0;
  std::int64_t matrix_ns = 0;     ///< summed durations of matrix work in the window
  std::int64_t uncounted_ns = 0;  ///< part of matrix_ns without known FLOPs

  /// Whether there are counted FLOPs, the peaks of all types are known, and the window is not empty.
  bool known() const;
  /// Returns the sum over the types of FLOPs / peak, divided by the window. mfu() uses model FLOPs, hfu()
  /// hardware FLOPs.
  double mfu() const;
  double hfu() const;
  /// Whether more than 1 % of the matrix work has no known FLOPs.
  bool at_least() const { return uncounted_ns * 100 > matrix_ns; }
  /// Adds the FLOPs and the length of another window.
  Utilization& operator+=(const Utilization& other);
  /// Returns the formula of mfu(), such as "(5.80e12 bf16 / 989.4e12 + ...) / 75.25 ms", with FLOPs and
  /// FLOP/s.
  std::string formula() const;
};

/// Returns the FLOPs in a window. `streams`: the work of one GPU. O(work * log kernels).
Utilization utilization(const Trace& trace, const WorkCosts& costs, std::span<const StreamWork> streams,
                        TimeRange window);

/// Returns the FLOPs in each window; elements are those of utilization(). Searches the work of each window,
/// so disjoint windows cost O(work * log kernels) together. Takes 8 bytes per piece of work temporarily.
std::vector<Utilization> utilizations(const Trace& trace, const WorkCosts& costs,
                                      std::span<const StreamWork> streams, std::span<const TimeRange> windows,
                                      const std::stop_token& stop = {});

}  // namespace kino
