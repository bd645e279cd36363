// Model and hardware FLOPs utilisation of one GPU in a window, with the parts of the formula.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/tables/ledger/work_costs.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// FLOPs of one type of number.
struct TypeFlop {
  std::string_view dtype;  ///< as PyTorch writes it
  double model_flop = 0;   ///< without recomputed calls, and without the scores that attention computes again
  double hardware_flop = 0;  ///< all that the device computes
  double flop_per_ns = 0;    ///< peak of the device; 0: not known
};

/// Each counted call has the share of its FLOPs that its kernels' duration has in the window, overlapped or not.
struct Utilisation {
  std::vector<TypeFlop> types;  ///< in order of their first kernels
  std::int64_t window_ns = 0;
  std::int64_t matrix_ns = 0;     ///< summed durations of matrix work in the window
  std::int64_t uncounted_ns = 0;  ///< the part without known FLOPs

  /// Whether the peaks of all types are known and the window is not empty.
  bool known() const;
  /// Sum over the types of FLOPs / peak, divided by the window.
  double mfu() const;
  double hfu() const;
  /// Whether more than 1 % of the matrix work has no known FLOPs.
  bool at_least() const { return uncounted_ns * 100 > matrix_ns; }
  /// "(5.80e12 c10::BFloat16 / 989.4e12 + ...) / 75.25 ms", with FLOP and FLOP/s.
  std::string formula() const;
};

/// `streams`: the work of one GPU. O(work * log kernels).
Utilisation utilisation(const Trace& trace, const WorkCosts& costs, std::span<const StreamWork> streams,
                        TimeRange window);

}  // namespace kino
