// Floating-point operations by operator and shape, the share of the device's peak they reach, what
// recomputing costs, and what could not be counted.
#pragma once

#include <cstddef>
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

/// Operations and how long they would take at the device's peak.
struct FlopSum {
  double flop = 0;
  double peak_ns = 0;
  bool peak_known = true;   ///< of all types of numbers in the sum
  double at_most_flop = 0;  ///< the part of calls of which an upper bound is known
};

/// Calls of one operator with inputs of one shape.
struct FlopsRow {
  NameId name{};
  std::uint32_t facts = 0;              ///< of its first call; tells the shapes
  std::vector<std::string_view> types;  ///< of what was multiplied, in order of their first calls
  std::uint64_t calls = 0;
  std::uint64_t recomputed = 0;  ///< of these calls; see FlopsReport::model
  FlopSum hardware;              ///< of all calls
  double model_flop = 0;
  std::int64_t device_ns = 0;  ///< of the GPU work of all calls
  double tflop_per_s = -1;     ///< -1 without device time
  double peak_share = -1;      ///< -1 for unknown devices
  SliceId longest = kNoSlice;
};

/// Calls of an operator that has shapes, but nothing that counts them: with GPU work of its own, or with a
/// formula for arguments that were not recorded.
struct UncountedRow {
  NameId name{};
  std::uint64_t calls = 0;
  std::int64_t device_ns = 0;  ///< of their own GPU work
  SliceId longest = kNoSlice;
};

/// What the shares of a report are of.
struct FlopsScope {
  TimeBase base;                    ///< utilisation is over its window, of the calls in its `calls`
  std::int64_t device_ns = 0;       ///< of all GPU work that is asked for
  std::uint64_t graph_kernels = 0;  ///< kernels of this work that graph launches started
};

struct FlopsReport {
  std::vector<FlopsRow> rows;           ///< one an operator and shapes; the most operations first
  std::vector<UncountedRow> uncounted;  ///< one an operator; the most time first
  std::int64_t device_ns = 0;           ///< of all GPU work
  std::int64_t counted_ns = 0;
  std::int64_t uncounted_ns = 0;
  std::int64_t unknown_ns = 0;      ///< of work that is not counted and may multiply matrices
  std::uint64_t lacking = 0;        ///< calls with a formula that takes what was not recorded
  std::uint64_t captured = 0;       ///< calls that a graph recorded instead of running them: not in `rows`
  std::uint64_t graph_kernels = 0;  ///< as FlopsScope
  std::string_view device;          ///< empty where the trace names none, or several kinds

  TimeBase base;           ///< what utilisation is over
  std::uint32_t gpus = 0;  ///< that compute
  FlopSum hardware;        ///< of the calls in the base: what was computed
  FlopSum model;  ///< of these, without what activation checkpointing and attention's backward repeat

  /// Whether more was computed than what is counted.
  bool at_least() const;
  /// The counted part of the GPU time that may multiply matrices; 1 without such time.
  double covered() const;
  /// Utilisation is unknown below this part.
  static constexpr double kFewCovered = 0.5;
};

/// An operator within another that counts does not count again. A call is recomputed when the backward pass
/// makes it and it has a backward of its own: an arrow of autograd leaves it, or what calls it, inside of an
/// autograd node, or it is a convolution, linear layer or attention of the forward pass there (so do second
/// derivatives, create_graph). O(nodes * depth).
FlopsReport flops_report(const Trace& trace, const OperatorTreePart& part, const FlopsScope& scope,
                         const std::stop_token& stop = {});

class GpuParts;
/// Of what the parts are of, with its base and its GPU work.
FlopsReport flops_report(const GpuParts& parts, const std::stop_token& stop = {});

/// A call that flops_report() counts.
struct CallFlop {
  SliceId call = kNoSlice;
  double flop = 0;       ///< what the device computes
  bool at_most = false;  ///< see FlopCount
};
/// In order of the tree's nodes: what is within another that counts is not there. O(nodes).
std::vector<CallFlop> counted_calls(const Trace& trace, const OperatorTreePart& part,
                                    const std::stop_token& stop = {});

/// The work that calls launch which are recomputed as flops_report() has it, or which a module in an autograd
/// node makes. O(work * depth). Empty when stopped.
SliceSet recomputed_work(const Trace& trace, std::span<const SliceId> work, const std::stop_token& stop = {});

/// The calls that the row of `example` counts, in order of the tree's nodes. O(nodes).
std::vector<SliceId> flops_instances(const Trace& trace, const OperatorTreePart& part, SliceId example,
                                     const std::stop_token& stop = {});
/// The calls that the row of `example` lists among those not counted. O(nodes).
std::vector<SliceId> uncounted_instances(const Trace& trace, const OperatorTreePart& part, SliceId example,
                                         const std::stop_token& stop = {});

enum class FlopsGrouping : std::uint8_t { shape, uncounted };

/// `flops`: a row an operator and shapes, or an operator that is not counted.
Table flops_table(const Trace& trace, const FlopsReport& report, FlopsGrouping grouping);

extern const TableKind<GpuParts> kFlopsTable;

}  // namespace kino
