// Covers: folder_feed
// Reports complete files in a folder that a run writes to, and the resulting tabs.
#include "app/shell/documents/folder_feed.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "app/shell/documents/session.hpp"
#include "app/system/offscreen_context.hpp"
#include "tests/fixtures/eventually.hpp"
#include "tests/fixtures/temporary_folder.hpp"

namespace {

using kino::ContainedTrace;
using kino::FolderFeed;

constexpr const char* kFeedSnapshot =
    R"({"segments": [], "device_traces": [[{"action": "alloc", "addr": 65536, "size": 1000, "stream": 0,)"
    R"( "time_us": 5, "frames": []}]]})";
constexpr const char* kFeedTrace =
    R"({"traceEvents":[{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":1,"dur":1}]})";

kino::FolderWatch::Options at_once() {
  kino::FolderWatch::Options options;
  options.interval = std::chrono::milliseconds(20);
  options.quiet = std::chrono::milliseconds(40);
  return options;
}

/// Writes a file that appears complete, like writers that rename a finished file.
void put(const kino_test::TemporaryFolder& folder, const std::string& name, const std::string& text) {
  const std::filesystem::path half = folder.path() / (name + ".tmp");
  std::ofstream(half) << text;
  std::filesystem::rename(half, folder.path() / name);
}

}  // namespace

TEST_CASE("reports new recordings, but neither existing nor other files") {
  const kino_test::TemporaryFolder folder;
  put(folder, "rank0.pickle", kFeedSnapshot);
  FolderFeed feed(
      folder.path() / "rank0.pickle", [] {}, at_once());
  REQUIRE(kino_test::eventually([&] { return !feed.folder().empty(); }));
  CHECK(feed.folder() == folder.path());
  REQUIRE(feed.snapshots_there().size() == 1);
  put(folder, "notes.txt", "nothing that is a recording");
  put(folder, "rank1.pickle", kFeedSnapshot);
  put(folder, "step.json", kFeedTrace);
  std::vector<ContainedTrace> found;
  REQUIRE(kino_test::eventually([&] {
    for (ContainedTrace& it : feed.take()) found.push_back(std::move(it));
    return found.size() >= 2;
  }));
  REQUIRE(found.size() == 2);
  std::ranges::sort(found, {}, &ContainedTrace::name);
  CHECK(found[0].name == "rank1.pickle");
  CHECK(found[0].rank == 1);
  CHECK(found[0].snapshot);
  CHECK_FALSE(found[1].snapshot);
  CHECK(feed.problem().empty());
}

TEST_CASE(
    "new snapshots form one page next to the current one and are added to it; new traces open in tabs") {
  auto context = kino::OffscreenContext::make(64, 64);
  REQUIRE_MESSAGE(context.ok(), context.error().what.str());
  const kino_test::TemporaryFolder folder;
  put(folder, "first.json", kFeedTrace);
  kino::Session session([] {}, [](const kino::Document&) {});
  const std::vector<std::filesystem::path> files{folder.path() / "first.json"};
  session.open(files);
  const auto settled = [&](auto holds) {
    return kino_test::eventually([&] {
      session.poll();
      return !session.loading() && holds();
    });
  };
  REQUIRE(settled([&] { return session.document(0).kind() == kino::PageKind::timeline; }));
  session.watch_folder(folder.path(), at_once());
  std::optional<kino::Session::FolderNews> news;
  REQUIRE(settled([&] { return (news = session.take_folder_news()).has_value(); }));
  CHECK(news->begins);
  CHECK(news->names.empty());

  put(folder, "bs8.pickle", kFeedSnapshot);
  REQUIRE(settled([&] { return session.size() == 2; }));
  CHECK(session.document(1).kind() == kino::PageKind::snapshots);
  CHECK(session.active() == 0);
  put(folder, "bs16.pickle", kFeedSnapshot);
  put(folder, "second.json", kFeedTrace);
  REQUIRE(settled([&] { return session.size() == 3; }));
  REQUIRE(settled([&] { return session.document(2).kind() == kino::PageKind::timeline; }));
  CHECK(session.active() == 0);
  news = session.take_folder_news();
  REQUIRE(news);
  CHECK(news->names.size() == 3);
  CHECK(news->not_opened == 0);

  session.stop_watching();
  CHECK_FALSE(session.watching());
  put(folder, "third.json", kFeedTrace);
  session.poll();
  CHECK(session.size() == 3);
}
