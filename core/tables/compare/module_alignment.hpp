// The modules of two runs laid over each other, so that a wrapper does not make all of them new ones and what
// is new is counted once.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "core/tables/compare/run_record.hpp"

namespace kino {

/// Modules are equal where the paths to them are, which are without the numbers of instances. A module that
/// only one run has takes what is below it as one row, at the highest place that the other run has not. A
/// module around all of one run, and around nothing of the other (DistributedDataParallel, OptimizedModule),
/// is left out of the paths.
class ModuleAlignment {
 public:
  ModuleAlignment() = default;
  /// O(rows * depth).
  ModuleAlignment(const RunRecord& a, const RunRecord& b);

  /// The path of a row's module without what is only around one run; a view into `module`. O(1).
  std::string_view path(std::string_view module) const;
  /// By what a row of either run is joined; "(no module)" without a module. O(length log rows).
  std::string key(std::string_view module) const;
  /// Modules around all of one run alone: "DistributedDataParallel"; empty when there are none.
  const std::string& around_a() const { return around_a_; }
  const std::string& around_b() const { return around_b_; }

 private:
  std::map<std::string, std::string, std::less<>> added_;  // by path: the module that only one run has
  std::string around_a_;
  std::string around_b_;
};

}  // namespace kino
