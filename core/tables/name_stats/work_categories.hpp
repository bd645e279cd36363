// What GPU work is for (matrix products, attention, normalisation ...), told by rules about its names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/trace/trace.hpp"

namespace kino {

/// Work whose name holds the pattern, any case of ASCII letters, is of the category, unless an earlier rule
/// had it; "^x" asks for names that begin with x.
struct WorkRule {
  std::string category;
  std::string pattern;
  bool operator==(const WorkRule&) const = default;
};

/// The rules in their order. The first three, which have no pattern, take what the events themselves are:
/// communication, copies and memsets; the last one, which has none either, takes what is left.
std::span<const WorkRule> work_rules();

/// Those of names: what stands between them unless a person has others.
const std::vector<WorkRule>& default_name_rules();
/// Puts these between them from now on. Before any table is made: rows are known by the numbers of rules.
void set_name_rules(const std::vector<WorkRule>& rules);

/// Index into work_rules() of each piece of GPU work. Asks the rules once a name.
class WorkCategories {
 public:
  /// `trace` must outlive it.
  explicit WorkCategories(const Trace& trace) : trace_(trace), by_name_(trace.names.size(), kUnknown) {}
  /// Amortised O(1); of a new name O(rules * length).
  std::size_t rule_of(SliceId work);

 private:
  static constexpr std::uint16_t kUnknown = 0xffff;

  const Trace& trace_;
  std::vector<std::uint16_t> by_name_;
};

}  // namespace kino
