// Covers: index_file, trace_check
#include "loaders/cache/index_file.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <string>

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/trace/trace_check.hpp"
#include "tests/fixtures/archive_files.hpp"
#include "tests/fixtures/cache_fixture.hpp"
#include "tests/fixtures/same_trace.hpp"

namespace {

namespace fs = std::filesystem;
using Cache = kino_test::TestCache;
using kino_test::random_trace;

/// Returns the trace that read_trace() reads from these bytes; null if it rejects them.
std::shared_ptr<const kino::Trace> read_back(const std::string& index, std::uint64_t text_bytes) {
  const int fd = ::memfd_create("index", MFD_CLOEXEC);
  REQUIRE(::write(fd, index.data(), index.size()) == static_cast<ssize_t>(index.size()));
  const auto head = kino::read_index_head(fd);
  auto trace = head ? kino::read_trace(fd, *head, text_bytes, 1, {}).trace : nullptr;
  ::close(fd);
  return trace;
}

}  // namespace

TEST_CASE("a truncated or changed cache file is not used, and is replaced") {
  Cache cache;
  const fs::path path =
      cache.folder.write("trace.json.zst", kino_test::compressed("zstd", random_trace(3, 40)));
  REQUIRE(cache.open(path).ok());
  const auto fresh = cache.open(path);
  const fs::path file = cache.file();
  const std::string whole = kino_test::file_content(file);
  const std::uint64_t text_bytes = fresh.value().stats.text_bytes;
  const auto put = [&](const std::string& bytes) { std::ofstream(file, std::ios::binary) << bytes; };
  std::mt19937 random(1);
  for (std::size_t length = 0; length < whole.size(); length += 1 + random() % 5) {
    REQUIRE(read_back(whole.substr(0, length), text_bytes) == nullptr);
  }
  for (const std::size_t length : {std::size_t{0}, whole.size() / 2, whole.size() - 1}) {
    put(whole.substr(0, length));
    const auto opened = cache.open(path);
    REQUIRE(opened.ok());
    CHECK_FALSE(opened.value().from_cache);
    CHECK(kino_test::file_content(cache.file()) == whole);
    REQUIRE_FALSE(cache.refused.empty());
    CHECK(cache.refused.back().ends_with(
        "another build of the program wrote its file, or the file is damaged"));
    cache.refused.clear();
  }
  std::string flipped = whole;
  const std::size_t in_columns = text_bytes + (whole.size() - text_bytes) / 4;
  for (std::size_t i = in_columns; i < in_columns + 64; ++i) flipped[i] = static_cast<char>(~flipped[i]);
  put(flipped);
  CHECK_FALSE(cache.open(path).value().from_cache);
  REQUIRE(cache.refused.size() == 1);
  CHECK(cache.refused.back().ends_with("because it is damaged"));
  int caught = 0;
  for (std::size_t i = text_bytes; i < whole.size(); i += 1 + random() % 13) {
    std::string bytes = whole;
    bytes[i] = static_cast<char>(bytes[i] ^ (1U << random() % 8));
    // The gaps between columns are not read.
    const auto trace = read_back(bytes, text_bytes);
    if (!trace) {
      ++caught;
      continue;
    }
    CHECK(whole[i] == '\0');
    CHECK(kino_test::difference(*fresh.value().trace, *trace) == "");
  }
  CHECK(caught > 0);
}

TEST_CASE("an index of another version or program is not used, even with valid checksums") {
  Cache cache;
  const fs::path path = cache.folder.write("trace.json", random_trace(4, 100));
  const auto fresh = cache.open(path);
  const std::string whole = kino_test::file_content(cache.file());
  std::string resealed = whole;
  kino::update_index_checksums(resealed);
  CHECK(resealed == whole);
  constexpr std::size_t kFooter = 17 * 8;
  for (const std::size_t field : {0, 1, 2, 3}) {  // magic, version, program, layout
    std::string other = whole;
    other[other.size() - kFooter + field * 8] ^= 1;
    kino::update_index_checksums(other);
    CHECK(other.substr(other.size() - 8) != whole.substr(whole.size() - 8));
    CHECK(read_back(other, fs::file_size(path)) == nullptr);
  }
}

TEST_CASE("a hostile index with valid checksums gives a consistent trace or none" *
          doctest::test_suite("serial")) {
  Cache cache;
  const fs::path path = cache.folder.write("trace.json", random_trace(5, 150));
  const auto fresh = cache.open(path);
  const std::string whole = kino_test::file_content(cache.file());
  std::mt19937 random(7);
  int refused = 0;
  int accepted = 0;
  for (int i = 0; i < 6000; ++i) {
    std::string bytes = whole;
    for (unsigned n = 1 + random() % 3; n > 0; --n) {
      const std::size_t at = random() % bytes.size();
      bytes[at] = static_cast<char>(random() % 3 == 0 ? random() : bytes[at] ^ (1U << random() % 8));
    }
    kino::update_index_checksums(bytes);
    const auto trace = read_back(bytes, fs::file_size(path));
    ++(trace ? accepted : refused);
    if (trace) REQUIRE(kino::is_consistent(*trace, 1, {}));
  }
  CHECK(refused > 500);
  CHECK(accepted > 500);
}

TEST_CASE("an index too large for its text is refused before memory is allocated") {
  Cache cache;
  const fs::path path = cache.folder.write("trace.json", random_trace(6, 2000));
  const auto fresh = cache.open(path);
  const std::string whole = kino_test::file_content(cache.file());
  CHECK(read_back(whole, fs::file_size(path)) != nullptr);
  CHECK(read_back(whole, 100) == nullptr);
}
