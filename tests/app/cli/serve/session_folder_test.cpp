// Covers: session_folder
#include "app/cli/serve/session_folder.hpp"

#include <cstdlib>
#include <filesystem>
#include <optional>

#include <doctest/doctest.h>
#include <unistd.h>

#include "tests/fixtures/temporary_folder.hpp"

using kino::SessionFolder;

TEST_CASE("each file has a folder of its own, which is private and removed at the end") {
  const kino_test::TemporaryFolder temporary;
  const std::filesystem::path own = temporary.path() / "own";
  std::optional<SessionFolder> folder(std::in_place, own);
  CHECK_FALSE(std::filesystem::exists(own));
  const std::filesystem::path first = folder->path_for("a.csv");
  const std::filesystem::path second = folder->path_for("a.csv");
  CHECK(first != second);
  CHECK(first.filename() == "a.csv");
  for (const std::filesystem::path& private_folder : {own, first.parent_path()}) {
    const auto mode = std::filesystem::status(private_folder).permissions();
    CHECK((mode & (std::filesystem::perms::group_all | std::filesystem::perms::others_all)) ==
          std::filesystem::perms::none);
  }
  folder.reset();
  CHECK_FALSE(std::filesystem::exists(own));
}

TEST_CASE("names of files have no folders and no control characters") {
  for (const char* name : {"../../a", "/etc/passwd", "..", ".", "", "\n"})
    CHECK(kino::plain_name(name) == "unnamed");
  CHECK(kino::plain_name("a\n\x7f.csv") == "a.csv");
  CHECK(kino::plain_name("トレース.csv") == "トレース.csv");
}

TEST_CASE("a folder contains its files, and no others by links") {
  const kino_test::TemporaryFolder temporary;
  SessionFolder folder(temporary.path() / "own");
  const std::filesystem::path file = folder.path_for("a.json");
  CHECK(folder.contains(file));
  CHECK_FALSE(folder.contains(temporary.path()));
  CHECK_FALSE(folder.contains(temporary.path() / "own-other"));
  std::filesystem::create_symlink("/etc/passwd", file);
  CHECK_FALSE(folder.contains(file));
  CHECK_FALSE(SessionFolder("").contains("/"));
}

TEST_CASE("without a usable folder, there are no files") {
  const kino_test::TemporaryFolder temporary;
  CHECK(SessionFolder("").path_for("a").empty());
  CHECK(SessionFolder(temporary.write("file", "") / "own").path_for("a").empty());
  // The folder may be a link that another user has made.
  std::filesystem::create_directory_symlink("/tmp", temporary.path() / "link");
  {
    SessionFolder linked(temporary.path() / "link");
    CHECK(linked.path_for("a").empty());
  }
  CHECK(std::filesystem::exists("/tmp"));
}

TEST_CASE("the server knows the folders of its sessions") {
  kino::choose_session_folders();
  const std::filesystem::path own = kino::own_session_folder();
  CHECK(own == kino::folder_of_session(::getpid()));
  CHECK(own != kino::folder_of_session(::getpid() + 1));
  CHECK(own.parent_path() == std::filesystem::temp_directory_path());
  REQUIRE(std::filesystem::create_directory(own));
  kino::remove_session_folder(::getpid());
  CHECK_FALSE(std::filesystem::exists(own));
  ::unsetenv("KINETOSCOPE_SESSION_FOLDERS");
  CHECK(kino::own_session_folder().empty());
}
