// Covers: served_paths
#include "app/cli/serve/served_paths.hpp"

#include <array>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

#include "tests/fixtures/temporary_folder.hpp"

namespace fs = std::filesystem;

TEST_CASE("only files below the shared folders, after links are resolved, are shared") {
  const kino_test::TemporaryFolder folder;
  const fs::path shared = folder.path() / "shared";
  fs::create_directories(shared / "below");
  fs::create_directories(folder.path() / "shared2");
  for (const fs::path& file :
       {shared / "below/a", folder.path() / "secret", folder.path() / "single", folder.path() / "shared2/x"})
    std::ofstream(file) << "x";
  fs::create_symlink(folder.path() / "secret", shared / "out");
  fs::create_symlink(folder.path(), shared / "up");
  fs::create_symlink(shared / "below/a", folder.path() / "in");
  const std::array roots{folder.path() / "single", shared, folder.path() / "missing"};
  const kino::ServedPaths paths(roots);
  CHECK(paths.first_folder() == fs::canonical(shared));
  for (const fs::path& path : {shared, shared / "below/a", shared / "new", folder.path() / "single",
                               folder.path() / "in", shared / "below/../below/a"})
    CHECK_MESSAGE(paths.contains(path), path.string());
  for (const fs::path& path :
       {folder.path(), folder.path() / "secret", shared / "out", shared / "up/secret", shared / "../secret",
        folder.path() / "shared2/x", fs::path("/"), fs::path("/etc/passwd"), folder.path() / "missing"})
    CHECK_FALSE_MESSAGE(paths.contains(path), path.string());
}

TEST_CASE("nothing is shared without paths") {
  const kino::ServedPaths paths({});
  CHECK_FALSE(paths.contains("/"));
  CHECK_FALSE(paths.contains(""));
  CHECK(paths.first_folder().empty());
}
