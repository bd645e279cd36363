// Anchors: the few calls that determine the modules of all operators, found once per trace.
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
/// Returns the first source in the order Python, hierarchy, annotation that the trace has; `none` if it has
/// none. O(names + distinct arguments).
ModuleSource module_source(const Trace& trace);

/// Recognizes calls of modules and of the backward pass by name.
class ModuleNames {
 public:
  /// `trace` must outlive the object. O(names).
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

/// Returns the kinds of nodes in the tree for `source`, which must not be `none`.
OperatorTreeKinds module_kinds(ModuleSource source);

/// Anchors: the few nodes that determine the modules of all other nodes, for every range of the trace.
/// Anchors are calls of modules and possible parts of the backward pass. For ModuleSource::hierarchy,
/// operators with the argument Module Hierarchy take the place of calls. Node indices refer to the whole
/// tree.
struct ModuleAnchors {
  static constexpr std::uint32_t kNone = 0xffffffffU;

  struct Anchor {
    std::uint32_t node = kNone;
    std::uint32_t around = kNone;  ///< index of the innermost enclosing anchor
    SliceId slice = kNoSlice;
    bool module = false;    ///< see ModuleNames
    bool backward = false;  ///< see ModuleNames
    bool merged = false;    ///< whether the node is merged into its caller in the whole tree
  };
  /// Arrow from the forward to the backward pass.
  struct Arrow {
    std::uint32_t from = kNone;
    std::uint32_t to = kNone;
    std::uint32_t from_node = kNone;  ///< `from`, or the node that it is merged into
    std::uint32_t to_node = kNone;    ///< `to`, or the node that it is merged into
    std::uint32_t placed = kNone;     ///< see placed_by_arrow()
  };
  std::vector<Anchor> placers;          ///< anchors, sorted by node
  PooledColumn<std::uint32_t> of_node;  ///< index of the anchor at the node, or of the innermost enclosing
                                        ///< anchor; kNone if there is none
  std::vector<Arrow> arrows;
};

/// Finds the anchors of the trace. `whole` is the tree of module_kinds(source) for the whole trace. 4 bytes
/// per node. O(nodes + arrows log nodes).
ModuleAnchors module_placers(const Trace& trace, const OperatorTreePart& whole, ModuleSource source,
                             const std::stop_token& stop = {});

/// Returns the node that an arrow to `to_node` assigns to a module: autograd's call around `to_node`. If
/// there is no such call, returns `to_node`.
std::uint32_t placed_by_arrow(const OperatorTreePart& part, const ModuleNames& names, std::uint32_t to_node);

}  // namespace kino
