#include "app/system/atomic_file.hpp"

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/platform/new_file.hpp"

namespace kino {
namespace {

constexpr mode_t kNewFileMode = 0666;  // less the person's umask
constexpr mode_t kModeBits = 07777;

Error system_error(const std::string& what, int code) {
  const Error::Kind kind = code == ENOSPC                    ? Error::Kind::no_space
                           : code == EACCES || code == EPERM ? Error::Kind::no_permission
                                                             : Error::Kind::system;
  return {kind, what + " (" + std::generic_category().message(code) + ")"};
}

Error write_error(int code) { return system_error("the file cannot be written", code); }

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

/// Into what keeps its place: a device, a pipe.
std::optional<Error> write_into(const std::filesystem::path& path, std::string_view text) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) return write_error(errno);
  const bool written = write_all(fd, text);
  const int code = errno;
  ::close(fd);
  if (written) return std::nullopt;
  return write_error(code);
}

/// A new file beside `path`, whose name is put into `temporary`; -1 and errno when there can be none.
int open_beside(const std::filesystem::path& path, std::string& temporary) {
  constexpr int kMostTries = 100;
  for (int i = 0; i < kMostTries; ++i) {
    temporary = path.string() + "." + std::to_string(::getpid()) + "." + std::to_string(i) + ".part";
    const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kNewFileMode);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

}  // namespace

std::optional<Error> write_file_atomically(const std::filesystem::path& path, std::string_view text,
                                           Durability durability) {
  std::error_code code;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), code);
  if (code) return system_error("the folder cannot be made", code.value());

  struct stat old {};
  const bool exists = ::stat(path.c_str(), &old) == 0;
  if (exists && S_ISDIR(old.st_mode)) return write_error(EISDIR);
  if (exists && !S_ISREG(old.st_mode)) return write_into(path, text);

  const std::filesystem::path target = end_of_links(path);
  std::string temporary;
  const int fd = open_beside(target, temporary);
  if (fd < 0) return write_error(errno);
  bool written = !exists || ::fchmod(fd, old.st_mode & kModeBits) == 0;
  written = written && write_all(fd, text);
  if (written && durability == Durability::power_loss) written = ::fsync(fd) == 0;
  const int write_code = errno;
  ::close(fd);
  if (written && ::rename(temporary.c_str(), target.c_str()) == 0) return std::nullopt;
  const int failed_code = written ? errno : write_code;
  ::unlink(temporary.c_str());
  return write_error(failed_code);
}

}  // namespace kino
