#include "loaders/formats/capsule/column_piece.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstring>

namespace kino {
namespace {

static_assert(std::endian::native == std::endian::little, "pieces are little endian");

/// Moves the sign to the lowest bit (zigzag), so that the high bytes of numbers with a small magnitude are
/// zero.
template <class T>
T folded(T difference) {
  constexpr int kTop = static_cast<int>(sizeof(T)) * 8 - 1;
  const T sign = static_cast<T>(T{0} - static_cast<T>(difference >> kTop));
  return static_cast<T>(static_cast<T>(difference << 1) ^ sign);
}

template <class T>
T unfolded(T number) {
  return static_cast<T>(static_cast<T>(number >> 1) ^ static_cast<T>(T{0} - static_cast<T>(number & 1)));
}

template <class T>
void code(std::span<const char> elements, char* out, bool deltas) {
  const std::size_t count = elements.size() / sizeof(T);
  T before = 0;
  for (std::size_t i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, elements.data() + i * sizeof(T), sizeof(T));
    const T written = deltas ? folded(static_cast<T>(value - before)) : value;
    before = value;
    for (std::size_t plane = 0; plane < sizeof(T); ++plane) {
      out[plane * count + i] = static_cast<char>(static_cast<unsigned char>(written >> (plane * 8)));
    }
  }
}

template <class T>
void decode(const char* coded, std::span<char> elements, bool deltas) {
  // Decodes one batch at a time, so that its values remain in the cache. Decodes one byte plane after the
  // other, so that the compiler vectorizes the loop.
  constexpr std::size_t kAtOnce = 2048;
  const std::size_t count = elements.size() / sizeof(T);
  std::array<T, kAtOnce> values{};
  T before = 0;
  for (std::size_t first = 0; first < count; first += kAtOnce) {
    const std::size_t batch = std::min(kAtOnce, count - first);
    values.fill(0);
    for (std::size_t plane = 0; plane < sizeof(T); ++plane) {
      const char* const bytes = coded + plane * count + first;
      for (std::size_t i = 0; i < batch; ++i) {
        values[i] = static_cast<T>(values[i] |
                                   static_cast<T>(T{static_cast<unsigned char>(bytes[i])} << (plane * 8)));
      }
    }
    for (std::size_t i = 0; deltas && i < batch; ++i) {
      before = static_cast<T>(before + unfolded(values[i]));
      values[i] = before;
    }
    std::memcpy(elements.data() + first * sizeof(T), values.data(), batch * sizeof(T));
  }
}

/// Calls body() with a value of the unsigned type that has the element's size.
template <class Body>
void with_type(std::size_t element_bytes, Body&& body) {
  switch (element_bytes) {
    case 1:
      return body(std::uint8_t{});
    case 2:
      return body(std::uint16_t{});
    case 4:
      return body(std::uint32_t{});
    default:
      assert(element_bytes == 8);
      return body(std::uint64_t{});
  }
}

}  // namespace

bool has_coding(std::size_t element_bytes, PieceCoding coding) {
  return coding == PieceCoding::plain || (std::has_single_bit(element_bytes) && element_bytes <= 8);
}

std::string coded_piece(std::span<const char> elements, std::size_t element_bytes, PieceCoding coding) {
  std::string out(elements.size(), '\0');
  if (coding == PieceCoding::plain) {
    std::ranges::copy(elements, out.begin());
  } else {
    with_type(element_bytes,
              [&](auto zero) { code<decltype(zero)>(elements, out.data(), coding == PieceCoding::deltas); });
  }
  return out;
}

void decode_piece(std::span<const char> coded, std::span<char> elements, std::size_t element_bytes,
                  PieceCoding coding) {
  assert(coded.size() == elements.size());
  if (coding == PieceCoding::plain) {
    std::ranges::copy(coded, elements.begin());
    return;
  }
  with_type(element_bytes, [&](auto zero) {
    decode<decltype(zero)>(coded.data(), elements, coding == PieceCoding::deltas);
  });
}

}  // namespace kino
