// Covers: page_uploads
#include "app/cli/serve/page_uploads.hpp"

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <sys/socket.h>

#include "tests/fixtures/loader_files.hpp"
#include "tests/fixtures/temporary_folder.hpp"

using kino::PageUploads;
using kino::SessionChannel;

namespace {

constexpr std::uint64_t kLimit = 100;

struct UploadingPage {
  kino_test::TemporaryFolder temporary;
  std::filesystem::path own = temporary.path() / "own";
  kino::SessionFolder folder{own};
  std::array<int, 2> ends = connected();
  SessionChannel session{kino::Descriptor(ends[0])};
  SessionChannel server{kino::Descriptor(ends[1])};
  PageUploads uploads{session, folder, kLimit};

  static std::array<int, 2> connected() {
    std::array<int, 2> ends{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
    return ends;
  }
  /// Returns the answers since the last call.
  std::vector<std::string> answers() {
    std::vector<std::string> states;
    while (const auto message = server.receive()) {
      const auto json = nlohmann::json::parse(message->content);
      CHECK(json["t"] == "upload");
      states.push_back(json["state"].get<std::string>());
    }
    return states;
  }
  std::size_t files() const {
    std::size_t count = 0;
    if (!std::filesystem::exists(own)) return count;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(own))
      count += entry.is_regular_file() ? 1 : 0;
    return count;
  }
};

using States = std::vector<std::string>;

}  // namespace

TEST_CASE("a file arrives in pieces and is returned once") {
  UploadingPage page;
  page.uploads.begin({"trace.json", 6, true});
  CHECK(page.answers() == States{"send"});
  page.uploads.take("abc");
  CHECK(page.answers() == States{"taken"});
  CHECK(page.uploads.take_complete().empty());
  page.uploads.take("def");
  CHECK(page.answers() == States{"taken", "done"});
  const auto files = page.uploads.take_complete();
  REQUIRE(files.size() == 1);
  CHECK(files[0].filename() == "trace.json");
  CHECK(kino_test::file_content(files[0]) == "abcdef");
  CHECK(page.folder.contains(files[0]));
  CHECK(page.uploads.take_complete().empty());
}

TEST_CASE("the files of a drop are returned together, and are in one folder") {
  UploadingPage page;
  page.uploads.begin({"rank0.json", 1, false});
  page.uploads.take("a");
  CHECK(page.uploads.take_complete().empty());
  page.uploads.begin({"rank1.json", 0, false});
  page.uploads.begin({"rank1.json", 1, true});  // the same name
  page.uploads.take("b");
  const auto files = page.uploads.take_complete();
  REQUIRE(files.size() == 3);
  CHECK(files[0].parent_path() == files[1].parent_path());
  CHECK(files[2] != files[1]);
  CHECK(files[2].filename() == "rank1.json");
  CHECK(page.answers() == States{"send", "taken", "done", "done", "send", "taken", "done"});
}

TEST_CASE("a session accepts no more bytes than its limit, and no more than were announced") {
  UploadingPage page;
  page.uploads.begin({"a", kLimit + 1, true});
  CHECK(page.answers() == States{"limit"});
  page.uploads.begin({"a", ~std::uint64_t{0}, true});
  CHECK(page.answers() == States{"limit"});
  page.uploads.begin({"a", 60, true});
  page.uploads.take(std::string(61, 'x'));
  CHECK(page.answers() == States{"send", "failed"});
  CHECK(page.files() == 0);
  page.uploads.begin({"a", 60, true});
  page.uploads.take(std::string(60, 'x'));
  page.uploads.take("more");
  CHECK(page.answers() == States{"send", "taken", "done"});
  page.uploads.begin({"b", 41, true});
  CHECK(page.answers() == States{"limit"});
  page.uploads.begin({"b", 40, true});
  CHECK(page.answers() == States{"send"});
}

TEST_CASE("a canceled drop leaves no file, and gives its bytes back") {
  UploadingPage page;
  page.uploads.begin({"a", 50, false});
  page.uploads.take(std::string(50, 'x'));
  page.uploads.begin({"b", 50, true});
  page.uploads.take(std::string(20, 'x'));
  CHECK(page.files() == 2);
  page.uploads.cancel();
  CHECK(page.files() == 0);
  CHECK(page.uploads.take_complete().empty());
  page.answers();
  page.uploads.begin({"c", kLimit, true});
  CHECK(page.answers() == States{"send"});
  // Another file replaces an incomplete one.
  page.uploads.begin({"d", kLimit, true});
  CHECK(page.answers() == States{"send"});
  CHECK(page.files() == 1);
}

TEST_CASE("complete files remain when the next drop is canceled") {
  UploadingPage page;
  page.uploads.begin({"a", 1, true});
  page.uploads.take("x");
  page.uploads.cancel();
  CHECK(page.uploads.take_complete().size() == 1);
  page.uploads.begin({"b", 10, true});
  page.uploads.cancel();
  CHECK(page.files() == 1);
}

TEST_CASE("names with folders stay in the folder, and without a folder nothing is accepted") {
  UploadingPage page;
  page.uploads.begin({"../../evil", 0, true});
  const auto files = page.uploads.take_complete();
  REQUIRE(files.size() == 1);
  CHECK(page.folder.contains(files[0]));
  page.answers();
  kino::SessionFolder none("");
  PageUploads refused(page.session, none, kLimit);
  refused.begin({"a", 1, true});
  refused.take("x");
  CHECK(page.answers() == States{"failed"});
}
