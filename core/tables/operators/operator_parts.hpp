// What several tables of operators and modules start from, of one range of a trace.
#pragma once

#include <stop_token>
#include <vector>

#include "core/tables/gpu/gpu_parts.hpp"
#include "core/tables/operators/key_averages.hpp"
#include "core/tables/operators/module_placers.hpp"
#include "core/tables/operators/module_tree.hpp"
#include "core/tables/operators/operator_table.hpp"
#include "core/trace/links/operator_tree_part.hpp"

namespace kino {

/// Thread-safe, as GpuParts.
class OperatorParts : public GpuParts {
 public:
  virtual const OperatorGroups& operator_groups(OperatorGrouping grouping,
                                                const std::stop_token& stop) const = 0;
  /// By name.
  virtual const std::vector<OperatorRow>& operators(const std::stop_token& stop) const = 0;
  /// Of kKeyAverageKinds.
  virtual const OperatorTreePart& key_tree(const std::stop_token& stop) const = 0;
  virtual const KeyGroups& key_groups(KeyAverageGrouping grouping, const std::stop_token& stop) const = 0;
  /// Of module_kinds(source).
  virtual const OperatorTreePart& module_calls(ModuleSource source, const std::stop_token& stop) const = 0;
  virtual const ModulePlacers& module_placers(ModuleSource source, const std::stop_token& stop) const = 0;
  /// By what the trace tells modules by.
  virtual const ModuleTree& modules(const std::stop_token& stop) const = 0;
  /// By one source, which is not none.
  virtual ModuleTree modules_by(ModuleSource source, const std::stop_token& stop) const = 0;
};

}  // namespace kino
