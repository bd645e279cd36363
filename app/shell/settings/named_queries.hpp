// Queries that a person has given a name: queries.json beside the settings.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"

namespace kino {

struct NamedQuery {
  std::string name;
  std::string sql;
  bool operator==(const NamedQuery&) const = default;
};

/// queries.json beside settings_path(); empty when that is.
std::filesystem::path named_queries_path();

inline constexpr std::size_t kMostNamedQueries = 500;

/// {"Late launches": "SELECT ..."}: by name. Fails with one sentence.
Result<std::vector<NamedQuery>> named_queries_from_json(std::string_view text);
std::string json_of(const std::vector<NamedQuery>& queries);

/// What is in the file; none without one. Fails with one sentence where it makes no sense.
Result<std::vector<NamedQuery>> read_named_queries(const std::filesystem::path& path);
/// Gives `sql` a name in the file, which one of that name loses; without SQL the name is forgotten. A file
/// that cannot be read is left as it is.
std::optional<Error> keep_named_query(const std::filesystem::path& path, const NamedQuery& query);

}  // namespace kino
