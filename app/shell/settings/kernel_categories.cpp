#include "app/shell/settings/kernel_categories.hpp"

#include <mutex>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/shell/settings/person_file.hpp"
#include "core/base/messages/message.hpp"

namespace kino {
namespace {

constexpr std::size_t kMostKernelRules = 1000;

std::mutex categories_mutex;
std::shared_ptr<const WorkRules> chosen_categories;  // guarded by categories_mutex; null: the built-in rules

}  // namespace

std::shared_ptr<const WorkRules> kernel_categories() {
  const std::scoped_lock lock(categories_mutex);
  return chosen_categories != nullptr ? chosen_categories : default_work_rules();
}

void set_kernel_categories(std::shared_ptr<const WorkRules> rules) {
  const std::scoped_lock lock(categories_mutex);
  chosen_categories = std::move(rules);
}

std::filesystem::path kernel_categories_path() { return user_file("kernel_categories.json"); }

Result<std::vector<WorkRule>> name_rules_from_json(std::string_view text) {
  const auto wrong = [](Message what) { return Error{Error::Kind::corrupt, std::move(what)}; };
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_array()) return wrong(msg::kernel_categories_not_an_array);
  if (json.size() > kMostKernelRules) return wrong(msg::too_many_kernel_categories);
  std::vector<WorkRule> rules;
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (json[i] == "built in") {
      rules.insert(rules.end(), default_name_rules().begin(), default_name_rules().end());
      continue;
    }
    const std::string* category = text_at(json[i], "category");
    const std::string* name = text_at(json[i], "name");
    if (category == nullptr || name == nullptr || category->empty() || name->empty() || *name == "^")
      return wrong({msg::kernel_category_lacks_a_part, std::to_string(i + 1)});
    rules.push_back({*category, *name});
  }
  return rules;
}

std::string use_kernel_categories(const std::filesystem::path& path) {
  const auto text = text_of_user_file(path, msg::kernel_category_file);
  if (!text.ok()) return text.error().what.str() + ": " + path.string();
  if (!text.value()) return {};
  const Result<std::vector<WorkRule>> rules = name_rules_from_json(*text.value());
  if (!rules.ok()) return rules.error().what.str() + ": " + path.string();
  set_kernel_categories(std::make_shared<const WorkRules>(rules.value()));
  return {};
}

}  // namespace kino
