#include "loaders/bytes/byte_stream.hpp"

#include <string>

#include "core/base/messages/message.hpp"
#include "core/base/platform/file_io.hpp"
#include "core/base/platform/system_failure.hpp"

namespace kino {

Result<std::size_t> FileStream::read(std::span<std::uint8_t> out) {
  Result<std::size_t> got = read_some_at(fd_, std::as_writable_bytes(out), offset_);
  if (!got) return no_space_or_system(msg::reading_failed, std::move(got.error()));
  offset_ += *got;
  return got;
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
