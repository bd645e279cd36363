// What each nn.Module cost: a tree of modules with time on the CPU and the GPU, forward, backward,
// recomputed.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "core/tables/operators/module_placers.hpp"
#include "core/tables/table.hpp"
#include "core/tables/table_kind.hpp"
#include "core/trace/links/operator_tree_part.hpp"
#include "core/trace/trace.hpp"

namespace kino {

class OperatorParts;

enum class ModulePhase : std::uint8_t { forward, backward, recompute };

/// A kernel or copy of a module, its own and not of modules below.
struct ModuleKernel {
  NameId name{};
  ModulePhase phase{};
  std::uint64_t calls = 0;
  std::int64_t total_ns = 0;
  SliceId longest = kNoSlice;
};

/// A module at one place of the tree: all its calls from there together.
struct ModuleNode {
  static constexpr std::uint32_t kNone = 0xffffffffU;

  std::string name;              ///< "Linear_0", "conv1 (Conv2d)"
  std::uint32_t parent = kNone;  ///< index of the module around it
  std::uint32_t depth = 0;
  std::uint64_t calls = 0;      ///< of the forward pass; of a hierarchy, which knows no calls, its operators
  std::uint64_t operators = 0;  ///< called by it directly
  std::int64_t host_ns = 0;     ///< forward, with all below
  std::int64_t host_self_ns = 0;  ///< without the operators and modules it calls
  std::int64_t device_ns = 0;     ///< of GPU work launched in it, with all below
  std::int64_t device_self_ns = 0;
  std::int64_t backward_host_ns = 0;    ///< of the operators that the backward pass calls for its operators,
  std::int64_t backward_device_ns = 0;  ///< with all below
  std::int64_t recompute_host_ns = 0;   ///< of its calls by the backward pass (activation checkpointing)
  std::int64_t recompute_device_ns = 0;
  SliceId longest = kNoSlice;         ///< its longest call
  std::vector<ModuleKernel> kernels;  ///< most time first
};

struct ModuleTree {
  ModuleSource source = ModuleSource::none;
  std::vector<ModuleNode> nodes;     ///< parents before their children, siblings in order of their first call
  std::int64_t device_ns = 0;        ///< of all GPU work
  std::int64_t owned_device_ns = 0;  ///< of what belongs to a module, in any phase
  bool device_recorded = true;       ///< the trace has GPU work; else device time is unknown
};

/// The calls of modules and operators with a part in the range of `part`, clipped to it; GPU work counts
/// whole. Calls from one place are one node (TensorBoard plugin, module view). An operator of the backward
/// pass belongs to the module whose operator the arrow of category fwdbwd comes from: see autograd_pairs(). A
/// module that the backward pass calls is recomputed: its time stands with the module of its name in the
/// forward pass. `placers` are of the whole tree. O(nodes of the part). Empty when stopped.
ModuleTree module_tree(const Trace& trace, const OperatorTreePart& part, const ModulePlacers& placers,
                       ModuleSource source, const std::stop_token& stop = {});
/// The same from the trace alone. O(CPU slices in the range + all GPU work).
ModuleTree module_tree(const Trace& trace, TimeRange range, ModuleSource source,
                       const std::stop_token& stop = {});

/// What a row of one of the tables below sums up, in no particular order: the calls of the module that
/// `example` calls in the forward pass, or, `by_kernel`, the work of its module, phase and name. Cost of
/// module_tree().
std::vector<SliceId> module_instances(const Trace& trace, const OperatorTreePart& part,
                                      const ModulePlacers& placers, ModuleSource source, SliceId example,
                                      bool by_kernel, const std::stop_token& stop = {});

/// `modules`: a row a module.
Table module_table(const ModuleTree& tree);
/// `modules` by kernel: a row a module, phase and kernel.
Table module_kernel_table(const Trace& trace, const ModuleTree& tree);

extern const TableKind<OperatorParts> kModuleTable;

}  // namespace kino
