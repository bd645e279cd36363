// Covers: spool, spool_writer
// Disks without space for the decompressed text: the spool continues in memory.
#include "loaders/bytes/spool.hpp"

#include <atomic>
#include <cerrno>
#include <string>

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "tests/fixtures/archive_files.hpp"
#include "tests/fixtures/loader_files.hpp"

namespace {

// While set, all disks together have space for this many bytes.
std::atomic<std::int64_t> disk_room{-1};
std::atomic<int> refused_writes{0};

bool lies_on_disk(int fd) {
  struct stat status {};
  struct statvfs where {};
  return ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && ::fstatvfs(fd, &where) == 0 &&
         where.f_blocks > 0;
}

struct SmallDisk {
  explicit SmallDisk(std::int64_t bytes) {
    refused_writes = 0;
    disk_room = bytes;
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() { disk_room = -1; }
};

std::string spooled_trace(int count) {
  std::string text = "[";
  for (int i = 0; i < count; ++i) {
    text += std::string(i > 0 ? "," : "") + R"({"ph":"X","name":"op)" + std::to_string(i % 7) +
            R"(","pid":1,"tid":1,"ts":)" + std::to_string(i * 10) + R"(,"dur":5,"args":{"number":)" +
            std::to_string(i) + "}}";
  }
  return text + "]";
}

}  // namespace

extern "C" ssize_t __real_write(int fd, const void* data, std::size_t size);
extern "C" ssize_t __wrap_write(int fd, const void* data, std::size_t size);
extern "C" ssize_t __wrap_write(int fd, const void* data, std::size_t size) {
  if (disk_room.load() < 0 || !lies_on_disk(fd)) return __real_write(fd, data, size);
  const std::int64_t room = disk_room.load();
  if (room == 0) {
    ++refused_writes;
    errno = ENOSPC;
    return -1;
  }
  const ssize_t put = __real_write(fd, data, std::min(size, static_cast<std::size_t>(room)));
  if (put > 0) disk_room -= put;
  return put;
}

TEST_CASE("a spool continues in memory when the disk is full at any point") {
  const kino_test::TemporaryFolder folder;
  constexpr int kEvents = 20000;
  const std::string text = spooled_trace(kEvents);
  const auto path = folder.write("t.json.zst", kino_test::compressed("zstd", text));
  for (const std::int64_t room : {0, 1, 1000, 300'000, 1'000'000}) {
    CAPTURE(room);
    const SmallDisk disk(room);
    const auto opened = kino_test::open(path);
    REQUIRE_MESSAGE(opened.ok(), (opened.ok() ? std::string() : opened.error().what.str()));
    CHECK(refused_writes.load() == 1);
    CHECK(opened.value().trace->slice_count() == kEvents);
    CHECK(opened.value().trace->damage.empty());
    CHECK(opened.value().stats.text_bytes == text.size());
    const auto all = opened.value().text->read_text(0, text.size());
    REQUIRE(all.ok());
    CHECK(all.value() == text);
  }
}

TEST_CASE("text from a pipe continues in memory") {
  const kino_test::TemporaryFolder folder;
  const std::string text = spooled_trace(20000);
  const auto path = folder.write("t.json", text);
  const SmallDisk disk(100'000);
  std::atomic<std::uint64_t> read_bytes{0};
  FILE* const pipe = ::popen(("cat '" + path.string() + "'").c_str(), "r");
  REQUIRE(pipe != nullptr);
  const auto spool = kino::spool_pipe(::fileno(pipe), folder.path(), {}, read_bytes, {});
  ::pclose(pipe);
  REQUIRE(spool.ok());
  std::string got(text.size() + 1, '\0');
  got.resize(
      static_cast<std::size_t>(std::max<ssize_t>(0, ::pread(spool.value().fd, got.data(), got.size(), 0))));
  CHECK(got == text);
}
