// Sequential streams of bytes, such as a compressed file or an archive entry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.hpp"

namespace kino {

class ByteStream {
 public:
  ByteStream() = default;
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;
  virtual ~ByteStream() = default;

  /// Fills a prefix of `out` and returns its size; 0 at the end.
  virtual Result<std::size_t> read(std::span<std::uint8_t> out) = 0;
  /// Returns the number of bytes of the file on disk that were read so far; each byte counts once.
  virtual std::uint64_t file_bytes_read() const = 0;
};

/// Reads a file from `offset` on, independent of other readers of the descriptor. The bytes before `offset`
/// count as read.
class FileStream : public ByteStream {
 public:
  /// `fd` is borrowed and must outlive the stream.
  explicit FileStream(int fd, std::uint64_t offset = 0) : fd_(fd), offset_(offset) {}
  Result<std::size_t> read(std::span<std::uint8_t> out) override;
  std::uint64_t file_bytes_read() const override { return offset_; }

 private:
  int fd_;
  std::uint64_t offset_;
};

/// Returns bytes that were already read from a stream, followed by the rest of the stream.
class ResumedStream : public ByteStream {
 public:
  /// The text of `head` and `rest` must outlive this object.
  ResumedStream(std::string_view head, ByteStream& rest) : head_(head), rest_(rest) {}
  Result<std::size_t> read(std::span<std::uint8_t> out) override;
  std::uint64_t file_bytes_read() const override { return rest_.file_bytes_read(); }

 private:
  std::string_view head_;
  ByteStream& rest_;
};

/// Reads the next `most_bytes`; fewer only at the end or before an error.
std::string read_head(ByteStream& in, std::size_t most_bytes);

}  // namespace kino
