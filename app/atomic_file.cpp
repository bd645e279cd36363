#include "app/atomic_file.hpp"

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace kino {
namespace {

Error system_error(const std::string& what, int code) {
  const Error::Kind kind = code == ENOSPC                    ? Error::Kind::no_space
                           : code == EACCES || code == EPERM ? Error::Kind::no_permission
                                                             : Error::Kind::system;
  return {kind, what + " (" + std::generic_category().message(code) + ")"};
}

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

std::optional<Error> write_file_atomically(const std::filesystem::path& path, std::string_view text,
                                           Durability durability) {
  std::error_code code;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), code);
  if (code) return system_error("the folder cannot be made", code.value());

  std::string temporary = path.string() + ".XXXXXX";
  const int fd = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (fd < 0) return system_error("the file cannot be written", errno);
  bool written = write_all(fd, text);
  if (written && durability == Durability::power_loss) written = ::fsync(fd) == 0;
  const int write_code = errno;
  ::close(fd);
  if (written && ::rename(temporary.c_str(), path.c_str()) == 0) return std::nullopt;
  const int failed_code = written ? errno : write_code;
  ::unlink(temporary.c_str());
  return system_error("the file cannot be written", failed_code);
}

}  // namespace kino
