// Transforms pieces of columns for better compression: takes differences between elements, and groups bytes
// by significance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace kino {

/// Coding of a piece. The values are stored in files: never change them; only add new ones.
enum class PieceCoding : std::uint8_t {
  plain = 0,   ///< elements as in memory, little endian
  planes = 1,  ///< the first bytes of all elements, then their second bytes, ...
  deltas = 2,  ///< differences to the previous element, as planes; the sign is the lowest bit
};
inline constexpr std::uint8_t kPieceCodingCount = 3;

/// Returns whether the coding supports the element size. All codings support 1, 2, 4 and 8 bytes; only
/// `plain` supports other sizes.
bool has_coding(std::size_t element_bytes, PieceCoding coding);

/// Returns the coded elements; their size is unchanged. The coding must support the element size.
std::string coded_piece(std::span<const char> elements, std::size_t element_bytes, PieceCoding coding);

/// Decodes the output of coded_piece() into `elements`.
void decode_piece(std::span<const char> coded, std::span<char> elements, std::size_t element_bytes,
                  PieceCoding coding);

}  // namespace kino
