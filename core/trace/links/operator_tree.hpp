// Operators as trees by thread: who called whom, with the GPU work and runtime calls each one owns.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string_view>
#include <vector>

#include "core/base/memory_pool.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// One operator (or annotation, or runtime call, as asked). 48 bytes.
struct OperatorNode {
  static constexpr std::uint32_t kNone = 0xffffffffU;

  SliceId slice = kNoSlice;
  std::uint32_t parent = kNone;  ///< the innermost node around it that was not merged
  std::int64_t duration_ns = 0;  ///< clipped to the range
  std::int64_t children_ns = 0;  ///< the part of its duration that direct children cover
  std::int64_t runtime_ns =
      0;  ///< summed durations of its runtime calls, within the rest; see OperatorTreeKinds
  std::int64_t device_ns = 0;  ///< summed durations of GPU work it owns, not its children; 0 with modules
  std::uint32_t children = 0;  ///< direct ones, also those that were merged; while the tree is made
  bool merged = false;         ///< the only child of a node of its name: counts as a part of that one
};

/// A kernel or copy, or a runtime call, and the node it belongs to.
struct OwnedSlice {
  SliceId slice = kNoSlice;
  std::uint32_t node = OperatorNode::kNone;
};

struct OperatorTree {
  PooledColumn<OperatorNode> nodes;            ///< in order of their slices; see `divisible`
  PooledColumn<std::int64_t> device_total_ns;  ///< by node: its own and that of all below; not with modules
  std::vector<OwnedSlice> work;                ///< all GPU work that has an owner; only with modules
  std::vector<OwnedSlice> calls;               ///< behind runtime_ns, by slice
  std::int64_t device_ns = 0;                  ///< of all GPU work
  std::int64_t owned_device_ns = 0;            ///< of what has an owner among the nodes
  /// Parents come before their children. What a node calls is on its own thread, within it and disjoint.
  bool divisible = true;
};

/// What becomes a node. Runtime calls are summed up only where neither they nor modules are nodes; with
/// modules, GPU work is listed and not summed up.
struct OperatorTreeKinds {
  bool annotations = false;
  bool runtime = false;
  bool modules = false;  ///< Python frames of calls of an nn.Module, see is_module_call()
};

/// Whether a Python frame of this name is the call of a module: "nn.Module: Linear_0". The name is that of
/// one module, for PyTorch counts the modules of a class.
bool is_module_call(std::string_view name);

/// Nodes are the CPU slices of the wanted kinds with a part in `range`; operators always are. They nest among
/// themselves: a slice of another kind that crosses the end of a node takes no child away from it. GPU work
/// belongs to the operator that its External id names, or else to the innermost one around its launch (see
/// owner_of()); it counts whole, whenever it ran. A node that is its parent's only child and has its name is
/// merged into it, as key_averages() and the TensorBoard plugin do. With modules, work without an
/// operator around its launch belongs to the module around it. O(CPU slices in the range + GPU work).
/// Empty when stopped. Its arrays, and one while it is made, are from `pool` if there is one.
OperatorTree operator_tree(const Trace& trace, TimeRange range, OperatorTreeKinds kinds,
                           const std::stop_token& stop = {}, const std::shared_ptr<MemoryPool>& pool = {});

}  // namespace kino
