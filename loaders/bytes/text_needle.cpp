#include "loaders/bytes/text_needle.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/base/ascii.hpp"

namespace kino {
namespace {

constexpr std::uint64_t kOnes = 0x0101010101010101U;
constexpr std::uint64_t kHighs = 0x8080808080808080U;

static_assert(std::endian::native == std::endian::little);

std::uint64_t eight_bytes(const char* text) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, text, sizeof(bytes));
  return bytes;
}

std::uint64_t repeated(char c) { return kOnes * static_cast<unsigned char>(c); }

bool is_lower_letter(char c) { return c >= 'a' && c <= 'z'; }

}  // namespace

TextNeedle::TextNeedle(std::string_view literal) : lower_(literal) {
  std::transform(lower_.begin(), lower_.end(), lower_.begin(), lower);
  first_ = repeated(lower_.front());
  last_ = repeated(lower_.back());
  first_fold_ = is_lower_letter(lower_.front()) ? repeated(0x20) : 0;
  last_fold_ = is_lower_letter(lower_.back()) ? repeated(0x20) : 0;
}

bool TextNeedle::matches_at(const char* text) const {
  return std::equal(lower_.begin(), lower_.end(), text,
                    [](char wanted, char found) { return wanted == lower(found); });
}

std::size_t TextNeedle::find_in(std::string_view text, std::size_t from) const {
  const std::size_t length = lower_.size();
  if (text.size() < length || from > text.size() - length) return std::string_view::npos;
  const std::size_t last = text.size() - length;
  const char* const data = text.data();
  std::size_t at = from;
  for (; at + 7 <= last; at += 8) {
    const std::uint64_t differs = ((eight_bytes(data + at) | first_fold_) ^ first_) |
                                  ((eight_bytes(data + at + length - 1) | last_fold_) ^ last_);
    // The high bits mark zero bytes, and sometimes also the byte above a zero byte. So each candidate is
    // compared.
    std::uint64_t zero = (differs - kOnes) & ~differs & kHighs;
    for (; zero != 0; zero &= zero - 1) {
      const std::size_t candidate = at + static_cast<std::size_t>(std::countr_zero(zero)) / 8;
      if (matches_at(data + candidate)) return candidate;
    }
  }
  for (; at <= last; ++at) {
    if (matches_at(data + at)) return at;
  }
  return std::string_view::npos;
}

}  // namespace kino
