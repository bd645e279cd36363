// Covers: output_file
#include "loaders/formats/capsule/output_file.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/fixtures/loader_files.hpp"

namespace {

namespace fs = std::filesystem;
using kino::OutputFile;

unsigned permissions(const fs::path& path) {
  struct stat facts {};
  REQUIRE(::stat(path.c_str(), &facts) == 0);
  return facts.st_mode & 0777U;
}

}  // namespace

TEST_CASE("a sent file has the permissions of new files or of the file it replaces") {
  const kino_test::TemporaryFolder folder;
  const fs::path usual = folder.write("usual", "");
  for (const bool before : {false, true}) {
    const fs::path path = before ? folder.write("old", "as it was") : folder.path() / "new";
    if (before) fs::permissions(path, fs::perms(0640));
    auto file = OutputFile::create(path);
    REQUIRE(file.ok());
    REQUIRE(::write(file->file.fd(), "new", 3) == 3);
    CHECK(fs::exists(path) == before);
    CHECK(!file->publish());
    CHECK(kino_test::file_content(path) == "new");
    CHECK(permissions(path) == (before ? 0640U : permissions(usual)));
  }
}

TEST_CASE("folders and devices are refused as targets") {
  const kino_test::TemporaryFolder folder;
  CHECK(!OutputFile::create(folder.path()).ok());
  CHECK(!OutputFile::create("/dev/null").ok());
}
