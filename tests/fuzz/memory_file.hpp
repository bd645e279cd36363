// Helpers of the fuzz targets: the input as a file with a path, and checks.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

#include "loaders/formats/open.hpp"

namespace kino_test {

/// If `holds` is false, aborts, which the fuzzer reports as a finding.
inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "broken: %s\n", what);
  std::abort();
}

class MemoryFile {
 public:
  MemoryFile(const std::uint8_t* data, std::size_t size) : fd_(::memfd_create("fuzz", MFD_CLOEXEC)) {
    require(fd_ >= 0 && ::write(fd_, data, size) == static_cast<ssize_t>(size), "no memory file");
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { ::close(fd_); }
  int fd() const { return fd_; }
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  int fd_;
};

inline kino::Result<kino::OpenedTrace> open_cut(const std::string& path, std::size_t unit_bytes) {
  kino::OpenOptions options;
  options.threads = 2;
  options.unit_bytes = unit_bytes;
  options.cache_directory = "/tmp";
  // A low limit keeps runs on decompression bombs short.
  options.spool_limit.ratio_from_bytes = options.spool_limit.check_bytes = 4 << 20;
  kino::LoadProgress progress;
  return kino::open_trace(path, options, progress, {});
}

}  // namespace kino_test
