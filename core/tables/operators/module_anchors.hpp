// Calls that determine the modules of operators: few, and found once per trace.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/trace/links/operator_tree_part.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Source of modules in a trace.
enum class ModuleSource : std::uint8_t {
  none,
  python,      ///< Python frames "nn.Module: Linear_0" (profiled with_stack)
  hierarchy,   ///< the argument Module Hierarchy of operators (with_modules)
  annotation,  ///< record_function() and the profiler's own annotations
};
/// First source that the trace has; annotations only without the others. O(names + distinct arguments).
ModuleSource module_source(const Trace& trace);

/// Names of modules and of the backward pass.
class ModuleNames {
 public:
  /// `trace` must outlive it. O(names).
  ModuleNames(const Trace& trace, ModuleSource source);

  /// Whether the slice is autograd's call of a function of the backward pass.
  bool backward(SliceId slice) const { return backward_[index_of(trace_.name(slice))] != 0; }
  /// Whether the slice is the call of a module; always false for a hierarchy.
  bool module(SliceId slice) const {
    const SliceKind wanted = source_ == ModuleSource::python ? SliceKind::python : SliceKind::annotation;
    return trace_.kind(slice) == wanted && module_[index_of(trace_.name(slice))] != 0;
  }

 private:
  const Trace& trace_;
  ModuleSource source_;
  std::vector<std::uint8_t> backward_;  // by NameId
  std::vector<std::uint8_t> module_;    // by NameId
};

/// Nodes of the tree for `source`, which the trace must have.
OperatorTreeKinds module_kinds(ModuleSource source);

/// The few nodes that determine the modules of all others, for every range of the trace: calls of modules,
/// and possible parts of the backward pass. Node indices are those of the whole tree.
struct ModuleAnchors {
  static constexpr std::uint32_t kNone = 0xffffffffU;

  struct Anchor {
    std::uint32_t node = kNone;
    std::uint32_t around = kNone;  ///< index of the innermost enclosing placer
    SliceId slice = kNoSlice;
    bool module = false;    ///< see ModuleNames
    bool backward = false;  ///< see ModuleNames
    bool merged = false;    ///< merged in the whole tree
  };
  /// Arrow from the forward to the backward pass.
  struct Arrow {
    std::uint32_t from = kNone;
    std::uint32_t to = kNone;
    std::uint32_t from_node = kNone;  ///< node that contains `from`, or itself
    std::uint32_t to_node = kNone;    ///< node that contains `to`, or itself
    std::uint32_t placed = kNone;     ///< autograd's call around `to_node`, or else to_node
  };
  std::vector<Anchor> placers;          ///< sorted by node
  PooledColumn<std::uint32_t> of_node;  ///< index of the placer at the node, or the innermost one around it,
                                        ///< or kNone
  std::vector<Arrow> arrows;
};

/// `whole` is a whole tree of module_kinds(source). 4 bytes per node. O(nodes + arrows log nodes).
ModuleAnchors module_placers(const Trace& trace, const OperatorTreePart& whole, ModuleSource source,
                             const std::stop_token& stop = {});

/// End of an arrow to `to_node` in a part: autograd's call around it, or else `to_node`.
std::uint32_t placed_by_arrow(const OperatorTreePart& part, const ModuleNames& names, std::uint32_t to_node);

}  // namespace kino
