// Covers: cache_after
// A trace read by one command is cached for the next one.
#include "app/cli/cache_after.hpp"

#include <doctest/doctest.h>

#include "loaders/formats/open.hpp"
#include "tests/fixtures/temporary_folder.hpp"

TEST_CASE("caches a trace after the answer, unless the cache is not used") {
  const kino_test::TemporaryFolder folder;
  const auto path = folder.write(
      "trace.json", R"({"traceEvents": [{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 0, "dur": 1}]})");
  for (const bool uses_cache : {false, true}) {
    kino::OpenOptions options;
    options.threads = 1;
    options.cache_directory = folder.path() / (uses_cache ? "used" : "unused");
    options.cache.look = uses_cache;
    options.cache.least_text_bytes = 0;
    const kino::OpenOptions plain = options;
    kino::LoadProgress progress;
    kino::CacheAfter kept(options);
    REQUIRE(kino::open_trace(path, options, progress, {}).ok());
    CHECK(kino::cache_entries(options.cache_directory).empty());
    kept.keep();
    CHECK(kino::cache_entries(options.cache_directory).empty() == !uses_cache);
    const auto again = kino::open_trace(path, plain, progress, {});
    REQUIRE(again.ok());
    CHECK(again.value().from_cache == uses_cache);
  }
}

TEST_CASE("caches nothing if a file cannot be opened") {
  const kino_test::TemporaryFolder folder;
  kino::OpenOptions options;
  options.cache_directory = folder.path() / "cache";
  options.cache.least_text_bytes = 0;
  kino::LoadProgress progress;
  kino::CacheAfter kept(options);
  REQUIRE(!kino::open_trace(folder.write("empty.json", ""), options, progress, {}).ok());
  kept.keep();
  CHECK(kino::cache_entries(options.cache_directory).empty());
}
