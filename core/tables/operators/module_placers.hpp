// The calls by which operators get their module: few, and found once for a trace.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string_view>
#include <vector>

#include "core/trace/links/operator_tree_part.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// What the trace tells modules by.
enum class ModuleSource : std::uint8_t {
  none,
  python,      ///< Python frames "nn.Module: Linear_0" (profiled with_stack)
  hierarchy,   ///< the argument Module Hierarchy of operators (with_modules)
  annotation,  ///< record_function() and the profiler's own annotations
};
/// The first of them that the trace has; annotations only without the others. O(names + distinct arguments).
ModuleSource module_source(const Trace& trace);

/// Which names are those of modules and of the backward pass.
class ModuleNames {
 public:
  /// `trace` must outlive it. O(names).
  ModuleNames(const Trace& trace, ModuleSource source);

  /// Autograd's call of one function of the backward pass.
  bool backward(SliceId slice) const { return backward_[index_of(trace_.name(slice))] != 0; }
  /// The call of a module; of those that a hierarchy tells, never.
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

/// What becomes a node of its tree; `source` is one that the trace has.
OperatorTreeKinds module_kinds(ModuleSource source);

/// The few nodes by which all others get their module, for every range of the trace: calls of modules, and
/// what may belong to the backward pass. Numbers of nodes are those of the whole tree.
struct ModulePlacers {
  static constexpr std::uint32_t kNone = 0xffffffffU;

  struct Placer {
    std::uint32_t node = kNone;
    std::uint32_t around = kNone;  ///< index of the innermost one that it lies in
    SliceId slice = kNoSlice;
    bool module = false;    ///< see ModuleNames
    bool backward = false;  ///< see ModuleNames
    bool merged = false;    ///< in the whole tree
  };
  /// From the forward to the backward pass.
  struct Arrow {
    std::uint32_t from = kNone;
    std::uint32_t to = kNone;
    std::uint32_t from_node = kNone;  ///< what `from` was merged into, or itself
    std::uint32_t to_node = kNone;    ///< what `to` was merged into, or itself
    std::uint32_t placed = kNone;     ///< autograd's call of it, or else to_node
  };
  std::vector<Placer> placers;          ///< by node
  PooledColumn<std::uint32_t> of_node;  ///< index of the innermost of them that it is or lies in, or kNone
  std::vector<Arrow> arrows;
};

/// `whole` is all of a tree of module_kinds(source). 4 bytes a node. O(nodes + arrows log nodes). Empty when
/// stopped.
ModulePlacers module_placers(const Trace& trace, const OperatorTreePart& whole, ModuleSource source,
                             const std::stop_token& stop = {});

/// Where an arrow to `to_node` ends in a part: at autograd's call of it, if that is around it.
std::uint32_t placed_by_arrow(const OperatorTreePart& part, const ModuleNames& names, std::uint32_t to_node);

}  // namespace kino
