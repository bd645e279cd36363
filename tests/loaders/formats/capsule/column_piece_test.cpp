// Covers: column_piece
#include "loaders/formats/capsule/column_piece.hpp"

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include <doctest/doctest.h>

namespace {

using kino::PieceCoding;

template <class T>
void check_back(const std::vector<T>& values) {
  const std::span<const char> bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  for (const PieceCoding coding : {PieceCoding::plain, PieceCoding::planes, PieceCoding::deltas}) {
    const std::string coded = kino::coded_piece(bytes, sizeof(T), coding);
    CHECK(coded.size() == bytes.size());
    std::vector<T> back(values.size());
    kino::decode_piece(coded, {reinterpret_cast<char*>(back.data()), bytes.size()}, sizeof(T), coding);
    CHECK(std::ranges::equal(std::as_bytes(std::span(back)), std::as_bytes(std::span(values))));
  }
}

template <class T>
void check_random() {
  std::mt19937_64 random(sizeof(T));
  for (const std::size_t count : {0U, 1U, 2U, 1000U}) {
    std::vector<T> values(count);
    for (T& value : values) value = static_cast<T>(random());
    check_back(values);
  }
}

}  // namespace

TEST_CASE("every coding restores a piece of a column") {
  check_random<std::uint8_t>();
  check_random<std::uint16_t>();
  check_random<std::uint32_t>();
  check_random<std::int64_t>();
  check_back<std::int64_t>({INT64_MIN, INT64_MAX, 0, -1, 1, INT64_MIN});
  check_back<double>({0.0, -0.0, 1e300, 3.25});
}

TEST_CASE("planes group bytes by significance, and deltas of similar neighbors are small") {
  const std::vector<std::uint16_t> values{0x0102, 0x0304};
  const std::span<const char> bytes(reinterpret_cast<const char*>(values.data()), 4);
  CHECK(kino::coded_piece(bytes, 2, PieceCoding::planes) == "\x02\x04\x01\x03");
  const std::vector<std::uint32_t> near{1'000'000, 1'000'001, 1'000'000};
  const std::string coded =
      kino::coded_piece({reinterpret_cast<const char*>(near.data()), 12}, 4, PieceCoding::deltas);
  CHECK(coded[1] == 2);  // one up
  CHECK(coded[2] == 1);  // one down
  CHECK(coded.substr(4, 2).substr(1) == std::string(1, '\0'));
}

TEST_CASE("elements of odd sizes are stored unchanged") {
  CHECK(kino::has_coding(24, PieceCoding::plain));
  CHECK(!kino::has_coding(24, PieceCoding::planes));
  CHECK(!kino::has_coding(16, PieceCoding::deltas));
  CHECK(kino::has_coding(8, PieceCoding::deltas));
}
