// Operators as trees by thread: callers and callees, with the GPU work and runtime calls of each.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string_view>
#include <vector>

#include "core/base/memory_pool.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// One operator (or annotation, runtime call or module, as requested). 48 bytes.
struct OperatorNode {
  static constexpr std::uint32_t kNone = 0xffffffffU;

  SliceId slice = kNoSlice;
  std::uint32_t parent = kNone;  ///< innermost unmerged node around this one
  std::int64_t duration_ns = 0;  ///< clipped to the range
  std::int64_t children_ns = 0;  ///< part of duration_ns that direct children cover
  /// Summed durations of its runtime calls, at most duration_ns - children_ns; see OperatorTreeKinds.
  std::int64_t runtime_ns = 0;
  std::int64_t device_ns = 0;  ///< summed durations of its own GPU work, not its children's; 0 with modules
  std::uint32_t children = 0;  ///< number of direct children before merging
  bool merged = false;         ///< whether it is the only child of its parent and has its name, so that it is
                               ///< counted as a part of the parent
};

/// A piece of GPU work or a runtime call, and the node that owns it.
struct OwnedSlice {
  SliceId slice = kNoSlice;
  std::uint32_t node = OperatorNode::kNone;
};

struct OperatorTree {
  PooledColumn<OperatorNode> nodes;  ///< in the order of their slices
  PooledColumn<std::int64_t>
      device_total_ns;               ///< by node: device_ns of it and all nodes below; empty with modules
  std::vector<OwnedSlice> work;      ///< all GPU work with an owner; only with modules
  std::vector<OwnedSlice> calls;     ///< calls summed in runtime_ns, by slice
  std::int64_t device_ns = 0;        ///< summed durations of all GPU work
  std::int64_t owned_device_ns = 0;  ///< summed durations of GPU work with an owner among the nodes
  /// Whether parents precede their children, and each child is on its parent's thread, within it, and
  /// disjoint from other children. Calls that are summed up in runtime_ns must also be disjoint and contain
  /// no nodes.
  bool divisible = true;
};

/// Kinds of slices that become nodes. Runtime calls are summed up in OperatorNode::runtime_ns only if neither
/// runtime calls nor modules are nodes. With modules, GPU work is listed in OperatorTree::work instead of
/// summed up.
struct OperatorTreeKinds {
  bool annotations = false;
  bool runtime = false;
  bool modules = false;  ///< Python frames of calls of an nn.Module, see is_module_call()
};

/// Whether a Python frame of this name is the call of a module: "nn.Module: Linear_0". PyTorch numbers the
/// modules of a class, so the name identifies one module.
bool is_module_call(std::string_view name);

/// Builds the tree of the CPU slices of `kinds` with a part in `range`; operators are always nodes. Only
/// nodes affect the nesting: slices of other kinds that cross the end of a node do not affect its children.
/// GPU work belongs to the operator that its External id names, or else to the innermost operator around its
/// launch (see owner_of()). The whole duration of GPU work counts, including the part outside of the range.
/// With modules, work without an operator around its launch belongs to the module around the launch. A node
/// that is its parent's only child and has the parent's name is merged into the parent, as in key_averages()
/// and the TensorBoard plugin. Modules are not merged. The arrays of the tree, and a temporary one, are from
/// `pool` if it is not null. O(CPU slices in the range + GPU work); if the temporary array is reused, also
/// clears 4 bytes per slice of the trace.
OperatorTree operator_tree(const Trace& trace, TimeRange range, OperatorTreeKinds kinds,
                           const std::stop_token& stop = {}, const std::shared_ptr<MemoryPool>& pool = {});

}  // namespace kino
