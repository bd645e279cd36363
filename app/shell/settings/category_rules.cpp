#include "app/shell/settings/category_rules.hpp"

#include <optional>

#include <nlohmann/json.hpp>

#include "app/shell/settings/person_file.hpp"
#include "app/system/atomic_file.hpp"

namespace kino {
namespace {

constexpr std::size_t kMostRules = 200;

Error rule_error(Message what) { return {Error::Kind::corrupt, std::move(what)}; }

std::optional<RulePlace> place_from(const std::string* text) {
  if (text == nullptr) return RulePlace::packs;
  for (const RulePlace place : {RulePlace::packs, RulePlace::phases, RulePlace::last})
    if (text_of(place) == *text) return place;
  return std::nullopt;
}

std::optional<CategoryRule> rule_from(const nlohmann::json& entry) {
  const std::string* category = text_at(entry, "category");
  const std::string* find = text_at(entry, "find");
  const auto place = place_from(text_at(entry, "before"));
  if (category == nullptr || find == nullptr || category->empty() || !place) return std::nullopt;
  if (entry.contains("before") && text_at(entry, "before") == nullptr) return std::nullopt;
  return CategoryRule{*category, *find, *place};
}

/// Returns an example, the initial content of the file if there are no rules.
CategoryRuleSet example_rules() {
  return {{{"My cache", "function:make_my_cache lives:end", RulePlace::packs}}, true};
}

}  // namespace

std::filesystem::path category_rules_path() { return user_file("categories.json"); }

Result<CategoryRuleSet> category_rules_from_json(std::string_view text) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  CategoryRuleSet set{{}, json.is_object()};
  const nlohmann::json* list = &json;
  if (json.is_object()) {
    const auto extends = json.find("extends");
    const auto rules = json.find("rules");
    if (extends == json.end() || *extends != "default" || rules == json.end())
      return rule_error(msg::categories_extend_nothing);
    list = &*rules;
  }
  if (!list->is_array()) return rule_error(msg::category_rules_not_an_array);
  if (list->size() > kMostRules) return rule_error(msg::too_many_category_rules);
  for (const nlohmann::json& entry : *list) {
    const std::optional<CategoryRule> rule = rule_from(entry);
    if (!rule) return rule_error({msg::category_rule_lacks_a_part, std::to_string(set.rules.size() + 1)});
    set.rules.push_back(*rule);
  }
  return set;
}

std::string json_of(const CategoryRuleSet& rules) {
  std::string text = rules.extends_default ? "{\"extends\": \"default\", \"rules\": [\n" : "[\n";
  for (const CategoryRule& rule : rules.rules) {
    nlohmann::ordered_json entry = {{"category", rule.category}, {"find", rule.query}};
    if (rules.extends_default) entry["before"] = text_of(rule.before);
    text += "  " + entry.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) +
            (&rule == &rules.rules.back() ? "\n" : ",\n");
  }
  return text + (rules.extends_default ? "]}\n" : "]\n");
}

CategoryRules read_category_rules(const std::filesystem::path& path) {
  CategoryRules read{default_category_rules(), true, {}};
  const auto text = text_of_user_file(path, msg::category_file);
  if (!text.ok()) {
    read.problem = text.error().what;
    return read;
  }
  if (!text.value()) return read;
  Result<CategoryRuleSet> rules = category_rules_from_json(*text.value());
  if (!rules.ok()) {
    read.problem = rules.error().what;
    return read;
  }
  read.rules = std::move(rules).value();
  read.built_in = false;
  return read;
}

std::optional<Error> make_category_file(const std::filesystem::path& path, const CategoryRuleSet& rules) {
  std::error_code code;
  if (path.empty()) return rule_error(msg::no_settings_folder);
  if (std::filesystem::exists(path, code)) return std::nullopt;
  const CategoryRuleSet& written = rules.rules.empty() ? example_rules() : rules;
  return write_file_atomically(path, json_of(written), Durability::process_crash);
}

}  // namespace kino
