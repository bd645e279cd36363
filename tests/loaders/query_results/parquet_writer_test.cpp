#include "loaders/query_results/parquet_writer.hpp"

#include <cstring>

#include <doctest/doctest.h>

TEST_CASE("a Parquet file has its marks, and a footer whose length stands before the last of them") {
  std::string bytes;
  kino::ParquetWriter writer([&](std::string_view piece) { bytes += piece; });
  const std::string names[] = {"a", "a", "t"};
  writer.columns(names);
  const kino::QueryValue first[] = {std::int64_t{1}, 0.5, std::string_view("x")};
  const kino::QueryValue second[] = {std::monostate{}, std::int64_t{2}, std::int64_t{7}};
  writer.row(first);
  writer.row(second);
  REQUIRE(!writer.finish());
  CHECK(bytes.starts_with("PAR1"));
  CHECK(bytes.ends_with("PAR1"));
  std::uint32_t footer = 0;
  std::memcpy(&footer, bytes.data() + bytes.size() - 8, 4);
  REQUIRE(footer + 12 < bytes.size());
  const std::string facts = bytes.substr(bytes.size() - 8 - footer, footer);
  CHECK(facts.find("a_2") != std::string::npos);  // names of columns are told apart
  CHECK(facts.find("kinetoscope") != std::string::npos);
  CHECK(bytes.find(std::string("\x01\0\0\0x\x01\0\0\0"
                               "7",
                               10)) != std::string::npos);  // the dictionary
}

TEST_CASE("no result is no Parquet file") {
  kino::ParquetWriter writer([](std::string_view) {});
  CHECK(writer.finish());
}
