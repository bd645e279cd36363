#include "app/shell/settings/named_queries.hpp"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/shell/settings/person_file.hpp"
#include "app/system/atomic_file.hpp"
#include "core/base/messages/message.hpp"

namespace kino {

std::filesystem::path named_queries_path() { return user_file("queries.json"); }

Result<std::vector<NamedQuery>> named_queries_from_json(std::string_view text) {
  const auto wrong = [] { return Error{Error::Kind::corrupt, msg::named_queries_not_an_object}; };
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object() || json.size() > kMostNamedQueries) return wrong();
  std::vector<NamedQuery> queries;
  for (const auto& [name, sql] : json.items()) {
    if (name.empty() || !sql.is_string()) return wrong();
    queries.push_back({name, sql.get<std::string>()});
  }
  return queries;
}

std::string json_of(const std::vector<NamedQuery>& queries) {
  nlohmann::json json = nlohmann::json::object();
  for (const NamedQuery& query : queries) json[query.name] = query.sql;
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

Result<std::vector<NamedQuery>> read_named_queries(const std::filesystem::path& path) {
  const auto text = text_of_user_file(path, path.filename().string());
  if (!text.ok()) return text.error();
  if (!text.value()) return std::vector<NamedQuery>();
  return named_queries_from_json(*text.value());
}

std::optional<Error> store_named_query(const std::filesystem::path& path, const NamedQuery& query) {
  Result<std::vector<NamedQuery>> queries = read_named_queries(path);
  if (!queries.ok()) return queries.error();
  std::erase_if(*queries, [&](const NamedQuery& saved) { return saved.name == query.name; });
  if (!query.sql.empty()) queries->push_back(query);
  if (queries->size() > kMostNamedQueries) return Error{Error::Kind::too_large, msg::too_many_named_queries};
  return write_file_atomically(path, json_of(*queries), Durability::process_crash);
}

}  // namespace kino
