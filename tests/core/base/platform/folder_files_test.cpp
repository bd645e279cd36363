// Covers: folder_files, folder_names
// Visited files of a folder, through links and in order.
#include "core/base/platform/folder_files.hpp"

#include <algorithm>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/fixtures/temporary_folder.hpp"

namespace {

namespace fs = std::filesystem;

struct Visited {
  std::vector<std::string> names;  // sorted
  std::size_t dead_links = 0;
};

Visited visited(const fs::path& folder, int levels = 2) {
  Visited found;
  found.dead_links = kino::visit_files(folder, levels, {}, [&](const kino::FolderFile& file) {
    CHECK(fs::exists(file.path));
    found.names.push_back(file.name.string());
    return true;
  });
  std::ranges::sort(found.names);
  return found;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("a link to a file elsewhere is visited under its own name with the facts of the file") {
  const kino_test::TemporaryFolder elsewhere;
  const kino_test::TemporaryFolder folder;
  fs::create_symlink(elsewhere.write("job_17.json", "12345"), folder.path() / "rank0.json");
  std::size_t size = 0;
  kino::visit_files(folder.path(), 0, {}, [&](const kino::FolderFile& file) {
    CHECK(file.name == "rank0.json");
    CHECK(file.facts.type == kino::FileType::regular);
    size = file.facts.stamp.size_bytes;
    return true;
  });
  CHECK(size == 5);
}

TEST_CASE("links to folders are entered, and count as a level") {
  const kino_test::TemporaryFolder elsewhere;
  elsewhere.write("a.json", "a");
  fs::create_directory(elsewhere.path() / "deeper");
  elsewhere.write("deeper/b.json", "b");
  const kino_test::TemporaryFolder folder;
  fs::create_directory_symlink(elsewhere.path(), folder.path() / "node1");
  CHECK(visited(folder.path()).names == Names{"node1/a.json", "node1/deeper/b.json"});
  CHECK(visited(folder.path(), 1).names == Names{"node1/a.json"});
  CHECK(visited(folder.path(), 0).names.empty());
}

TEST_CASE("cycles of links end, and no file is visited twice") {
  const kino_test::TemporaryFolder folder;
  folder.write("a.json", "a");
  fs::create_directory(folder.path() / "sub");
  folder.write("sub/b.json", "b");
  fs::create_directory_symlink(folder.path(), folder.path() / "sub/up");
  fs::create_directory_symlink(folder.path() / "sub", folder.path() / "again");
  fs::create_symlink("a.json", folder.path() / "latest.json");
  fs::create_symlink("itself.json", folder.path() / "itself.json");
  const Visited found = visited(folder.path());
  CHECK(found.names == Names{"a.json", "sub/b.json"});
  CHECK(found.dead_links == 1);
}

TEST_CASE("the first of two links to one file by name is visited, and dead links are counted") {
  const kino_test::TemporaryFolder elsewhere;
  const fs::path file = elsewhere.write("trace.json", "x");
  const kino_test::TemporaryFolder folder;
  fs::create_symlink(file, folder.path() / "rank1.json");
  fs::create_symlink(file, folder.path() / "rank0.json");
  fs::create_symlink("/nowhere/trace.json", folder.path() / "gone.json");
  fs::create_symlink("/dev/null", folder.path() / "null.json");
  const Visited found = visited(folder.path());
  CHECK(found.names == Names{"rank0.json"});
  CHECK(found.dead_links == 2);
}

TEST_CASE("visiting ends when the visitor returns false or a stop is requested") {
  const kino_test::TemporaryFolder folder;
  for (const char* const name : {"a", "b", "c"}) folder.write(name, "x");
  int count = 0;
  kino::visit_files(folder.path(), 0, {}, [&](const kino::FolderFile&) { return ++count < 2; });
  CHECK(count == 2);
  std::stop_source stop;
  stop.request_stop();
  kino::visit_files(folder.path(), 0, stop.get_token(), [&](const kino::FolderFile&) { return ++count > 0; });
  CHECK(count == 2);
}
