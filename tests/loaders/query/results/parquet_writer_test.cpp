// Covers: parquet_writer
#include "loaders/query/results/parquet_writer.hpp"

#include <cstring>

#include <doctest/doctest.h>

#include "loaders/bytes/zstd_frame.hpp"

TEST_CASE("a Parquet file has its marks, and the length of its footer before the last one") {
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
  CHECK(facts.find("a_2") != std::string::npos);  // names of columns are made unique
  CHECK(facts.find("kinetoscope") != std::string::npos);
  // The first page of the text is its dictionary; every page is a frame.
  const std::string dictionary(
      "\x01\0\0\0x\x01\0\0\0"
      "7",
      10);
  std::size_t frames = 0;
  bool found = false;
  for (std::size_t at = 0; (at = bytes.find("\x28\xb5\x2f\xfd", at)) != std::string::npos; ++at, ++frames) {
    std::string out(dictionary.size(), '\0');
    for (std::size_t size = 9; size < 40 && !found; ++size)
      found = kino::zstd_unpacked(bytes.substr(at, size), out) && out == dictionary;
  }
  CHECK(found);
  CHECK(frames == 4);
}

TEST_CASE("refuses to write a Parquet file without columns") {
  kino::ParquetWriter writer([](std::string_view) {});
  CHECK(writer.finish());
}

TEST_CASE("a column of only NULL has an empty page as a frame") {
  std::string bytes;
  kino::ParquetWriter writer([&](std::string_view piece) { bytes += piece; });
  const std::string names[] = {"a"};
  writer.columns(names);
  const kino::QueryValue none[] = {std::monostate{}};
  writer.row(none);
  REQUIRE(!writer.finish());
  CHECK(bytes.find(std::string("\x28\xb5\x2f\xfd\x20\x00\x01\x00\x00", 9)) != std::string::npos);
}

TEST_CASE("a thousand equal rows take little more space than one") {
  std::string bytes;
  kino::ParquetWriter writer([&](std::string_view piece) { bytes += piece; });
  const std::string names[] = {"number"};
  writer.columns(names);
  const kino::QueryValue row[] = {std::int64_t{4711}};
  for (int i = 0; i < 1000; ++i) writer.row(row);
  REQUIRE(!writer.finish());
  CHECK(bytes.size() < 400);
}
