// Covers: page_downloads, file_downloads
#include "app/cli/serve/page_downloads.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <sys/socket.h>

#include "app/system/window_talk.hpp"
#include "tests/fixtures/temporary_folder.hpp"

using kino::PageDownloads;
using kino::SessionChannel;
using MessageKind = kino::SessionMessage::Kind;

namespace {

/// A session that downloads files, and the server that receives its messages.
struct DownloadingSession {
  kino_test::TemporaryFolder folder;
  std::filesystem::path own = folder.path() / "own";
  std::array<int, 2> ends = connected();
  SessionChannel session{kino::Descriptor(ends[0])};
  SessionChannel server{kino::Descriptor(ends[1])};
  std::optional<kino::SessionFolder> files{std::in_place, own};
  std::optional<PageDownloads> downloads{std::in_place, session, *files};

  static std::array<int, 2> connected() {
    std::array<int, 2> ends{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
    const int room = 4 << 20;  // for all pieces on the way, since nothing reads while they are sent
    ::setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    return ends;
  }
  std::string save(const std::string& name, const std::string& content) {
    const std::filesystem::path path = downloads->path_for(name);
    REQUIRE_FALSE(path.empty());
    std::ofstream(path, std::ios::binary) << content;
    return kino::report_saved(path);
  }
  /// Returns the size of the file that is announced.
  std::size_t announced(const std::string& name) {
    const auto message = server.receive();
    REQUIRE(message);
    REQUIRE(message->kind == MessageKind::text);
    const auto json = nlohmann::json::parse(message->content);
    CHECK(json["t"] == "file");
    CHECK(json["name"] == name);
    return json["size"].get<std::size_t>();
  }
  std::optional<std::string> piece() {
    const auto message = server.receive();
    if (!message) return std::nullopt;
    REQUIRE(message->kind == MessageKind::file);
    REQUIRE(message->content.size() <= PageDownloads::kPieceBytes + 4);
    CHECK(message->content.substr(0, 4) == std::string(4, '\0'));
    return message->content.substr(4);
  }
  bool is_clean() const { return !std::filesystem::exists(own) || std::filesystem::is_empty(own); }
};

std::string numbered_bytes(std::size_t size) {
  std::string text(size, '\0');
  for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i % 251);
  return text;
}

}  // namespace

TEST_CASE("files arrive one after the other in acknowledged pieces, and are removed") {
  DownloadingSession page;
  const std::string large = numbered_bytes(10 * PageDownloads::kPieceBytes + 7);
  CHECK(page.save("a.csv", large) == "a.csv");
  CHECK(page.save("a.csv", "x") == "a.csv");
  CHECK(page.save("empty.csv", "").find('/') == std::string::npos);
  CHECK(page.announced("a.csv") == large.size());
  std::string content;
  for (int i = 0; i < PageDownloads::kMostPiecesOnTheWay; ++i) content += page.piece().value();
  CHECK_FALSE(page.piece());
  while (content.size() < large.size()) {
    page.downloads->acknowledged();
    content += page.piece().value();
  }
  CHECK(content == large);
  CHECK_FALSE(page.piece());
  for (int i = 0; i < PageDownloads::kMostPiecesOnTheWay; ++i) page.downloads->acknowledged();
  CHECK(page.announced("a.csv") == 1);
  CHECK(page.piece() == "x");
  page.downloads->acknowledged();
  CHECK(page.announced("empty.csv") == 0);
  CHECK_FALSE(page.server.receive());
  CHECK(page.is_clean());
}

TEST_CASE("a new page receives the whole file, and a lost page receives nothing") {
  DownloadingSession page;
  const std::string content = numbered_bytes(PageDownloads::kPieceBytes + 1);
  page.save("a.svg", content);
  CHECK(page.announced("a.svg") == content.size());
  CHECK(page.piece());
  CHECK(page.piece());
  page.downloads->detach();
  page.downloads->acknowledged();
  page.save("b.svg", "b");
  CHECK_FALSE(page.server.receive());
  page.downloads->attach();
  CHECK(page.announced("a.svg") == content.size());
  std::string again = page.piece().value();
  again += page.piece().value();
  CHECK(again == content);
  page.downloads->acknowledged();
  page.downloads->acknowledged();
  CHECK(page.announced("b.svg") == 1);
}

TEST_CASE("acknowledgements without a file change nothing") {
  DownloadingSession page;
  for (int i = 0; i < 10; ++i) page.downloads->acknowledged();
  page.save("a.csv", numbered_bytes(20 * PageDownloads::kPieceBytes));
  page.announced("a.csv");
  int pieces = 0;
  while (page.piece()) ++pieces;
  CHECK(pieces == PageDownloads::kMostPiecesOnTheWay);
}

TEST_CASE("without downloads, saved files keep their paths") {
  DownloadingSession page;
  CHECK(kino::file_downloads() == &*page.downloads);
  page.downloads.reset();
  CHECK(kino::file_downloads() == nullptr);
  CHECK(kino::report_saved("/shared/a.csv") == "/shared/a.csv");
}

TEST_CASE("files that are too large, missing or a link are reported and not sent") {
  DownloadingSession page;
  const std::filesystem::path large = page.downloads->path_for("large");
  std::ofstream(large) << "x";
  std::filesystem::resize_file(large, PageDownloads::kMostBytes + 1);
  const std::filesystem::path link = page.downloads->path_for("link");
  std::filesystem::create_symlink("/etc/passwd", link);
  for (const std::filesystem::path& path : {large, link, page.downloads->path_for("missing")}) {
    page.downloads->add(path);
    const auto told = kino::take_toast();
    REQUIRE(told);
    CHECK(told->problem);
    CHECK(told->sentence.find(path.filename().string()) != std::string::npos);
  }
  CHECK_FALSE(page.server.receive());
  CHECK(page.is_clean());
}

TEST_CASE("the page makes a picture of the frame") {
  DownloadingSession page;
  kino::file_downloads()->add_picture("a.png", {1, 2, 30, 40});
  const auto message = page.server.receive();
  REQUIRE(message);
  CHECK(nlohmann::json::parse(message->content) ==
        nlohmann::json::parse(R"({"t":"picture","name":"a.png","area":[1,2,30,40]})"));
}
