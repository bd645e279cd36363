// FLOPs by operator and shape, their share of the device's peak, the cost of recomputation, and operators
// that could not be counted.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include "core/base/slice_set.hpp"
#include "core/tables/gpu/time_base.hpp"
#include "core/tables/operators/flop_formulas.hpp"
#include "core/tables/table.hpp"
#include "core/tables/table_kind.hpp"
#include "core/trace/links/operator_tree_part.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// FLOPs and their duration at the device's peak.
struct FlopSum {
  double flop = 0;
  double peak_ns = 0;
  bool peak_known = true;   ///< for all number types in the sum
  double at_most_flop = 0;  ///< part from calls with only an upper bound
};

/// Calls of one operator with inputs of one shape.
struct FlopsRow {
  NameId name{};
  std::uint32_t facts = 0;              ///< of its first call; contains the shapes
  std::vector<std::string_view> types;  ///< types of the multiplied numbers, in order of their first calls
  std::uint64_t calls = 0;
  std::uint64_t recomputed = 0;  ///< part of these calls; see FlopsReport::model
  FlopSum hardware;              ///< all calls
  double model_flop = 0;
  std::int64_t device_ns = 0;  ///< GPU work of all calls
  double tflop_per_s = -1;     ///< -1 without device time
  double peak_share = -1;      ///< -1 for unknown devices
  SliceId longest = kNoSlice;
};

/// Calls of an operator with shapes that cannot be counted: with GPU work of its own, or with a formula but
/// without the required arguments.
struct UncountedRow {
  NameId name{};
  std::uint64_t calls = 0;
  std::int64_t device_ns = 0;  ///< time of their own GPU work
  SliceId longest = kNoSlice;
};

/// Base of the shares of a report.
struct FlopsScope {
  TimeBase base;                    ///< utilization is over its window, for the calls in its `calls`
  std::int64_t device_ns = 0;       ///< all requested GPU work
  std::uint64_t graph_kernels = 0;  ///< kernels of this work started by graph launches
};

struct FlopsReport {
  std::vector<FlopsRow> rows;           ///< one per operator and shapes; most operations first
  std::vector<UncountedRow> uncounted;  ///< one per operator; most time first
  std::int64_t device_ns = 0;           ///< all GPU work
  std::int64_t counted_ns = 0;
  std::int64_t uncounted_ns = 0;
  std::int64_t unknown_ns = 0;      ///< uncounted work that may multiply matrices
  std::uint64_t lacking = 0;        ///< calls with a formula but without the required arguments
  std::uint64_t captured = 0;       ///< calls that a graph captured instead of running them: not in `rows`
  std::uint64_t graph_kernels = 0;  ///< see FlopsScope
  std::string_view device;          ///< empty if the trace names none, or several kinds

  TimeBase base;           ///< base of utilization
  std::uint32_t gpus = 0;  ///< GPUs with compute
  FlopSum hardware;        ///< operations computed by the calls in the base
  FlopSum model;           ///< `hardware` without the repetitions by activation checkpointing and attention's
                           ///< backward

  /// Whether more operations were computed than counted.
  bool at_least() const;
  /// Counted part of the GPU time that may multiply matrices; 1 without such time.
  double covered() const;
  /// Utilization is unknown below this part.
  static constexpr double kMinCovered = 0.5;
};

/// Counts operators that are not within another counted one. A call is recomputed if the backward pass makes
/// it and it has a backward of its own. It does if an autograd arrow leaves it or its caller within an
/// autograd node, or if it is a forward convolution, linear layer or attention there. (Second derivatives,
/// create_graph, match too.) O(nodes * depth).
FlopsReport flops_report(const Trace& trace, const OperatorTreePart& part, const FlopsScope& scope,
                         const std::stop_token& stop = {});

class GpuParts;
/// Report on the scope of `parts`, with its base and its GPU work.
FlopsReport flops_report(const GpuParts& parts, const std::stop_token& stop = {});

/// A call counted by flops_report().
struct CallFlop {
  SliceId call = kNoSlice;
  double flop = 0;       ///< operations computed by the device
  bool at_most = false;  ///< see FlopCount
};
/// In order of the tree's nodes, without calls within another counted one. O(nodes).
std::vector<CallFlop> counted_calls(const Trace& trace, const OperatorTreePart& part,
                                    const std::stop_token& stop = {});

/// Work launched by recomputed calls, as in flops_report(), or by a module within an autograd node. O(work *
/// depth).
SliceSet recomputed_work(const Trace& trace, std::span<const SliceId> work, const std::stop_token& stop = {});

/// Calls counted by the row of `example`, in order of the tree's nodes. O(nodes).
std::vector<SliceId> flops_instances(const Trace& trace, const OperatorTreePart& part, SliceId example,
                                     const std::stop_token& stop = {});
/// Uncounted calls in the row of `example`. O(nodes).
std::vector<SliceId> uncounted_instances(const Trace& trace, const OperatorTreePart& part, SliceId example,
                                         const std::stop_token& stop = {});

enum class FlopsGrouping : std::uint8_t { shape, uncounted };

/// Table `flops`: one row per operator and shapes, or per uncounted operator.
Table flops_table(const Trace& trace, const FlopsReport& report, FlopsGrouping grouping);

extern const TableKind<GpuParts> kFlopsTable;

}  // namespace kino
