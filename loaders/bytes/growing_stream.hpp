// A text that may still be growing, read in its order.
#pragma once

#include <stop_token>

#include "loaders/bytes/byte_stream.hpp"
#include "loaders/bytes/growing_text.hpp"

namespace kino {

/// Waits for what is not there yet; ends where the text ends, or when stopped. Used by one thread.
class GrowingStream : public ByteStream {
 public:
  /// Both outlive the stream.
  GrowingStream(GrowingText& text, const std::stop_token& stop) : text_(text), stop_(stop) {}
  Result<std::size_t> read(std::span<std::uint8_t> out) override;
  std::uint64_t file_bytes_read() const override { return offset_; }

 private:
  GrowingText& text_;
  const std::stop_token& stop_;
  std::uint64_t offset_ = 0;
};

}  // namespace kino
