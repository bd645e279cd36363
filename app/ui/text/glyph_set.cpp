#include "app/ui/text/glyph_set.hpp"

#include <algorithm>

namespace kino {

void GlyphSet::add_code_point(std::uint32_t code_point) {
  if (code_point < kFirst || code_point > 0xFFFF) return;
  if (!bits_) bits_ = std::make_unique<std::uint64_t[]>(kWords);
  bits_[code_point / 64] |= std::uint64_t{1} << (code_point % 64);
}

void GlyphSet::add(std::string_view utf8) {
  std::size_t i = 0;
  while (i < utf8.size()) {
    const auto lead = static_cast<unsigned char>(utf8[i]);
    const std::size_t length = lead < 0xE0 ? (lead < 0xC2 ? 1 : 2) : (lead < 0xF0 ? 3 : 4);
    if (length == 3 || length == 2) {
      std::uint32_t code_point = lead & (length == 2 ? 0x1FU : 0x0FU);
      bool valid = i + length <= utf8.size();
      for (std::size_t k = 1; valid && k < length; ++k) {
        const auto next = static_cast<unsigned char>(utf8[i + k]);
        valid = (next & 0xC0U) == 0x80U;
        code_point = (code_point << 6U) | (next & 0x3FU);
      }
      if (valid) add_code_point(code_point);
    }
    i += length;
  }
}

void GlyphSet::add(const GlyphSet& other) {
  if (!other.bits_) return;
  if (!bits_) bits_ = std::make_unique<std::uint64_t[]>(kWords);
  for (std::size_t i = 0; i < kWords; ++i) bits_[i] |= other.bits_[i];
}

bool GlyphSet::contains(std::uint32_t code_point) const {
  return bits_ && code_point <= 0xFFFF && ((bits_[code_point / 64] >> (code_point % 64)) & 1U) != 0;
}

std::vector<std::uint16_t> GlyphSet::code_points() const {
  std::vector<std::uint16_t> found;
  if (!bits_) return found;
  for (std::uint32_t code_point = kFirst; code_point <= 0xFFFF; ++code_point) {
    if (contains(code_point)) found.push_back(static_cast<std::uint16_t>(code_point));
  }
  return found;
}

bool GlyphSet::includes(const GlyphSet& other) const {
  if (!other.bits_) return true;
  return bits_ && std::equal(other.bits_.get(), other.bits_.get() + kWords, bits_.get(),
                             [](std::uint64_t theirs, std::uint64_t ours) { return (theirs & ~ours) == 0; });
}

}  // namespace kino
