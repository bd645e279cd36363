// Intermediate results shared by the tables of operators and modules of one range.
#pragma once

#include <stop_token>
#include <vector>

#include "core/tables/gpu/gpu_parts.hpp"
#include "core/tables/operators/key_averages.hpp"
#include "core/tables/operators/module_anchors.hpp"
#include "core/tables/operators/module_tree.hpp"
#include "core/tables/operators/operator_table.hpp"
#include "core/trace/links/operator_tree_part.hpp"

namespace kino {

/// Results for a range of a trace. Thread-safe, like GpuParts.
class OperatorParts : public GpuParts {
 public:
  virtual const OperatorGroups& operator_groups(OperatorGrouping grouping,
                                                const std::stop_token& stop) const = 0;
  /// Returns the operators grouped by name.
  virtual const std::vector<OperatorRow>& operators(const std::stop_token& stop) const = 0;
  /// Returns the range's part of the tree of kKeyAverageKinds.
  virtual const OperatorTreePart& key_tree(const std::stop_token& stop) const = 0;
  virtual const KeyGroups& key_groups(KeyAverageGrouping grouping, const std::stop_token& stop) const = 0;
  /// Returns the range's part of the tree of module_kinds(source).
  virtual const OperatorTreePart& module_calls(ModuleSource source, const std::stop_token& stop) const = 0;
  virtual const ModuleAnchors& module_placers(ModuleSource source, const std::stop_token& stop) const = 0;
  /// Returns the modules from the source that module_source() selects.
  virtual const ModuleTree& modules(const std::stop_token& stop) const = 0;
  /// Returns the modules from this source, which must not be `none`.
  virtual ModuleTree modules_by(ModuleSource source, const std::stop_token& stop) const = 0;
};

}  // namespace kino
