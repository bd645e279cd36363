// Alignment of the modules of two runs. Ignores wrapper modules of one run, and counts each added module
// once.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "core/tables/compare/run_record.hpp"

namespace kino {

/// Two modules are equal if their paths without instance numbers are equal. If only one run has a module,
/// this module and everything below it become one row, at the highest level that the other run lacks. A
/// module that only one run has, around all of its other modules (DistributedDataParallel, OptimizedModule),
/// is omitted from the paths.
class ModuleAlignment {
 public:
  ModuleAlignment() = default;
  /// O(rows * depth).
  ModuleAlignment(const RunRecord& a, const RunRecord& b);

  /// Returns the path of a row's module with wrapper modules omitted; a view into `module`. O(1).
  std::string_view path(std::string_view module) const;
  /// Returns the key by which rows of both runs are joined; "(no module)" if `module` is empty. O(length log
  /// rows).
  std::string key(std::string_view module) const;
  /// Return the wrapper modules omitted from the paths of A or B: "DistributedDataParallel"; empty if there
  /// are none.
  const std::string& around_a() const { return around_a_; }
  const std::string& around_b() const { return around_b_; }

 private:
  std::map<std::string, std::string, std::less<>> added_;  // key by path, for modules that only one run has
  std::string around_a_;
  std::string around_b_;
};

}  // namespace kino
