#include "loaders/spool.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>

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

Result<int> open_spool(const std::filesystem::path& directory) {
  if (!directory.empty()) {
    std::error_code ignored;  // if the folder cannot be made, opening fails and memory serves
    std::filesystem::create_directories(directory, ignored);
    const int fd = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0) return fd;
  }
  const int fd = ::memfd_create("kinetoscope-spool", MFD_CLOEXEC);
  if (fd >= 0) return fd;
  return Error{Error::Kind::system,
               std::string("No place for the decompressed text: ") + std::strerror(errno), kNoOffset};
}

}  // namespace kino
