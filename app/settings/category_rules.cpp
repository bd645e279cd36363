#include "app/settings/category_rules.hpp"

#include <optional>

#include <nlohmann/json.hpp>

#include "app/settings/person_file.hpp"
#include "app/system/atomic_file.hpp"

namespace kino {
namespace {

constexpr std::size_t kMostRules = 200;

Error rule_error(std::string what) { return {Error::Kind::corrupt, std::move(what), kNoOffset}; }

}  // namespace

std::filesystem::path category_rules_path() { return person_file("categories.json"); }

Result<std::vector<CategoryRule>> category_rules_from_json(std::string_view text) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_array()) return rule_error("the categories are no JSON array and were ignored");
  if (json.size() > kMostRules)
    return rule_error("there are too many rules of categories and they were ignored");
  std::vector<CategoryRule> rules;
  for (const nlohmann::json& entry : json) {
    const auto text_at = [&](const char* key) -> const std::string* {
      const auto found = entry.is_object() ? entry.find(key) : entry.end();
      return entry.is_object() && found != entry.end() ? found->get_ptr<const std::string*>() : nullptr;
    };
    const std::string* category = text_at("category");
    const std::string* find = text_at("find");
    if (category == nullptr || find == nullptr || category->empty()) {
      return rule_error("rule " + std::to_string(rules.size() + 1) +
                        R"( of the categories has no "category" or no "find", and they were ignored)");
    }
    rules.push_back({*category, *find});
  }
  return rules;
}

std::string json_of(const std::vector<CategoryRule>& rules) {
  std::string text = "[\n";
  for (const CategoryRule& rule : rules) {
    const nlohmann::ordered_json entry = {{"category", rule.category}, {"find", rule.query}};
    text += "  " + entry.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) +
            (&rule == &rules.back() ? "\n" : ",\n");
  }
  return text + "]\n";
}

CategoryRules read_category_rules(const std::filesystem::path& path) {
  CategoryRules read{default_category_rules(), true, {}};
  const auto text = text_of_person_file(path, "the file of categories");
  if (!text.ok()) {
    read.problem = text.error().what;
    return read;
  }
  if (!text.value()) return read;
  Result<std::vector<CategoryRule>> rules = category_rules_from_json(*text.value());
  if (!rules.ok()) {
    read.problem = rules.error().what;
    return read;
  }
  read.rules = std::move(rules).value();
  read.built_in = false;
  return read;
}

std::optional<Error> make_category_file(const std::filesystem::path& path,
                                        const std::vector<CategoryRule>& rules) {
  std::error_code code;
  if (path.empty()) return rule_error("there is no folder for settings");
  if (std::filesystem::exists(path, code)) return std::nullopt;
  return write_file_atomically(path, json_of(rules), Durability::process_crash);
}

}  // namespace kino
