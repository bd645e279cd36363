// Converts UTF-16 text, as written by PowerShell and Notepad on Windows, to UTF-8.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "loaders/bytes/spool_writer.hpp"

namespace kino {

/// Returns whether the text is UTF-16: it starts with the byte order mark, or with a bracket or white space
/// next to zero bytes. The byte order mark of UTF-32 is not accepted.
bool is_utf16(std::string_view head);

/// Converts a stream of code units to UTF-8. Lone surrogates become U+FFFD.
class Utf16Decoder {
 public:
  /// Appends the characters that are complete after `bytes`. The first two bytes determine the byte order; a
  /// byte order mark is dropped.
  void decode(std::string_view bytes, std::string& out);
  /// Ends the stream. An incomplete code unit or surrogate pair becomes U+FFFD.
  void finish(std::string& out);

 private:
  void take(std::uint32_t unit, std::string& out);

  bool begun_ = false;
  bool big_endian_ = false;
  bool has_byte_ = false;
  unsigned char byte_ = 0;
  std::uint32_t high_ = 0;  // high surrogate whose low surrogate has not been read yet
};

/// Converts a head to UTF-8 if is_utf16(); otherwise returns it unchanged.
std::string as_utf8(std::string head);

/// Writes a text to a spool, converted to UTF-8 if is_utf16(); otherwise unchanged.
class Utf8SpoolWriter : public SpoolWriter {
 public:
  using SpoolWriter::SpoolWriter;
  void finish() override;

 private:
  bool put(std::span<const std::uint8_t> data, std::uint32_t crc_before, std::uint32_t crc_after) override;
  /// Detects the form from the held bytes, and writes these bytes.
  bool begin();
  bool put_converted(std::string_view data);
  bool put_plain(std::string_view text);

  enum class Form : std::uint8_t { unknown, plain, utf16 } form_ = Form::unknown;
  std::string held_;  // bytes held while the form is unknown
  std::string text_;
  Utf16Decoder decoder_;
};

}  // namespace kino
