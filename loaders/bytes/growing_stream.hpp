// Sequential reads of a text that may still grow.
#pragma once

#include <stop_token>

#include "loaders/bytes/byte_stream.hpp"
#include "loaders/bytes/growing_text.hpp"

namespace kino {

/// Reads a text from its start, and waits for bytes that are not written yet. Ends at the end of the text, or
/// on a stop request; fails if the text ends with an error.
class GrowingStream : public ByteStream {
 public:
  /// Both must outlive the stream.
  GrowingStream(GrowingText& text, const std::stop_token& stop) : text_(text), stop_(stop) {}
  Result<std::size_t> read(std::span<std::uint8_t> out) override;
  std::uint64_t file_bytes_read() const override { return offset_; }

 private:
  GrowingText& text_;
  const std::stop_token& stop_;
  std::uint64_t offset_ = 0;
};

}  // namespace kino
