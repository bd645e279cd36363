// The user's named queries: queries.json beside the settings.
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

/// Returns the path of queries.json beside settings_path(); empty if settings_path() is empty.
std::filesystem::path named_queries_path();

inline constexpr std::size_t kMostNamedQueries = 500;

/// Parses {"Late launches": "SELECT ..."}; returns the queries sorted by name. Errors are one sentence.
Result<std::vector<NamedQuery>> named_queries_from_json(std::string_view text);
std::string json_of(const std::vector<NamedQuery>& queries);

/// Returns the queries in the file; empty if the file does not exist. Errors are one sentence.
Result<std::vector<NamedQuery>> read_named_queries(const std::filesystem::path& path);
/// Stores `query` in the file, replacing a query of the same name; empty SQL removes the query of that name.
/// If the file cannot be read, leaves it unchanged and returns the error.
std::optional<Error> store_named_query(const std::filesystem::path& path, const NamedQuery& query);

}  // namespace kino
