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

/// FLOPs and the time they take at the device's peak.
struct FlopSum {
  double flop = 0;
  double peak_ns = 0;
  bool peak_known = true;   ///< whether the peak is known for all number types in the sum
  double at_most_flop = 0;  ///< part of `flop` from calls with only an upper bound
};

/// Calls of one operator with equal input shapes.
struct FlopsRow {
  NameId name{};
  std::uint32_t facts = 0;              ///< facts index of the first call; the facts contain the shapes
  std::vector<std::string_view> types;  ///< types of the multiplied numbers, in order of their first calls
  std::uint64_t calls = 0;
  std::uint64_t recomputed = 0;  ///< number of these calls that are recomputed, see flops_report()
  FlopSum hardware;              ///< operations of all calls
  double model_flop = 0;
  std::int64_t device_ns = 0;  ///< time of the GPU work of all calls
  double tflop_per_s = -1;     ///< achieved rate; -1 if there is no device time
  double peak_share = -1;      ///< share of the device's peak rate; -1 if the peak or the device time is
                               ///< unknown
  SliceId longest = kNoSlice;
};

/// Calls of an operator whose FLOPs cannot be counted. These are calls with shapes and own GPU work, or calls
/// with a formula but without the required arguments.
struct UncountedRow {
  NameId name{};
  std::uint64_t calls = 0;
  std::int64_t device_ns = 0;  ///< time of the calls' own GPU work
  SliceId longest = kNoSlice;
};

/// Time base and GPU work that the shares of a report refer to.
struct FlopsScope {
  TimeBase base;                    ///< time base: utilization is computed over `window`, for the calls in
                                    ///< `calls`
  std::int64_t device_ns = 0;       ///< time of all requested GPU work
  std::uint64_t graph_kernels = 0;  ///< number of kernels in this work that graph launches started
};

struct FlopsReport {
  std::vector<FlopsRow> rows;           ///< one per operator and shapes; most operations first
  std::vector<UncountedRow> uncounted;  ///< one per operator; most time first
  std::int64_t device_ns = 0;           ///< time of all GPU work
  std::int64_t counted_ns = 0;
  std::int64_t uncounted_ns = 0;
  std::int64_t unknown_ns = 0;  ///< time of uncounted work that may multiply matrices, including work
                                ///< outside of operators
  std::uint64_t lacking = 0;    ///< number of calls with a formula but without the required arguments
  std::uint64_t captured = 0;   ///< number of calls that ran only to capture a graph, so that they computed
                                ///< nothing; not in `rows`
  std::uint64_t graph_kernels = 0;  ///< see FlopsScope
  std::string_view device;          ///< device name; empty if the trace contains no name or several different
                                    ///< names

  TimeBase base;           ///< base of utilization
  std::uint32_t gpus = 0;  ///< number of GPUs with compute kernels
  FlopSum hardware;        ///< operations computed by the calls in the base
  FlopSum model;           ///< `hardware` minus operations repeated by activation checkpointing and by the
                           ///< backward pass of attention

  /// Whether the counts are lower bounds, because work that may multiply matrices is not counted.
  bool at_least() const;
  /// Returns the share of counted operators in the time of GPU work that is counted or may multiply matrices.
  /// Returns 1 if there is no such work.
  double covered() const;
  /// Minimum of covered() for a known utilization.
  static constexpr double kMinCovered = 0.5;
};

/// Counts operators that are not within another counted operator. A call is recomputed if the backward pass
/// executes it although it belongs to the forward pass. Within an autograd node, this is the case if an
/// autograd arrow starts from the call or from a caller within the node. It is also the case if one of these
/// is a forward convolution, linear layer or attention. (Second derivatives, create_graph, also match.)
/// O(nodes * depth).
FlopsReport flops_report(const Trace& trace, const OperatorTreePart& part, const FlopsScope& scope,
                         const std::stop_token& stop = {});

class GpuParts;
/// Returns the report for the range of `parts`, with its time base and GPU work.
FlopsReport flops_report(const GpuParts& parts, const std::stop_token& stop = {});

/// A call counted by flops_report().
struct CallFlop {
  SliceId call = kNoSlice;
  double flop = 0;          ///< operations computed by the device
  bool at_most = false;     ///< see FlopCount
  double model_flop = 0;    ///< see FlopCount; also set for recomputed calls
  std::string_view type;    ///< data type of the multiplied numbers
  bool recomputed = false;  ///< see FlopsRow::recomputed
};
/// Returns the counted calls in order of the tree's nodes. Calls within another counted call are omitted.
/// O(nodes).
std::vector<CallFlop> counted_calls(const Trace& trace, const OperatorTreePart& part,
                                    const std::stop_token& stop = {});

/// Returns the work launched by recomputed calls, see flops_report(). Also returns work launched by modules
/// within an autograd node, or by the backward pass of torch.utils.checkpoint. O(work * depth).
SliceSet recomputed_work(const Trace& trace, std::span<const SliceId> work, const std::stop_token& stop = {});

/// Returns the calls counted in the row that contains `example`, in order of the tree's nodes. O(nodes).
std::vector<SliceId> flops_instances(const Trace& trace, const OperatorTreePart& part, SliceId example,
                                     const std::stop_token& stop = {});
/// Returns the uncounted calls in the row that contains `example`. O(nodes).
std::vector<SliceId> uncounted_instances(const Trace& trace, const OperatorTreePart& part, SliceId example,
                                         const std::stop_token& stop = {});

enum class FlopsGrouping : std::uint8_t { shape, uncounted };

/// Table `flops`: one row per operator and shapes, or per uncounted operator.
Table flops_table(const Trace& trace, const FlopsReport& report, FlopsGrouping grouping);

extern const TableKind<GpuParts> kFlopsTable;

}  // namespace kino
