// Recent files come back newest first, whatever another window or a damaged list did.
#include "app/settings/recent_files.hpp"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>

#include <doctest/doctest.h>

#include "app/system/file_manager.hpp"
#include "app/system/portal_dialog.hpp"
#include "tests/fixtures/eventually.hpp"
#include "tests/fixtures/temporary_folder.hpp"

using kino_test::TemporaryFolder;

namespace {

using kino::RecentFiles;
using Paths = std::vector<std::filesystem::path>;

// A folder that is gone after the test.
}  // namespace

TEST_CASE("the file opened last stands first, once, and survives the program") {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "state" / "recent.json";
  {
    RecentFiles recent(file, [] {});
    CHECK(recent.paths().empty());
    for (const char* path : {"/a/one.json", "/b/two.json", "/a/../a/one.json"}) {
      CHECK_FALSE(recent.add(path).has_value());
    }
    CHECK(recent.paths() == Paths{"/a/one.json", "/b/two.json"});
  }
  RecentFiles again(file, [] {});
  CHECK(again.paths() == Paths{"/a/one.json", "/b/two.json"});
  CHECK_FALSE(again.remove("/a/one.json").has_value());
  CHECK(again.paths() == Paths{"/b/two.json"});
  CHECK_FALSE(again.clear().has_value());
  CHECK(RecentFiles(file, [] {}).paths().empty());
}

TEST_CASE("two windows add to the same list") {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "recent.json";
  RecentFiles first(file, [] {});
  RecentFiles second(file, [] {});
  CHECK_FALSE(first.add("/a").has_value());
  CHECK_FALSE(second.add("/b").has_value());
  CHECK_FALSE(first.add("/c").has_value());
  CHECK(first.paths() == Paths{"/c", "/b", "/a"});
}

TEST_CASE("the list is bounded and without a file it is kept in memory") {
  RecentFiles recent({}, [] {});
  for (int i = 0; i < 100; ++i) CHECK_FALSE(recent.add("/" + std::to_string(i)).has_value());
  CHECK(recent.paths().size() == RecentFiles::kMost);
  CHECK(recent.paths().front() == "/99");
  CHECK_FALSE(recent.add("relative.json").has_value());
  CHECK(recent.paths().front() == "/99");
}

TEST_CASE("a damaged list is an empty one, and entries that are no path are left out") {
  for (const char* text : {"", "{", "[]", "null", "\xff", R"({"files": 5})", R"({"file": ["/a"]})"}) {
    CAPTURE(text);
    CHECK(kino::recent_from_json(text).empty());
  }
  CHECK(kino::recent_from_json(R"({"files": ["/a", 5, "relative", null, "/a", "/b"]})") == Paths{"/a", "/b"});
}

TEST_CASE("a path that is no UTF-8 does not stop the others from being kept") {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "recent.json";
  RecentFiles recent(file, [] {});
  CHECK_FALSE(recent.add("/good").has_value());
  CHECK_FALSE(recent.add("/bad\xff").has_value());
  CHECK(RecentFiles(file, [] {}).paths() == Paths{"/good"});
}

TEST_CASE("sizes and missing files are found in the background") {
  const TemporaryFolder folder;
  const std::filesystem::path here = folder.path() / "here.json";
  std::ofstream(here) << "12345";
  std::atomic<bool> woken = false;
  RecentFiles recent({}, [&] { woken = true; });
  CHECK_FALSE(recent.add(here).has_value());
  CHECK_FALSE(recent.add("/nonexistent/gone.json").has_value());
  CHECK(recent.status(here).kind == RecentFiles::Status::Kind::unknown);
  recent.refresh();
  REQUIRE(kino_test::eventually([&] { return woken.load(); }));
  CHECK(recent.status(here).kind == RecentFiles::Status::Kind::present);
  CHECK(recent.status(here).size_bytes == 5);
  CHECK(recent.status("/nonexistent/gone.json").kind == RecentFiles::Status::Kind::missing);
}

TEST_CASE("a path becomes a URI and comes back") {
  CHECK(kino::uri_from_path("/a b/100%/ü#?.json") == "file:///a%20b/100%25/%C3%BC%23%3F.json");
  for (const char* path : {"/", "/a/b.json", "/a b/%41/\xff", "/日本/トレース.json"}) {
    CHECK(kino::path_from_uri(kino::uri_from_path(path)) == path);
  }
}
