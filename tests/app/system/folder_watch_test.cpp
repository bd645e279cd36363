// Covers: folder_watch
#include "app/system/folder_watch.hpp"

#include <fstream>

#include <doctest/doctest.h>

#include "tests/fixtures/temporary_folder.hpp"

namespace {

using kino::FolderWatch;
using Paths = std::vector<std::filesystem::path>;

void append(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::app) << text;
}

/// Returns options without inotify, so that only time decides whether a file is complete.
FolderWatch::Options by_time(std::size_t most = 100) {
  FolderWatch::Options options;
  options.kernel = false;
  options.quiet = std::chrono::milliseconds(1000);
  options.most_files = most;
  return options;
}

}  // namespace

TEST_CASE("a file is reported once when it has not changed for a while, and again when it changes") {
  const kino_test::TemporaryFolder folder;
  const auto start = FolderWatch::Clock::now();
  const auto at = [&](int ms) { return start + std::chrono::milliseconds(ms); };
  append(folder.path() / "old.json", "old");
  FolderWatch watch(folder.path(), false, by_time(), at(0));
  CHECK_FALSE(watch.uses_inotify());
  append(folder.path() / "new.json", "half");
  append(folder.path() / "empty.json", "");
  CHECK(watch.look(at(100)).empty());
  append(folder.path() / "new.json", " and more");
  CHECK(watch.look(at(900)).empty());
  // The change is assumed to have occurred at 900.
  CHECK(watch.look(at(1500)).empty());
  CHECK(watch.growing() == 2);
  CHECK(watch.look(at(1900)) == Paths{folder.path() / "new.json"});
  CHECK(watch.look(at(9000)).empty());
  CHECK(watch.growing() == 1);
  append(folder.path() / "old.json", " but changed");
  CHECK(watch.look(at(10000)).empty());
  CHECK(watch.look(at(11000)) == Paths{folder.path() / "old.json"});
}

TEST_CASE("existing files are reported on request, sorted by name") {
  const kino_test::TemporaryFolder folder;
  append(folder.path() / "b.pickle", "b");
  append(folder.path() / "a.json", "a");
  append(folder.path() / ".hidden", "x");
  append(folder.path() / "c.json.tmp", "x");
  append(folder.path() / "a.json.kinorank", "x");
  std::filesystem::create_directory(folder.path() / "inner");
  const auto start = FolderWatch::Clock::now();
  FolderWatch watch(folder.path(), true, by_time(), start);
  CHECK(watch.look(start + std::chrono::seconds(2)) ==
        Paths{folder.path() / "a.json", folder.path() / "b.pickle"});
}

TEST_CASE("a file is complete when its writer closes it, if the kernel reports that") {
  const kino_test::TemporaryFolder folder;
  FolderWatch::Options options;
  options.quiet = std::chrono::hours(1);
  FolderWatch watch(folder.path(), false, options);
  REQUIRE(watch.uses_inotify());
  std::ofstream open(folder.path() / "open.json");
  open << "half" << std::flush;
  append(folder.path() / "closed.json", "whole");
  CHECK(watch.look() == Paths{folder.path() / "closed.json"});
  open << " whole";
  open.close();
  append(folder.path() / "x.part", "moved");
  std::filesystem::rename(folder.path() / "x.part", folder.path() / "moved.json");
  watch.wait({});
  CHECK(watch.look() == Paths{folder.path() / "moved.json", folder.path() / "open.json"});
  CHECK(watch.look().empty());
}

TEST_CASE("a missing or too full folder is reported, and deleted files are forgotten") {
  const kino_test::TemporaryFolder folder;
  const std::filesystem::path inner = folder.path() / "inner";
  std::filesystem::create_directory(inner);
  for (int i = 0; i < 20; ++i) append(inner / std::to_string(i), "x");
  const auto start = FolderWatch::Clock::now();
  FolderWatch watch(inner, false, by_time(5), start);
  CHECK_FALSE(watch.problem().empty());
  CHECK(watch.whole() + watch.growing() <= 5);
  std::filesystem::remove_all(inner);
  CHECK(watch.look(start).empty());
  CHECK_FALSE(watch.problem().empty());
  std::filesystem::create_directory(inner);
  CHECK(watch.look(start).empty());
  CHECK(watch.problem().empty());
  CHECK(watch.whole() == 0);
}
