// Covers: huge_memory
#include "core/base/huge_memory.hpp"

#include <algorithm>
#include <cstdint>
#include <new>
#include <utility>

#include <doctest/doctest.h>

using kino::Column;
using kino::RecordList;

TEST_CASE("a column is initially zero and keeps written values, below and above a huge page") {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, std::size_t{1} << 20}) {
    Column<std::uint64_t> column(size);
    REQUIRE(column.size() == size);
    for (std::size_t i = 0; i < size; i += 997) CHECK(column[i] == 0);
    for (std::size_t i = 0; i < size; ++i) column[i] = i * 3;
    const Column<std::uint64_t> moved = std::move(column);
    for (std::size_t i = 0; i < size; i += 101) CHECK(moved[i] == i * 3);
  }
}

TEST_CASE("releasing a part leaves the rest unchanged") {
  constexpr std::size_t kSize = (std::size_t{8} << 20) / sizeof(std::uint64_t);
  Column<std::uint64_t> column(kSize);
  for (std::size_t i = 0; i < kSize; ++i) column[i] = i;
  column.release(100, kSize / 2 + 5);
  for (std::size_t i = 0; i < 100; ++i) CHECK(column[i] == i);
  for (std::size_t i = kSize / 2 + 5; i < kSize; i += 7) CHECK(column[i] == i);
}

TEST_CASE("a size that does not fit memory throws bad_alloc instead of overflowing") {
  CHECK_THROWS_AS(Column<std::uint64_t>(SIZE_MAX / 4), std::bad_alloc);
}

TEST_CASE("a record list keeps records in order over many blocks") {
  RecordList<std::uint64_t> list;
  constexpr std::uint64_t kCount = 700'000;
  for (std::uint64_t i = 0; i < kCount; ++i) list.push_back(i);
  CHECK(list.size() == kCount);
  std::uint64_t expected = 0;
  for (const auto& block : list.blocks()) {
    for (const std::uint64_t value : block.span()) CHECK(value == expected++);
  }
  CHECK(expected == kCount);
  list.clear();
  CHECK(list.size() == 0);
  CHECK(list.blocks().empty());
}

TEST_CASE("the rest of a block begins with the requested record, in any block") {
  RecordList<std::uint64_t> list;
  constexpr std::uint64_t kCount = 900'000;
  for (std::uint64_t i = 0; i < kCount; ++i) list.push_back(i);
  std::uint64_t number = 0;
  while (number < kCount) {
    const auto rest = list.rest_of_block(number);
    REQUIRE_FALSE(rest.empty());
    CHECK(rest.front() == number);
    CHECK(rest.back() == number + rest.size() - 1);
    const auto last = list.rest_of_block(number + rest.size() - 1);
    CHECK(last.size() == 1);
    number += rest.size();
  }
  CHECK(number == kCount);
}

TEST_CASE("a block of records is freed when all of it has been released, in any order") {
  RecordList<std::uint64_t> list;
  constexpr std::uint64_t kCount = 900'000;
  for (std::uint64_t i = 0; i < kCount; ++i) list.push_back(i);
  const auto blocks_held = [&] {
    return std::count_if(list.blocks().begin(), list.blocks().end(),
                         [](const auto& block) { return !block.records.empty(); });
  };
  const auto all = static_cast<std::ptrdiff_t>(list.blocks().size());
  REQUIRE(all > 3);
  list.release(100, 256);
  CHECK(blocks_held() == all);
  list.release(0, 100);
  CHECK(blocks_held() == all - 1);
  list.release(300, kCount);
  CHECK(blocks_held() == 1);
  CHECK(list.rest_of_block(256).front() == 256);
  list.release(256, 300);
  CHECK(blocks_held() == 0);
  CHECK(list.size() == kCount);
}
