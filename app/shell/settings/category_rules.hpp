// The rules of categories that a person has: categories.json beside the settings, else the built-in ones.
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

/// categories.json beside settings_path(); empty when that is.
std::filesystem::path category_rules_path();

struct CategoryRules {
  CategoryRuleSet rules;
  bool built_in = true;  ///< no file, or none that can be read
  Message problem;       ///< why the file is not used, one sentence; empty when it is, or there is none
};
/// The built-in ones when there is no file, or one that makes no sense.
CategoryRules read_category_rules(const std::filesystem::path& path);

/// {"extends": "default", "rules": [{"category": "My cache", "find": "function:cache lives:end", "before":
/// "packs"}, ...]}: besides what the product tells by itself, the first rule that finds an allocation.
/// "before" says what the rule is asked before: "packs" (frames of frameworks with one meaning; the default),
/// "phases" (phases and lifetimes) or "last" (nothing). An array of rules alone stands instead of everything.
Result<CategoryRuleSet> category_rules_from_json(std::string_view text);
std::string json_of(const CategoryRuleSet& rules);

/// Writes the rules for a person to edit, unless there is a file already.
std::optional<Error> make_category_file(const std::filesystem::path& path, const CategoryRuleSet& rules);

}  // namespace kino
