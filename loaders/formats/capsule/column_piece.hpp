// A piece of a column so that it compresses well: what changes little from element to element becomes small,
// and bytes of the same weight stand together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace kino {

/// How a piece is written. Numbers are those in files: none changes its meaning, new ones come behind.
enum class PieceCoding : std::uint8_t {
  plain = 0,   ///< as in memory, little endian
  planes = 1,  ///< the first bytes of all elements, then the second ones, ...
  deltas = 2,  ///< differences to the element before, as planes; the sign in the lowest bit
};
inline constexpr std::uint8_t kPieceCodingCount = 3;

/// Elements of 1, 2, 4 or 8 bytes have every coding, others `plain` alone.
bool has_coding(std::size_t element_bytes, PieceCoding coding);

/// The elements coded, of the same size. The coding is one that they have.
std::string coded_piece(std::span<const char> elements, std::size_t element_bytes, PieceCoding coding);

/// Fills `elements` from what coded_piece() made of as many.
void decode_piece(std::span<const char> coded, std::span<char> elements, std::size_t element_bytes,
                  PieceCoding coding);

}  // namespace kino
