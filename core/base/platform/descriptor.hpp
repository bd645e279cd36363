// A file descriptor that is closed when it is destroyed.
#pragma once

#include <utility>

namespace kino {

struct Descriptor {
  int fd = -1;

  Descriptor() = default;
  explicit Descriptor(int open_fd) : fd(open_fd) {}
  Descriptor(Descriptor&& other) noexcept : fd(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd, other.fd);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor();
  int release() { return std::exchange(fd, -1); }
};

}  // namespace kino
