// Categories of GPU work (matrix products, attention, normalization ...) by rules on its names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Assigns a category to work whose name contains the pattern, ignoring ASCII case, unless an earlier rule
/// matches. A pattern "^x" matches names that start with x.
struct WorkRule {
  Message category;
  std::string pattern;
  bool operator==(const WorkRule&) const = default;
};

/// The built-in rules for names of kernels.
const std::vector<WorkRule>& default_name_rules();

/// All rules in the order in which they are tried. Immutable.
class WorkRules {
 public:
  /// Creates the rules for kinds of events, followed by the given rules for names.
  explicit WorkRules(const std::vector<WorkRule>& of_names = default_name_rules());

  /// Returns all rules. The first three have no pattern and match by the kind of event: communication, copies
  /// and memsets. The last one has no pattern either and matches everything else.
  std::span<const WorkRule> all() const { return rules_; }
  /// Returns the category of a rule in English. O(1).
  std::string_view category_name(std::size_t rule) const { return names_[rule]; }
  /// Returns the index of the first rule for names that matches, or of the last rule. O(rules * length).
  std::size_t rule_of_name(std::string_view name) const;

 private:
  std::vector<WorkRule> rules_;
  std::vector<std::string> names_;  // categories in English, by rule
};
/// Returns the rules with default_name_rules(), as one shared object.
const std::shared_ptr<const WorkRules>& default_work_rules();

/// Finds the rule of each piece of GPU work. Each name is looked up once.
class WorkCategories {
 public:
  /// `trace` and `rules` must outlive this object.
  WorkCategories(const Trace& trace, const WorkRules& rules)
      : trace_(trace), rules_(rules), by_name_(trace.names.size(), kUnknown) {}
  /// Returns the index of the work's rule in WorkRules::all(). O(1); O(rules * length) for a new name.
  std::size_t rule_of(SliceId work);

 private:
  static constexpr std::uint16_t kUnknown = 0xffff;

  const Trace& trace_;
  const WorkRules& rules_;
  std::vector<std::uint16_t> by_name_;
};

}  // namespace kino
