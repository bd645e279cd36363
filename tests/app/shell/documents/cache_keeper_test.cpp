// Covers: cache_keeper, cache_command
// Writes traces to the cache in the background; the command line lists them.
#include "app/shell/documents/cache_keeper.hpp"

#include <chrono>
#include <fstream>
#include <thread>

#include <doctest/doctest.h>

#include "app/cli/cache_command.hpp"
#include "loaders/formats/open.hpp"
#include "tests/fixtures/eventually.hpp"
#include "tests/fixtures/temporary_folder.hpp"

namespace {

std::string some_events() {
  std::string text = R"({"traceEvents": [{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 0, "dur": 1})";
  for (int i = 1; i < 200; ++i) {
    text +=
        R"(,{"ph": "X", "name": "b", "pid": 1, "tid": 1, "dur": 1, "ts": )" + std::to_string(10 * i) + "}";
  }
  return text + "]}";
}

}  // namespace

TEST_CASE("caches a trace in the background and finds it at the next opening") {
  const kino_test::TemporaryFolder folder;
  const auto path = folder.write("trace.json", some_events());
  kino::OpenOptions options;
  options.threads = 1;
  options.cache_directory = folder.path() / "cache";
  options.cache.least_text_bytes = 0;
  kino::LoadProgress progress;
  {
    kino::CacheKeeper keeper;
    kino::OpenOptions keeping = options;
    keeping.cache.keep = [&](const kino::OpenedTrace& opened) { keeper.add(opened, options); };
    REQUIRE(kino::open_trace(path, keeping, progress, {}).ok());
    CHECK(kino_test::eventually([&] { return !kino::cache_entries(options.cache_directory).empty(); }));
  }
  const auto again = kino::open_trace(path, options, progress, {});
  REQUIRE(again.ok());
  CHECK(again.value().from_cache);
  CHECK(again.value().trace->slice_count() == 200);
}

TEST_CASE("leaves no partial file if destroyed at once") {
  const kino_test::TemporaryFolder folder;
  const auto path = folder.write("trace.json", some_events());
  kino::OpenOptions options;
  options.threads = 1;
  options.cache_directory = folder.path() / "cache";
  kino::LoadProgress progress;
  const auto opened = kino::open_trace(path, options, progress, {});
  REQUIRE(opened.ok());
  {
    kino::CacheKeeper keeper;
    keeper.add(opened.value(), options);
  }
  CHECK(kino::cache_entries(options.cache_directory).empty());
}

TEST_CASE("lists sizes, ages and sources of cached traces with terminal escapes removed") {
  constexpr std::int64_t kHourNs = 3'600'000'000'000;
  const std::vector<kino::CacheEntry> entries = {{"/c/1", "/data/a.json", 3'000'000, 100 * kHourNs - 1},
                                                 {"/c/2", "/data/\x1b[2J.json", 1'000'000, 90 * kHourNs},
                                                 {"/c/3", "", 500'000, 10 * kHourNs}};
  const std::string text = kino::cache_text("/c", entries, 100 * kHourNs);
  CHECK(text.find("within the hour  /data/a.json\n") != std::string::npos);
  CHECK(text.find("10 h ago") != std::string::npos);
  CHECK(text.find("3 days ago  (from another build of the program)\n") != std::string::npos);
  CHECK(text.find("4.50 MB  in /c") != std::string::npos);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(kino::cache_text("/c", {}, 0).find("0 B  in /c") != std::string::npos);
}
