// The user's rules for allocation categories: categories.json beside the settings, else the built-in rules.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/base/result.hpp"
#include "core/memory/tables/snapshot_categories.hpp"

namespace kino {

/// Returns the path of categories.json beside settings_path(); empty if settings_path() is empty.
std::filesystem::path category_rules_path();

struct CategoryRules {
  CategoryRuleSet rules;
  bool built_in = true;  ///< whether `rules` are built in: the file is missing or ignored
  Message problem;       ///< sentence on why the file is ignored; empty if it is used or missing
};
/// Reads the rules in the file. Returns the built-in rules if the file is missing or invalid.
CategoryRules read_category_rules(const std::filesystem::path& path);

/// Parses {"extends": "default", "rules": [{"category": "My cache", "find": "function:cache lives:end",
/// "before": "packs"}, ...]}. The first rule that matches an allocation wins. "before" selects the precedence
/// of a rule (see RulePlace): "packs" (the default), "phases" or "last". A text that is only an array of
/// rules replaces all built-in rules.
Result<CategoryRuleSet> category_rules_from_json(std::string_view text);
std::string json_of(const CategoryRuleSet& rules);

/// Writes the rules, or an example if there are none, as a file that the user can edit. Does nothing if the
/// file exists.
std::optional<Error> make_category_file(const std::filesystem::path& path, const CategoryRuleSet& rules);

}  // namespace kino
