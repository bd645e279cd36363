// A sliding window over a byte stream, in which a parser reads without copying.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "core/base/result.hpp"
#include "loaders/bytes/byte_stream.hpp"

namespace kino {

/// The next bytes of a stream. A file is read, not mapped: if it shrinks, the stream ends early and no signal
/// is raised. A large file does not remain in memory.
class ByteWindow {
 public:
  /// `in` must outlive this object.
  explicit ByteWindow(ByteStream& in, std::size_t window_bytes = std::size_t{1} << 20U)
      : in_(in), window_bytes_(window_bytes) {}

  /// Returns the next size() bytes; valid until the next ensure().
  const std::uint8_t* data() const { return buffer_.get() + begin_; }
  std::size_t size() const { return end_ - begin_; }
  std::string_view text(std::size_t count) const { return {reinterpret_cast<const char*>(data()), count}; }
  void skip(std::size_t count) { begin_ += count; }
  /// Returns the offset of data() in the stream.
  std::uint64_t offset() const { return offset_ + begin_; }

  /// Returns whether `count` bytes are available, after reading more if needed. Memory grows with the bytes
  /// that exist, not with `count`.
  bool ensure(std::uint64_t count) { return size() >= count || refill(count); }
  bool ended() const { return ended_; }
  const std::optional<Error>& error() const { return error_; }

 private:
  bool refill(std::uint64_t count);
  void grow(std::size_t capacity);

  ByteStream& in_;
  std::size_t window_bytes_;
  std::unique_ptr<std::uint8_t[]> buffer_;  // starts small, since most files are small
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t offset_ = 0;  // offset of buffer_[0]
  bool ended_ = false;
  std::optional<Error> error_;
};

}  // namespace kino
