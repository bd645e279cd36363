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

/// GPU work of one name and phase that a module itself launched; work of modules below is excluded.
struct ModuleKernel {
  NameId name{};
  ModulePhase phase{};
  std::uint64_t calls = 0;
  std::int64_t total_ns = 0;
  SliceId longest = kNoSlice;
};

/// All calls of a module from one place in the tree.
struct ModuleNode {
  static constexpr std::uint32_t kNone = 0xffffffffU;

  std::string name;              ///< "Linear_0", "conv1 (Conv2d)"
  std::uint32_t parent = kNone;  ///< index of the enclosing module
  std::uint32_t depth = 0;
  std::uint64_t calls = 0;        ///< calls in the forward pass; for ModuleSource::hierarchy, its operators
                                  ///< that no other operator of the module calls
  std::uint64_t operators = 0;    ///< number of operators that the module calls directly
  std::int64_t host_ns = 0;       ///< CPU time in the forward pass, including everything below
  std::int64_t host_self_ns = 0;  ///< `host_ns` minus called operators and modules; for
                                  ///< ModuleSource::hierarchy, minus only the modules below
  std::int64_t device_ns = 0;     ///< GPU work launched by the module in the forward pass, including
                                  ///< everything below
  std::int64_t device_self_ns = 0;
  std::int64_t backward_host_ns = 0;  ///< CPU time of operators of the backward pass that belong to the
                                      ///< module's operators, including everything below
  std::int64_t backward_device_ns = 0;
  std::int64_t recompute_host_ns = 0;  ///< CPU time of the module's calls in the backward pass (activation
                                       ///< checkpointing)
  std::int64_t recompute_device_ns = 0;
  SliceId longest = kNoSlice;         ///< longest call
  std::vector<ModuleKernel> kernels;  ///< most time first
};

struct ModuleTree {
  ModuleSource source = ModuleSource::none;
  std::vector<ModuleNode> nodes;     ///< parents before children; siblings in order of their first call
  std::int64_t device_ns = 0;        ///< time of all GPU work
  std::int64_t owned_device_ns = 0;  ///< time of GPU work that belongs to a module, in any phase
  bool device_recorded = true;       ///< whether the trace has GPU work; if not, device time is unknown
};

/// Returns the tree of modules for the calls in `part`. Calls are clipped to the range of the part; GPU work
/// is not. All calls of a module from one place are one node (TensorBoard plugin, module view). An operator
/// of the backward pass belongs to the module of the operator from which its fwdbwd arrow starts: see
/// autograd_pairs(). For ModuleSource::python, a module called by the backward pass is recomputed: its time
/// is added to the module of its name in the forward pass. `placers` covers the whole tree. O(nodes of the
/// part).
ModuleTree module_tree(const Trace& trace, const OperatorTreePart& part, const ModuleAnchors& placers,
                       ModuleSource source, const std::stop_token& stop = {});
/// Computes calls, anchors and tree from the trace. O(CPU slices in the range + all GPU work).
ModuleTree module_tree(const Trace& trace, TimeRange range, ModuleSource source,
                       const std::stop_token& stop = {});

/// Returns the slices summed in the row of `example` in the tables below, in no particular order. These are
/// the calls, in the forward pass, of the module that `example` is a call of. If `by_kernel`, they are the
/// work with the module, phase and name of `example`. Costs as much as module_tree().
std::vector<SliceId> module_instances(const Trace& trace, const OperatorTreePart& part,
                                      const ModuleAnchors& placers, ModuleSource source, SliceId example,
                                      bool by_kernel, const std::stop_token& stop = {});

/// Table `modules`: one row per module.
Table module_table(const ModuleTree& tree);
/// Table `modules` by kernel: one row per module, phase and kernel.
Table module_kernel_table(const Trace& trace, const ModuleTree& tree);

extern const TableKind<OperatorParts> kModuleTable;

}  // namespace kino
