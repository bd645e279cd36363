// Decodes numbers and strings in pickles, and names the opcodes that are refused.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace kino {

/// Reads up to 8 bytes.
std::uint64_t little_endian(std::span<const std::uint8_t> bytes);

struct PickleInteger {
  enum class Size : std::uint8_t {
    fits,           ///< a signed 64-bit integer
    unsigned_only,  ///< `number` has the bits of a std::uint64_t
    too_large,
  };
  Size size = Size::fits;
  std::int64_t number = 0;
};
/// Parses little-endian two's complement of any length.
PickleInteger integer_from_bytes(std::string_view text);
/// Parses decimal digits. Text that is not a number counts as too large.
PickleInteger integer_from_decimal(std::string_view text);

/// Decodes the argument of STRING: removes the quotes and escapes of Python's repr(). nullopt if the quotes
/// do not match.
std::optional<std::string> unquoted_text(std::string_view line);
/// Decodes the argument of UNICODE: converts Latin-1 with \uXXXX and \UXXXXXXXX to UTF-8.
std::string unescaped_text(std::string_view line);

/// Returns the name of an opcode that is always refused, since it would run code or needs data outside of the
/// pickle. Null for other opcodes.
const char* refused_opcode(std::uint8_t opcode);

}  // namespace kino
