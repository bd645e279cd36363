// Covers: file_facts, file_stamp, space
#include "core/base/platform/file_facts.hpp"

#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "core/base/platform/space.hpp"
#include "tests/fixtures/temporary_folder.hpp"

TEST_CASE("files, folders, links, pipes and devices are distinguished") {
  const kino_test::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "file";
  std::ofstream(file) << "12345";
  const std::filesystem::path link = folder.path() / "link";
  std::filesystem::create_symlink(file, link);
  const std::filesystem::path pipe = folder.path() / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const auto type = [](const auto& facts) {
    REQUIRE(facts.ok());
    return facts.value().type;
  };
  CHECK(type(kino::file_facts(file)) == kino::FileType::regular);
  CHECK(type(kino::file_facts(link)) == kino::FileType::regular);
  CHECK(type(kino::link_facts(link)) == kino::FileType::link);
  CHECK(type(kino::file_facts(folder.path())) == kino::FileType::folder);
  CHECK(type(kino::file_facts(pipe)) == kino::FileType::pipe);
  CHECK(type(kino::file_facts("/dev/null")) == kino::FileType::device);
  CHECK_FALSE(kino::file_facts(folder.path() / "none").ok());
}

TEST_CASE("facts of a file are its size, its owner and its stamp") {
  const kino_test::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "file";
  std::ofstream(file) << "12345";
  REQUIRE(::chmod(file.c_str(), 0640) == 0);
  const auto facts = kino::file_facts(file);
  REQUIRE(facts.ok());
  CHECK(facts.value().mine);
  CHECK(facts.value().names == 1);
  CHECK(facts.value().permissions == 0640);
  CHECK(facts.value().stamp.size_bytes == 5);
  CHECK(kino::stamp_of(file) == facts.value().stamp);
  CHECK(kino::stamp_of_program().has_value());
}

TEST_CASE("a private folder is closed to others, also if it was open") {
  const kino_test::TemporaryFolder folder;
  const std::filesystem::path mine = folder.path() / "mine";
  CHECK(kino::make_private_folder(mine));
  CHECK_FALSE(kino::make_private_folder(mine));
  REQUIRE(::chmod(mine.c_str(), 0755) == 0);
  CHECK(kino::make_private(mine));
  CHECK(kino::file_facts(mine).value().permissions == 0700);
  std::filesystem::create_directory_symlink(mine, folder.path() / "link");
  CHECK_FALSE(kino::make_private(folder.path() / "link"));
}

TEST_CASE("the size of a disk is at least its free space, and a machine has memory") {
  const auto disk = kino::disk_space(std::filesystem::path("/"));
  REQUIRE(disk.has_value());
  CHECK(disk->total_bytes >= disk->free_bytes);
  CHECK(kino::memory_bytes() > 0);
  const auto memory = kino::memory_space();
  REQUIRE(memory.has_value());
  CHECK(memory->total_bytes >= memory->free_bytes);
}
