// The part of a byte stream that a parser stands in: bytes it can look at without copying, refilled as it
// goes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "core/base/result.hpp"
#include "loaders/bytes/byte_stream.hpp"

namespace kino {

/// Read instead of mapped, so that a file that shrinks while it is read ends early instead of killing the
/// program, and so that the bytes of a large file do not stay in memory. Used by one thread.
class ByteWindow {
 public:
  /// `in` outlives this.
  explicit ByteWindow(ByteStream& in, std::size_t window_bytes = std::size_t{1} << 20U)
      : in_(in), window_bytes_(window_bytes) {}

  /// The bytes from here on, of which there are size(); valid until the next ensure().
  const std::uint8_t* data() const { return buffer_.get() + begin_; }
  std::size_t size() const { return end_ - begin_; }
  std::string_view text(std::size_t count) const { return {reinterpret_cast<const char*>(data()), count}; }
  void skip(std::size_t count) { begin_ += count; }
  /// Of data(), in the stream.
  std::uint64_t offset() const { return offset_ + begin_; }

  /// Whether there are `count` bytes from here on. Memory grows with the bytes that really come, at most to
  /// twice as many.
  bool ensure(std::uint64_t count) { return size() >= count || refill(count); }
  bool ended() const { return ended_; }
  const std::optional<Error>& error() const { return error_; }

 private:
  bool refill(std::uint64_t count);
  void grow(std::size_t capacity);

  ByteStream& in_;
  std::size_t window_bytes_;
  std::unique_ptr<std::uint8_t[]> buffer_;  // most files are small: only after some refills as large as that
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t offset_ = 0;  // of buffer_[0]
  bool ended_ = false;
  std::optional<Error> error_;
};

}  // namespace kino
