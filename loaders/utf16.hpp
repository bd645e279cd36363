// UTF-16 text as UTF-8, as Windows' PowerShell and Notepad write files.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>

#include "loaders/byte_stream.hpp"
#include "loaders/spool_writer.hpp"

namespace kino {

/// Whether a byte order mark says so. That of UTF-32 begins likewise, and is none.
bool is_utf16(std::string_view head);

/// Turns code units into UTF-8 as they come. Lone surrogates become U+FFFD.
class Utf16Decoder {
 public:
  /// Appends what `bytes` complete. The first two of a stream are its byte order mark and leave nothing.
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

/// Copies a stream that is_utf16() into the spool, from its byte order mark to its end.
void copy_utf16(ByteStream& in, SpoolWriter& out, const std::stop_token& stop);

}  // namespace kino
