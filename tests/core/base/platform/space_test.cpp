// Covers: space
#include "core/base/platform/space.hpp"

#include <filesystem>
#include <optional>
#include <string>

#include <doctest/doctest.h>

#include "tests/fixtures/temporary_folder.hpp"

namespace {

/// Writes a file of a control group, and the folders above it.
void write(const kino_test::TemporaryFolder& folder, const std::string& name, const std::string& content) {
  std::filesystem::create_directories((folder.path() / name).parent_path());
  folder.write(name, content);
}

}  // namespace

TEST_CASE("the limit of a control group is the lowest one of the groups above it") {
  const kino_test::TemporaryFolder folder;
  const auto limit = [&](const std::string& membership) {
    return kino::control_group_memory_bytes(folder.write("membership", membership), folder.path() / "groups");
  };
  write(folder, "groups/slurm/memory.max", "5000\n");
  write(folder, "groups/slurm/job/memory.max", "max\n");
  write(folder, "groups/slurm/job/step/memory.max", "7000\n");
  CHECK(limit("0::/slurm/job/step\n") == 5000);
  CHECK(limit("0::/slurm\n") == 5000);
  CHECK(limit("0::/other/group\n") == std::nullopt);
  CHECK(limit("0::/\n") == std::nullopt);
  write(folder, "groups/memory.max", "4000\n");
  CHECK(limit("0::/\n") == 4000);  // as in a container
  CHECK(limit("") == std::nullopt);
  CHECK(limit("nonsense\n:\n0:\n") == std::nullopt);
}

TEST_CASE("control groups of version 1 have limits, and a huge one means none") {
  const kino_test::TemporaryFolder folder;
  const auto limit = [&](const std::string& membership) {
    return kino::control_group_memory_bytes(folder.write("membership", membership), folder.path() / "groups");
  };
  write(folder, "groups/memory/memory.limit_in_bytes", "9223372036854771712\n");
  write(folder, "groups/memory/job/memory.limit_in_bytes", "6000\n");
  CHECK(limit("5:cpu,memory:/job\n4:memoryless:/\n") == 6000);
  CHECK(limit("3:memory:/\n") == std::nullopt);
  CHECK(limit("3:cpu:/job\n") == std::nullopt);
}

TEST_CASE("a process can use memory, at most that of the machine") {
  CHECK(kino::usable_memory_bytes() > 0);
  CHECK(kino::usable_memory_bytes() <= kino::memory_bytes());
}
