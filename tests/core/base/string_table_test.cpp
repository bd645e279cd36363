// Covers: string_table
#include "core/base/string_table.hpp"

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

using kino::StringTable;

TEST_CASE("a text has one id, in order of appearance") {
  StringTable table;
  CHECK(table.intern("a") == 0);
  CHECK(table.intern("") == 1);
  CHECK(table.intern("a") == 0);
  CHECK(table.intern(std::string_view("a\0b", 3)) == 2);
  CHECK(table[2] == std::string_view("a\0b", 3));
  CHECK(table.find("a") == 0);
  CHECK(table.find("absent") == StringTable::kAbsent);
  CHECK(StringTable().find("a") == StringTable::kAbsent);
}

TEST_CASE("views stay valid while the table grows and when it is moved") {
  StringTable table;
  std::unordered_map<std::string, std::uint32_t> expected;
  for (int i = 0; i < 50000; ++i) {
    const std::string text = std::string(static_cast<std::size_t>(i % 97), 'x') + std::to_string(i % 20000);
    const std::uint32_t id = table.intern(text);
    CHECK(expected.try_emplace(text, id).first->second == id);
  }
  const std::uint32_t long_id = table.intern(std::string(1 << 20, 'n'));
  const std::string_view before = table[0];
  StringTable moved = std::move(table);
  CHECK(moved[0].data() == before.data());
  CHECK(moved[long_id].size() == (1 << 20));
  for (const auto& [text, id] : expected) CHECK(moved[id] == text);
}
