// Covers: recent_files
// Recent files are listed newest first, even if another window changed the list or the list is damaged.
#include "app/shell/settings/recent_files.hpp"

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

using kino::RecentFile;
using kino::RecentFiles;
using Files = std::vector<RecentFile>;

}  // namespace

TEST_CASE("lists the last opened file first, once, also after a restart") {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "state" / "recent.json";
  {
    RecentFiles recent(file, [] {});
    CHECK(recent.files().empty());
    for (const char* path : {"/a/one.json", "/b/two.json", "/a/../a/one.json"}) {
      CHECK_FALSE(recent.add({path, {}}).has_value());
    }
    CHECK(recent.files() == Files{{"/a/one.json", {}}, {"/b/two.json", {}}});
  }
  RecentFiles again(file, [] {});
  CHECK(again.files() == Files{{"/a/one.json", {}}, {"/b/two.json", {}}});
  CHECK_FALSE(again.remove({"/a/one.json", {}}).has_value());
  CHECK(again.files() == Files{{"/b/two.json", {}}});
  CHECK_FALSE(again.clear().has_value());
  CHECK(RecentFiles(file, [] {}).files().empty());
}

TEST_CASE("two windows add to the same list") {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "recent.json";
  RecentFiles first(file, [] {});
  RecentFiles second(file, [] {});
  CHECK_FALSE(first.add({"/a", {}}).has_value());
  CHECK_FALSE(second.add({"/b", {}}).has_value());
  CHECK_FALSE(first.add({"/c", {}}).has_value());
  CHECK(first.files() == Files{{"/c", {}}, {"/b", {}}, {"/a", {}}});
}

TEST_CASE("limits the list, and keeps it in memory without a file") {
  RecentFiles recent({}, [] {});
  for (int i = 0; i < 100; ++i) CHECK_FALSE(recent.add({"/" + std::to_string(i), {}}).has_value());
  CHECK(recent.files().size() == RecentFiles::kMost);
  CHECK(recent.files().front().path == "/99");
  CHECK_FALSE(recent.add({"relative.json", {}}).has_value());
  CHECK(recent.files().front().path == "/99");
}

TEST_CASE("a damaged list is empty, and entries that are not paths are skipped") {
  for (const char* text : {"", "{", "[]", "null", "\xff", R"({"files": 5})", R"({"file": ["/a"]})"}) {
    CAPTURE(text);
    CHECK(kino::recent_from_json(text).empty());
  }
  CHECK(kino::recent_from_json(R"({"files": ["/a", 5, "relative", null, "/a", "/b"]})") ==
        Files{{"/a", {}}, {"/b", {}}});
}

TEST_CASE(
    "files opened together are one entry, other files with equal names are another, and both are restored") {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "recent.json";
  const RecentFile job{"/a/rank0 + 1", {"/a/rank0.json", "/a/rank1.json"}};
  const RecentFile other{"/a/rank0 + 1", {"/a/rank0.json", "/a/rank2.json"}};
  RecentFiles recent(file, [] {});
  CHECK_FALSE(recent.add(job).has_value());
  CHECK_FALSE(recent.add({"/b", {}}).has_value());
  CHECK_FALSE(recent.add(other).has_value());
  CHECK_FALSE(recent.add({"/a/rank0 + 1", {"/a/../a/rank0.json", "/a/rank1.json"}}).has_value());
  CHECK(RecentFiles(file, [] {}).files() == Files{job, other, {"/b", {}}});
  CHECK_FALSE(recent.add({"/a/rank0 + 1", {"rank0.json", "/a/rank1.json"}}).has_value());
  CHECK_FALSE(recent.remove(other).has_value());
  CHECK(RecentFiles(file, [] {}).files() == Files{job, {"/b", {}}});
}

TEST_CASE("rejects entries of several files without a list of paths") {
  for (const char* entry : {R"({})", R"({"name": "/a"})", R"({"name": "/a", "files": []})",
                            R"({"name": "/a", "files": "/b"})", R"({"name": "/a", "files": ["b"]})",
                            R"({"name": "a", "files": ["/b"]})", R"({"name": "/a", "files": ["/b", 5]})"}) {
    CAPTURE(entry);
    CHECK(kino::recent_from_json(R"({"files": [)" + std::string(entry) + R"(, "/good"]})") ==
          Files{{"/good", {}}});
  }
}

TEST_CASE("reports the size of the remaining files, and missing if only one remains") {
  const TemporaryFolder folder;
  std::atomic<bool> woken = false;
  RecentFiles recent({}, [&] { woken = true; });
  RecentFile job{folder.path() / "a + 2", {}};
  for (const char* name : {"a", "b", "c"}) job.members.push_back(folder.path() / name);
  for (const int i : {0, 1}) std::ofstream(job.members[static_cast<std::size_t>(i)]) << "12345";
  RecentFile gone = job;
  gone.members.erase(gone.members.begin());
  CHECK_FALSE(recent.add(job).has_value());
  CHECK_FALSE(recent.add(gone).has_value());
  recent.refresh();
  REQUIRE(kino_test::eventually([&] { return woken.load(); }));
  CHECK(recent.status(job).kind == RecentFiles::Status::Kind::present);
  CHECK(recent.status(job).size_bytes == 10);
  CHECK(recent.status(gone).kind == RecentFiles::Status::Kind::missing);
}

