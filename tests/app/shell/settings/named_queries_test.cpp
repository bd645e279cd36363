// Covers: named_queries
// Queries with names: content of their file, and invalid files, which remain unchanged.
#include "app/shell/settings/named_queries.hpp"

#include <doctest/doctest.h>

#include "tests/fixtures/loader_files.hpp"
#include "tests/fixtures/temporary_folder.hpp"

using kino::NamedQuery;

TEST_CASE("stores, replaces and removes named queries") {
  const kino_test::TemporaryFolder folder;
  const auto path = folder.path() / "queries.json";
  CHECK(kino::read_named_queries(path).value().empty());
  CHECK_FALSE(kino::store_named_query(path, {"late", "SELECT 1"}).has_value());
  CHECK_FALSE(kino::store_named_query(path, {"early \"x\"", "SELECT 'a\n'"}).has_value());
  CHECK_FALSE(kino::store_named_query(path, {"late", "SELECT 2"}).has_value());
  CHECK(kino::read_named_queries(path).value() ==
        std::vector<NamedQuery>{{"early \"x\"", "SELECT 'a\n'"}, {"late", "SELECT 2"}});
  CHECK_FALSE(kino::store_named_query(path, {"late", ""}).has_value());
  CHECK(kino::read_named_queries(path).value() == std::vector<NamedQuery>{{"early \"x\"", "SELECT 'a\n'"}});
}

TEST_CASE("reports an invalid file of queries and leaves it unchanged") {
  const kino_test::TemporaryFolder folder;
  for (const char* const text : {"[]", "{", R"({"a": 1})", R"({"": "SELECT 1"})"}) {
    const auto path = folder.write("queries.json", text);
    CHECK_FALSE(kino::read_named_queries(path).ok());
    CHECK(kino::store_named_query(path, {"b", "SELECT 1"}).has_value());
    CHECK(kino_test::file_content(path) == text);
  }
}
