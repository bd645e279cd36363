#include "loaders/bytes/spool.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace kino {

std::filesystem::path default_cache_directory() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/') {
    return std::filesystem::path(cache) / "kinetoscope";
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') {
    return std::filesystem::path(home) / ".cache" / "kinetoscope";
  }
  return {};
}

void make_cache_folder(const std::filesystem::path& directory) {
  std::error_code code;
  if (directory.has_parent_path()) std::filesystem::create_directories(directory.parent_path(), code);
  constexpr mode_t kOnlyMine = 0700;
  struct stat status {};
  if (::mkdir(directory.c_str(), kOnlyMine) == 0 || directory != default_cache_directory()) return;
  // Made by an older version, for everybody to read.
  if (::lstat(directory.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == ::geteuid() &&
      (status.st_mode & 0777U) != kOnlyMine) {
    ::chmod(directory.c_str(), kOnlyMine);
  }
}

Result<int> open_spool(const std::filesystem::path& directory) {
  if (!directory.empty()) {
    make_cache_folder(directory);  // if it cannot be made, opening fails and memory serves
    const int fd = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 && !spool_is_nearly_full(fd)) return fd;
    if (fd >= 0) ::close(fd);
  }
  const int fd = open_memory_spool();
  if (fd >= 0) return fd;
  return Error{Error::Kind::system,
               std::string("No place for the decompressed text: ") + std::strerror(errno), kNoOffset};
}

Result<int> spool_pipe(int fd, const std::filesystem::path& directory, const SpoolLimit& limit,
                       std::atomic<std::uint64_t>& bytes_read, const std::stop_token& stop) {
  constexpr int kPatienceMs = 20;
  constexpr std::size_t kBlockBytes = std::size_t{256} << 10;
  const Result<int> spool = open_spool(directory);
  if (!spool) return spool.error();
  const std::shared_ptr<FileSource> source = file_source(spool.value());
  GrowingText text(source);
  SpoolWriter out(text, *source, limit, bytes_read, nullptr);
  std::vector<std::uint8_t> buffer(kBlockBytes);
  while (!stop.stop_requested()) {
    pollfd waiting{.fd = fd, .events = POLLIN, .revents = 0};
    const int ready = ::poll(&waiting, 1, kPatienceMs);
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) {
      return Error{Error::Kind::system, std::string("Reading failed: ") + std::strerror(errno),
                   out.written()};
    }
    if (got == 0) {
      const int kept = ::fcntl(spool.value(), F_DUPFD_CLOEXEC, 0);
      if (kept >= 0) return kept;
      return Error{Error::Kind::system, std::string("The spool cannot be kept: ") + std::strerror(errno),
                   kNoOffset};
    }
    out.count_read(static_cast<std::uint64_t>(got));
    if (out.write({buffer.data(), static_cast<std::size_t>(got)})) continue;
    if (const auto error = text.error()) return *error;
    return Error{Error::Kind::no_space,
                 "What comes through the pipe would fill the cache folder and the memory; save it to a file "
                 "or use --no-limit",
                 out.written()};
  }
  return Error{Error::Kind::cancelled, "Loading was cancelled", kNoOffset};
}

}  // namespace kino
