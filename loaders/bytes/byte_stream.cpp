#include "loaders/bytes/byte_stream.hpp"

#include <cerrno>
#include <cstring>
#include <string>

#include <unistd.h>

namespace kino {

Result<std::size_t> FileStream::read(std::span<std::uint8_t> out) {
  ssize_t got = 0;
  do {
    got = ::pread(fd_, out.data(), out.size(), static_cast<off_t>(offset_));
  } while (got < 0 && errno == EINTR);
  if (got < 0) {
    return Error{Error::Kind::system, std::string("Reading failed: ") + std::strerror(errno), offset_};
  }
  offset_ += static_cast<std::uint64_t>(got);
  return static_cast<std::size_t>(got);
}

Result<std::size_t> ResumedStream::read(std::span<std::uint8_t> out) {
  if (head_.empty()) return rest_.read(out);
  const std::size_t count = head_.copy(reinterpret_cast<char*>(out.data()), out.size());
  head_.remove_prefix(count);
  return count;
}

std::string read_head(ByteStream& in, std::size_t most_bytes) {
  std::string head(most_bytes, '\0');
  std::size_t size = 0;
  while (size < most_bytes) {
    const Result<std::size_t> got =
        in.read({reinterpret_cast<std::uint8_t*>(head.data()) + size, most_bytes - size});
    if (!got || got.value() == 0) break;
    size += got.value();
  }
  head.resize(size);
  return head;
}

}  // namespace kino
