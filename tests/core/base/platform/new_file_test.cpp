// Covers: new_file
#include "core/base/platform/new_file.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <doctest/doctest.h>
#include <unistd.h>

#include "tests/fixtures/temporary_folder.hpp"

namespace {

using kino_test::TemporaryFolder;

std::string content_of_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("a new file gets its name or is removed, with and without unnamed files") {
  for (const bool unnamed : {true, false}) {
    const TemporaryFolder folder;
    folder.write("name", "old");
    {
      auto file = kino::NewFile::create(folder.path(), unnamed);
      REQUIRE(file.ok());
      REQUIRE(::write(file.value().fd(), "half", 4) == 4);
      kino::remove_leftovers(folder.path());  // its process is alive
      CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == (unnamed ? 1 : 2));
    }
    CHECK(content_of_file(folder.path() / "name") == "old");
    {
      auto file = kino::NewFile::create(folder.path(), unnamed);
      REQUIRE(::write(file.value().fd(), "new", 3) == 3);
      CHECK_FALSE(file.value().publish("name").has_value());
    }
    CHECK(content_of_file(folder.path() / "name") == "new");
    CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
  }
  const TemporaryFolder folder;
  folder.write("abcdef.part", "of a program that died");
  kino::remove_leftovers(folder.path());
  CHECK(std::filesystem::is_empty(folder.path()));
}
