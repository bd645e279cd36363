// Covers: file_watch
#include "app/system/file_watch.hpp"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include <doctest/doctest.h>

#include "tests/fixtures/eventually.hpp"
#include "tests/fixtures/temporary_folder.hpp"

namespace {

using namespace std::chrono_literals;

}  // namespace

TEST_CASE("writing, replacing, removing and recreating a watched file is reported each time, and only then") {
  const kino_test::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "a.json";
  std::ofstream(path) << "one";
  std::atomic<int> woken{0};
  kino::FileWatch watch([&] { ++woken; }, 1ms);
  CHECK_FALSE(watch.last(path).has_value());
  watch.watch({path});
  REQUIRE(kino_test::eventually([&] { return woken == 1; }));
  REQUIRE(watch.last(path).has_value());
  CHECK(watch.last(path)->stamp == kino::stamp_of(path));

  const auto first_look = watch.last(path)->at;
  REQUIRE(kino_test::eventually([&] { return watch.last(path)->at > first_look + 20ms; }));
  CHECK(woken == 1);

  const auto news = [&](auto change) {
    const int before = woken;
    change();
    REQUIRE(kino_test::eventually(
        [&] { return woken > before && watch.last(path)->stamp == kino::stamp_of(path); }));
  };
  news([&] { std::ofstream(path, std::ios::app) << "two"; });
  news([&] {
    std::ofstream(folder.path() / "b.json") << "onetwo";
    std::filesystem::rename(folder.path() / "b.json", path);
  });
  news([&] { std::filesystem::remove(path); });
  CHECK_FALSE(watch.last(path)->stamp.has_value());
  news([&] { std::ofstream(path) << "again"; });

  watch.watch({});
  CHECK_FALSE(watch.last(path).has_value());
}
