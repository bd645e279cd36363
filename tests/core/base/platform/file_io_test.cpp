// Covers: file_io, system_failure, descriptor
#include "core/base/platform/file_io.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/platform/file_facts.hpp"
#include "core/base/platform/system_failure.hpp"
#include "tests/fixtures/temporary_folder.hpp"

namespace {

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

std::string read_text(int fd, std::uint64_t offset, std::size_t most) {
  std::string text(most, '\0');
  const auto got = kino::read_at(fd, std::as_writable_bytes(std::span(text)), offset);
  REQUIRE(got.ok());
  text.resize(got.value());
  return text;
}

}  // namespace

TEST_CASE("written data is read at any offset, and less only at the end") {
  const auto file = kino::new_memory_file("test");
  REQUIRE(file.ok());
  const int fd = file.value().fd;
  CHECK_FALSE(kino::write_all(fd, bytes_of("hello world")));
  CHECK(read_text(fd, 0, 5) == "hello");
  CHECK(read_text(fd, 6, 100) == "world");
  CHECK(read_text(fd, 100, 5).empty());
  CHECK_FALSE(kino::write_at(fd, bytes_of("W"), 6));
  CHECK_FALSE(kino::set_size(fd, 7));
  CHECK(read_text(fd, 0, 100) == "hello W");
  CHECK_FALSE(kino::flush_data(fd));
  CHECK_FALSE(kino::flush_all(fd));
}

TEST_CASE("an error is the system's sentence, with the offset of a failed read") {
  const auto missing = kino::open_to_read("/no/such/file");
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error().kind == kino::Error::Kind::not_found);
  CHECK(missing.error().what == "No such file or directory");
  const auto folder = kino::open_to_read("/");
  REQUIRE(folder.ok());
  std::array<std::byte, 4> out{};
  const auto read = kino::read_at(folder.value().fd, out, 7);
  REQUIRE_FALSE(read.ok());
  CHECK(read.error().kind == kino::Error::Kind::system);
  CHECK(read.error().what == "Is a directory");
  CHECK(read.error().offset == 7);
  CHECK(kino::write_all(folder.value().fd, bytes_of("x")).has_value());
  CHECK(kino::system_failure(ENOSPC).kind == kino::Error::Kind::no_space);
  CHECK(kino::system_failure(EDQUOT).kind == kino::Error::Kind::no_space);
  CHECK(kino::system_failure(EPERM).kind == kino::Error::Kind::no_permission);
  CHECK(kino::no_space_or_system("Reading failed", kino::system_failure(EACCES)).kind ==
        kino::Error::Kind::system);
  CHECK(kino::with_prefix("Reading failed", kino::system_failure(EIO, 3)).what ==
        "Reading failed: Input/output error");
}

TEST_CASE("a link can be refused, and a pipe without a writer opens at once") {
  const kino_test::TemporaryFolder folder;
  const std::filesystem::path link = folder.path() / "link";
  std::filesystem::create_symlink("/etc/passwd", link);
  CHECK(kino::open_to_read(link).ok());
  CHECK_FALSE(kino::open_to_read(link, kino::Links::refused).ok());
  const std::filesystem::path pipe = folder.path() / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(kino::open_to_read(pipe).ok());
}

TEST_CASE("data of a pipe arrives, then its end; a silent pipe yields nothing") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  const kino::Descriptor from(ends[0]);
  std::array<std::byte, 16> out{};
  {
    const kino::Descriptor to(ends[1]);
    const auto nothing = kino::read_available(from.fd, out, std::chrono::milliseconds(1));
    REQUIRE(nothing.ok());
    CHECK_FALSE(nothing.value().has_value());
    CHECK_FALSE(kino::write_all(to.fd, bytes_of("abc")));
    const auto some = kino::read_available(from.fd, out, std::chrono::milliseconds(1000));
    REQUIRE(some.ok());
    CHECK(some.value() == 3U);
  }
  const auto end = kino::read_available(from.fd, out, std::chrono::milliseconds(1000));
  REQUIRE(end.ok());
  CHECK(end.value() == 0U);
}

TEST_CASE("a replaced descriptor refers to the same file") {
  const auto first = kino::new_memory_file("first");
  const auto second = kino::new_memory_file("second");
  REQUIRE(first.ok());
  REQUIRE(second.ok());
  CHECK_FALSE(kino::write_all(second.value().fd, bytes_of("second")));
  CHECK_FALSE(kino::replace_descriptor(second.value().fd, first.value().fd));
  CHECK(read_text(first.value().fd, 0, 100) == "second");
  const auto copy = kino::duplicate(second.value().fd);
  REQUIRE(copy.ok());
  CHECK(copy.value().fd > 2);
  CHECK(read_text(copy.value().fd, 0, 100) == "second");
}

TEST_CASE("an unnamed file is private and has no name") {
  const kino_test::TemporaryFolder folder;
  const auto file = kino::new_unnamed_file(folder.path());
  if (!file.ok()) return;  // not supported by this file system
  const auto facts = kino::file_facts(file.value().fd);
  REQUIRE(facts.ok());
  CHECK(facts.value().type == kino::FileType::regular);
  CHECK(facts.value().names == 0);
  CHECK(facts.value().permissions == 0600);
  CHECK(std::filesystem::is_empty(folder.path()));
}
