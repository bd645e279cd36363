// Covers: zstd_frame
#include "loaders/bytes/zstd_frame.hpp"

#include <random>

#include <doctest/doctest.h>

#include "tests/fixtures/archive_files.hpp"

TEST_CASE("a zstd frame restores any bytes") {
  std::mt19937 random(5);
  for (const std::size_t size : {0U, 1U, 1000U, 300'000U}) {
    std::string bytes(size, 'a');
    for (std::size_t i = 0; i < size; i += 3) bytes[i] = static_cast<char>(random());
    for (const int level : {1, 9}) {
      const std::string packed = kino::zstd_packed(bytes, level);
      std::string out(size, '\0');
      CHECK(kino::zstd_unpacked(packed, out));
      CHECK(out == bytes);
    }
  }
}

TEST_CASE("a frame of another size than stated is refused") {
  const std::string packed = kino::zstd_packed("twelve bytes", 9);
  std::string out(11, '\0');
  CHECK(!kino::zstd_unpacked(packed, out));
  out.resize(13);
  CHECK(!kino::zstd_unpacked(packed, out));
  out.resize(12);
  CHECK(kino::zstd_unpacked(packed, out));
}

TEST_CASE("invalid and truncated frames are refused") {
  const std::string bytes(5000, 'x');
  const std::string packed = kino::zstd_packed(bytes, 9);
  std::string out(bytes.size(), '\0');
  for (std::size_t size = 0; size + 1 < packed.size(); ++size) {
    CHECK(!kino::zstd_unpacked(std::string_view(packed).substr(0, size), out));
  }
  CHECK(!kino::zstd_unpacked(bytes, out));
  CHECK(!kino::zstd_unpacked(kino_test::gzip(bytes), out));
}

TEST_CASE("a frame within a frame remains unchanged") {
  const std::string inner = kino::zstd_packed(std::string(1000, 'x'), 9);
  std::string out(inner.size(), '\0');
  CHECK(kino::zstd_unpacked(kino::zstd_packed(inner, 9), out));
  CHECK(out == inner);
}
