// Compressed bytes in their order, from a file or from an entry of an archive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.hpp"

namespace kino {

/// Used by one thread.
class ByteStream {
 public:
  ByteStream() = default;
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;
  virtual ~ByteStream() = default;

  /// Fills the begin of `out` and returns how much; 0 at the end.
  virtual Result<std::size_t> read(std::span<std::uint8_t> out) = 0;
  /// What has been read of the file on disk for that, and if more than once, counted once.
  virtual std::uint64_t file_bytes_read() const = 0;
};

/// A file from its begin or another place, whatever other readers of the descriptor do.
class FileStream : public ByteStream {
 public:
  /// `fd` stays the caller's and outlives the stream.
  explicit FileStream(int fd, std::uint64_t offset = 0) : fd_(fd), offset_(offset) {}
  Result<std::size_t> read(std::span<std::uint8_t> out) override;
  std::uint64_t file_bytes_read() const override { return offset_; }

 private:
  int fd_;
  std::uint64_t offset_;
};

/// Bytes that have been read from a stream already, and then the rest of it.
class ResumedStream : public ByteStream {
 public:
  /// Both outlive this.
  ResumedStream(std::string_view head, ByteStream& rest) : head_(head), rest_(rest) {}
  Result<std::size_t> read(std::span<std::uint8_t> out) override;
  std::uint64_t file_bytes_read() const override { return rest_.file_bytes_read(); }

 private:
  std::string_view head_;
  ByteStream& rest_;
};

/// Up to `most_bytes` from here on, less only at the end or before an error.
std::string read_head(ByteStream& in, std::size_t most_bytes);

}  // namespace kino
