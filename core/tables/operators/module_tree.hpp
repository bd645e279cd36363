// Cost of each nn.Module: a tree of modules with CPU and GPU time, forward, backward and recomputed.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "core/tables/operators/module_anchors.hpp"
#include "core/tables/table.hpp"
#include "core/tables/table_kind.hpp"
#include "core/trace/links/operator_tree_part.hpp"
#include "core/trace/trace.hpp"

namespace kino {

class OperatorParts;

enum class ModulePhase : std::uint8_t { forward, backward, recompute };

/// Kernel or copy of a module itself, without modules below.
struct ModuleKernel {
  NameId name{};
  ModulePhase phase{};
  std::uint64_t calls = 0;
  std::int64_t total_ns = 0;
  SliceId longest = kNoSlice;
};

/// All calls of a module from one place of the tree.
struct ModuleNode {
  static constexpr std::uint32_t kNone = 0xffffffffU;

  std::string name;              ///< "Linear_0", "conv1 (Conv2d)"
  std::uint32_t parent = kNone;  ///< index of the enclosing module
  std::uint32_t depth = 0;
  std::uint64_t calls = 0;        ///< in the forward pass; for a hierarchy, which has no calls, its operators
  std::uint64_t operators = 0;    ///< direct calls
  std::int64_t host_ns = 0;       ///< forward, including everything below
  std::int64_t host_self_ns = 0;  ///< without called operators and modules
  std::int64_t device_ns = 0;     ///< GPU work launched in it, including everything below
  std::int64_t device_self_ns = 0;
  std::int64_t backward_host_ns = 0;  ///< operators of the backward pass for its operators, with all below
  std::int64_t backward_device_ns = 0;
  std::int64_t recompute_host_ns = 0;  ///< its calls in the backward pass (activation checkpointing)
  std::int64_t recompute_device_ns = 0;
  SliceId longest = kNoSlice;         ///< longest call
  std::vector<ModuleKernel> kernels;  ///< most time first
};

struct ModuleTree {
  ModuleSource source = ModuleSource::none;
  std::vector<ModuleNode> nodes;     ///< parents before children; siblings in order of their first call
  std::int64_t device_ns = 0;        ///< all GPU work
  std::int64_t owned_device_ns = 0;  ///< work that belongs to a module, in any phase
  bool device_recorded = true;       ///< the trace has GPU work; otherwise device time is unknown
};

/// Tree of the calls of modules and operators with a part in the range of `part`, clipped to it; GPU work is
/// not clipped. Calls from one place are one node (TensorBoard plugin, module view). An operator of the
/// backward pass belongs to the module whose operator its fwdbwd arrow starts from: see autograd_pairs(). A
/// module called by the backward pass is recomputed: its time is added to the module of its name in the
/// forward pass. `placers` are for the whole tree. O(nodes of the part).
ModuleTree module_tree(const Trace& trace, const OperatorTreePart& part, const ModuleAnchors& placers,
                       ModuleSource source, const std::stop_token& stop = {});
/// Computes everything from the trace. O(CPU slices in the range + all GPU work).
ModuleTree module_tree(const Trace& trace, TimeRange range, ModuleSource source,
                       const std::stop_token& stop = {});

/// Slices summed by a row of the tables below, in no particular order. They are the calls in the forward pass
/// of the module called by `example`, or, if `by_kernel`, the work of its module, phase and name. Cost of
/// module_tree().
std::vector<SliceId> module_instances(const Trace& trace, const OperatorTreePart& part,
                                      const ModuleAnchors& placers, ModuleSource source, SliceId example,
                                      bool by_kernel, const std::stop_token& stop = {});

/// Table `modules`: one row per module.
Table module_table(const ModuleTree& tree);
/// Table `modules` by kernel: one row per module, phase and kernel.
Table module_kernel_table(const Trace& trace, const ModuleTree& tree);

extern const TableKind<OperatorParts> kModuleTable;

}  // namespace kino
