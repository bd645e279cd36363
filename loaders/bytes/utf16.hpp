// UTF-16 text as UTF-8, as Windows' PowerShell and Notepad write files.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "loaders/bytes/spool_writer.hpp"

namespace kino {

/// Whether a byte order mark says so, or, without one, a bracket and what follows it, each beside a zero
/// byte: text as JSON begins. The mark of UTF-32 begins with the same bytes, and is none.
bool is_utf16(std::string_view head);

/// Turns code units into UTF-8 as they come. Lone surrogates become U+FFFD.
class Utf16Decoder {
 public:
  /// Appends what `bytes` complete. The first two of a stream tell the order of bytes; a mark leaves nothing.
  void decode(std::string_view bytes, std::string& out);
  /// At the end: a byte or surrogate that nothing follows becomes U+FFFD.
  void finish(std::string& out);

 private:
  void take(std::uint32_t unit, std::string& out);

  bool begun_ = false;
  bool big_endian_ = false;
  bool has_byte_ = false;
  unsigned char byte_ = 0;
  std::uint32_t high_ = 0;  // a surrogate that waits for its second half
};

/// The begin of a text as it reads: as UTF-8 when it is_utf16(), else as it is.
std::string as_utf8(std::string head);

/// Writes a text that is_utf16() as UTF-8, and every other as it is.
class Utf8SpoolWriter : public SpoolWriter {
 public:
  using SpoolWriter::SpoolWriter;
  void finish() override;

 private:
  bool put(std::span<const std::uint8_t> data, std::uint32_t crc_before, std::uint32_t crc_after) override;
  /// What the first bytes say the text is; they are written then.
  bool begin();
  bool put_converted(std::string_view data);
  bool put_plain(std::string_view text);

  enum class Form : std::uint8_t { unknown, plain, utf16 } form_ = Form::unknown;
  std::string held_;  // while it is unknown
  std::string text_;
  Utf16Decoder decoder_;
};

}  // namespace kino
