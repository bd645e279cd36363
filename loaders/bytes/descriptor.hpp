// A file descriptor that is closed when it goes out of scope.
#pragma once

#include <utility>

#include <unistd.h>

namespace kino {

struct Descriptor {
  int fd = -1;

  Descriptor() = default;
  explicit Descriptor(int open_fd) : fd(open_fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
  int release() { return std::exchange(fd, -1); }
};

}  // namespace kino
