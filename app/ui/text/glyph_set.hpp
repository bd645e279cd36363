// The characters that occur in a text, so that fonts load only these.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace kino {

/// Set of code points of the Basic Multilingual Plane from U+0250 on; fonts always load the characters below.
/// Takes 8 KiB unless empty.
class GlyphSet {
 public:
  /// Adds the characters of UTF-8 text; invalid bytes are skipped. About 1 ns per byte on ASCII.
  void add(std::string_view utf8);
  void add(const GlyphSet& other);
  bool contains(std::uint32_t code_point) const;
  bool empty() const { return !bits_; }
  /// Returns the code points in ascending order.
  std::vector<std::uint16_t> code_points() const;
  /// Whether all members of `other` are members of this set.
  bool includes(const GlyphSet& other) const;

  static constexpr std::uint32_t kFirst = 0x250;

 private:
  static constexpr std::size_t kWords = 0x10000 / 64;

  void add_code_point(std::uint32_t code_point);

  std::unique_ptr<std::uint64_t[]> bits_;  // kWords words; null while empty
};

}  // namespace kino
