// Alignment of the modules of two runs, robust to wrappers and counting each added module once.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "core/tables/compare/run_record.hpp"

namespace kino {

/// Modules are equal if their paths without instance numbers are. A module of one run alone becomes one row
/// with everything below it, at the highest level that the other run lacks. A module around all of one run
/// only (DistributedDataParallel, OptimizedModule) is left out of the paths.
class ModuleAlignment {
 public:
  ModuleAlignment() = default;
  /// O(rows * depth).
  ModuleAlignment(const RunRecord& a, const RunRecord& b);

  /// Path of a row's module without such wrappers; a view into `module`. O(1).
  std::string_view path(std::string_view module) const;
  /// Key by which rows of both runs are joined; "(no module)" if empty. O(length log rows).
  std::string key(std::string_view module) const;
  /// Modules around all of one run only: "DistributedDataParallel"; empty if there are none.
  const std::string& around_a() const { return around_a_; }
  const std::string& around_b() const { return around_b_; }

 private:
  std::map<std::string, std::string, std::less<>> added_;  // by path: the module of one run alone
  std::string around_a_;
  std::string around_b_;
};

}  // namespace kino