TEST_CASE("a path with invalid UTF-8 does not prevent others from being stored") {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "recent.json";
  RecentFiles recent(file, [] {});
  CHECK_FALSE(recent.add({"/good", {}}).has_value());
  CHECK_FALSE(recent.add({"/bad\xff", {}}).has_value());
  CHECK(RecentFiles(file, [] {}).files() == Files{{"/good", {}}});
}

TEST_CASE("sizes and missing files are found in the background") {
  const TemporaryFolder folder;
  const std::filesystem::path here = folder.path() / "here.json";
  std::ofstream(here) << "12345";
  std::atomic<bool> woken = false;
  RecentFiles recent({}, [&] { woken = true; });
  CHECK_FALSE(recent.add({here, {}}).has_value());
  CHECK_FALSE(recent.add({"/nonexistent/gone.json", {}}).has_value());
  CHECK(recent.status({here, {}}).kind == RecentFiles::Status::Kind::unknown);
  recent.refresh();
  REQUIRE(kino_test::eventually([&] { return woken.load(); }));
  CHECK(recent.status({here, {}}).kind == RecentFiles::Status::Kind::present);
  CHECK(recent.status({here, {}}).size_bytes == 5);
  CHECK(recent.status({"/nonexistent/gone.json", {}}).kind == RecentFiles::Status::Kind::missing);
}

TEST_CASE("a path is converted to a URI and back") {
  CHECK(kino::uri_from_path("/a b/100%/ü#?.json") == "file:///a%20b/100%25/%C3%BC%23%3F.json");
  for (const char* path : {"/", "/a/b.json", "/a b/%41/\xff", "/日本/トレース.json"}) {
    CHECK(kino::path_from_uri(kino::uri_from_path(path)) == path);
  }
}

TEST_CASE("an entry keeps the kind and verdict of its last opening, also when it is opened again") {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "recent.json";
  {
    RecentFiles recent(file, [] {});
    CHECK_FALSE(recent.add({"/a/one.json", {}}).has_value());
    CHECK_FALSE(recent.add({"/b", {}}).has_value());
    CHECK(recent.files()[1].facts.opened_s > 1'700'000'000);
    CHECK_FALSE(recent.describe({"/a/../a/one.json", {}}, "timeline", "The GPU waits").has_value());
    CHECK_FALSE(recent.describe({"/unknown", {}}, "job", "nothing").has_value());
    CHECK_FALSE(recent.add({"/a/one.json", {}}).has_value());
  }
  const RecentFiles again(file, [] {});
  REQUIRE(again.files() == Files{{"/a/one.json", {}}, {"/b", {}}});
  CHECK(again.files()[0].facts.kind == "timeline");
  CHECK(again.files()[0].facts.verdict == "The GPU waits");
  CHECK(again.files()[0].facts.opened_s > 1'700'000'000);
  CHECK(again.files()[1].facts.verdict.empty());
}

TEST_CASE("a verdict is cut between characters, and invalid text in it does not damage the list") {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "recent.json";
  std::string verdict;
  for (int i = 0; i < 500; ++i) verdict += "あ";
  {
    RecentFiles recent(file, [] {});
    CHECK_FALSE(recent.add({"/a", {}}).has_value());
    CHECK_FALSE(recent.add({"/b", {}}).has_value());
    CHECK_FALSE(recent.describe({"/a", {}}, "timeline", verdict).has_value());
    CHECK_FALSE(recent.describe({"/b", {}}, "timeline", "name \xff of a kernel").has_value());
  }
  const RecentFiles again(file, [] {});
  REQUIRE(again.files().size() == 2);
  const std::string& cut = again.files()[1].facts.verdict;
  CHECK(cut.size() <= kino::kMostVerdictBytes);
  CHECK(cut.size() > kino::kMostVerdictBytes - 6);
  CHECK(cut.ends_with("あ…"));
  CHECK(again.files()[0].facts.verdict.starts_with("name "));
}

TEST_CASE("facts of other lists, of wrong types, and longer than the limit are left out") {
  const auto facts = [](const std::string& list) {
    const Files files =
        kino::recent_from_json(R"({"files": ["/a", "relative", "/b"], "facts": )" + list + "}");
    REQUIRE(files == Files{{"/a", {}}, {"/b", {}}});
    return files[1].facts;
  };
  CHECK(facts(R"([{}, {}, {"kind": "job", "verdict": "slow", "opened": 7}])") ==
        kino::RecentFacts{"job", "slow", 7});
  for (const std::string list :
       {R"([{"kind": "job"}])", "5", "null", R"([{}, {}, 5])", R"([{}, {}, {"kind": 5, "opened": "x"}])"}) {
    CAPTURE(list);
    CHECK(facts(list) == kino::RecentFacts{});
  }
  CHECK(facts(R"([{}, {}, {"verdict": ")" + std::string(10'000, 'x') + R"("}])").verdict.empty());
}

TEST_CASE("a missing file names the outermost folder that does not exist") {
  const TemporaryFolder folder;
  std::atomic<bool> woken = false;
  RecentFiles recent({}, [&] { woken = true; });
  const RecentFile gone{folder.path() / "unmounted" / "runs" / "a.json", {}};
  const RecentFile removed{folder.path() / "b.json", {}};
  CHECK_FALSE(recent.add(gone).has_value());
  CHECK_FALSE(recent.add(removed).has_value());
  recent.refresh();
  REQUIRE(kino_test::eventually([&] { return woken.load(); }));
  CHECK(recent.status(gone).absent == folder.path() / "unmounted");
  CHECK(recent.status(removed).absent == removed.path);
  CHECK_FALSE(recent.status(removed).denied);
}
