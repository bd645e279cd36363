// Covers: packed_table
// Numbers are restored exactly, and invalid tables of a file are rejected.
#include "core/trace/packed/packed_table.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <doctest/doctest.h>

using kino::PackedTable;

namespace {

constexpr std::int64_t kLeastNumber = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMostNumber = std::numeric_limits<std::int64_t>::max();

void check_same(const PackedTable& table, std::size_t columns, const std::vector<std::int64_t>& values) {
  REQUIRE(table.size() == values.size() / columns);
  CHECK(table.sound(columns));
  for (std::size_t i = 0; i < values.size(); ++i) REQUIRE(table.at(i / columns, i % columns) == values[i]);
}

}  // namespace

TEST_CASE("any number is restored, also the smallest, the largest, or one among others of another size") {
  for (const std::vector<std::int64_t>& values : {std::vector<std::int64_t>{},
                                                  {0},
                                                  {kLeastNumber},
                                                  {kMostNumber, kLeastNumber, 0, -1, 1, kMostNumber},
                                                  {5, 5, 5},
                                                  {-3, 900}})
    check_same(PackedTable(1, values), 1, values);
  CHECK(PackedTable().sound(3));
  CHECK(PackedTable().empty());
}

TEST_CASE("random tables of all lengths and widths are restored, and rows are their numbers") {
  std::mt19937_64 random(3);
  for (std::size_t rows : {1U, 2U, 127U, 128U, 129U, 256U, 1000U}) {
    for (const std::size_t columns : {1U, 3U, 5U}) {
      std::vector<std::int64_t> values(rows * columns);
      for (std::size_t i = 0; i < values.size(); ++i) {
        const unsigned bits = (i % columns * 23 + i / 300) % 65;  // per column; changes every 300 numbers
        values[i] = bits == 0 ? 7 : static_cast<std::int64_t>(random() >> (64 - bits)) - 1000;
      }
      const PackedTable table(columns, values);
      check_same(table, columns, values);
      CHECK(table.row<1>(rows - 1)[0] == values[(rows - 1) * columns]);
      if (columns == 3) CHECK(table.row<3>(rows / 2)[2] == values[rows / 2 * 3 + 2]);
    }
  }
}

TEST_CASE("the first row above a value is found from any start") {
  std::mt19937_64 random(5);
  for (const std::size_t rows : {1U, 2U, 127U, 128U, 129U, 640U, 3000U}) {
    std::vector<std::int64_t> values;
    std::vector<std::int64_t> second;
    std::int64_t number = kLeastNumber / 2;
    for (std::size_t i = 0; i < rows; ++i) {
      number += random() % 3 == 0 ? 0 : static_cast<std::int64_t>(random() % (i % 400 == 0 ? 1'000'000 : 50));
      values.push_back(static_cast<std::int64_t>(random()));
      values.push_back(number);
      second.push_back(number);
    }
    const PackedTable table(2, values);
    for (int i = 0; i < 300; ++i) {
      const std::int64_t value = second[random() % rows] + static_cast<std::int64_t>(random() % 5) - 2;
      const auto wanted = static_cast<std::size_t>(std::ranges::upper_bound(second, value) - second.begin());
      REQUIRE(table.first_above(1, value) == wanted);
      REQUIRE(table.first_above(1, value, random() % (rows + 300)) == wanted);
    }
    CHECK(table.first_above(1, kLeastNumber, rows) == 0);
    CHECK(table.first_above(1, kMostNumber) == rows);
  }
  CHECK(PackedTable().first_above(0, 7) == 0);
}

TEST_CASE("a column's bounds are exact, in numbers and in bits of a block") {
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0; i < 300; ++i) {
    values.push_back(i);
    values.push_back(i < 200 ? -4 : 5);
  }
  const PackedTable table(2, values);
  CHECK(table.within(0, 0, 299));
  CHECK_FALSE(table.within(0, 0, 298));
  CHECK_FALSE(table.within(0, 1, 299));
  CHECK(table.within(0, kLeastNumber, kMostNumber));
  CHECK(table.within(1, -4, 5));
  CHECK_FALSE(table.within(1, -4, 4));
  CHECK_FALSE(table.within(1, -3, 5));
  CHECK_FALSE(table.within(0, 5, 0));
  CHECK(PackedTable().within(0, 5, 0));
}

TEST_CASE("ascending and constant columns need almost no memory") {
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0; i < 12'800; ++i) values.insert(values.end(), {1'700'000'000'000'000'000 + i, 42});
  CHECK(PackedTable(2, values).size_bytes() < 12'800 * 8 / 6);
}

TEST_CASE("a table from a file is valid, or is rejected") {
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0; i < 300; ++i) values.insert(values.end(), {i * i, i % 3});
  std::mt19937_64 random(11);
  std::size_t sound = 0;
  for (int round = 0; round < 20'000; ++round) {
    PackedTable table(2, values);
    auto [columns, rows, blocks, words] = table.members();
    switch (random() % 5) {
      case 0:
        rows = round % 2 == 0 ? random() : random() % 600;
        break;
      case 1:
        columns = random() % 5;
        break;
      case 2: {
        auto* const bytes = reinterpret_cast<unsigned char*>(blocks.data());
        bytes[random() % (blocks.size() * sizeof blocks[0])] = static_cast<unsigned char>(random());
        break;
      }
      case 3:
        blocks.resize(random() % 10);
        break;
      default:
        words.resize(random() % (2 * words.size()));
    }
    if (!table.sound(2)) continue;
    ++sound;
    std::uint64_t sum = 0;  // a sanitizer detects reads out of bounds
    for (std::size_t row = 0; row < table.size(); ++row)
      sum += static_cast<std::uint64_t>(table.at(row, 0)) + static_cast<std::uint64_t>(table.row<2>(row)[1]);
    CHECK(sum + 1 != 0);
  }
  CHECK(sound > 100);
  CHECK(sound < 15'000);
}
