// Covers: font_files
#include "app/system/font_files.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <set>

#include <doctest/doctest.h>

TEST_CASE("a family that is not installed is not found") {
  CHECK_FALSE(kino::find_font({"No family has this name"}).has_value());
}

TEST_CASE("fonts cover each character once, and the number of fonts is limited") {
  const std::array<std::uint16_t, 5> wanted = {0x41, 0x3B1, 0x416, 0x3042, 0xE000};
  for (const std::size_t most : {std::size_t{0}, std::size_t{1}, std::size_t{6}}) {
    const std::vector<kino::CoveringFont> fonts = kino::fonts_covering(wanted, "ja", most);
    CHECK(fonts.size() <= most);
    std::set<std::uint16_t> covered;
    for (const kino::CoveringFont& font : fonts) {
      CHECK(std::filesystem::is_regular_file(font.file.path));
      CHECK_FALSE(font.characters.empty());
      for (const std::uint16_t character : font.characters) {
        CHECK(std::ranges::find(wanted, character) != wanted.end());
        CHECK(covered.insert(character).second);
      }
    }
  }
}

TEST_CASE("some font has a letter, and none has U+FFFF") {
  const std::array<std::uint16_t, 1> letter = {0x41};
  if (kino::fonts_covering(letter, "", 1).empty()) {
    MESSAGE("left out: no font is installed");
    return;
  }
  CHECK(kino::one_font_has(letter));
  const std::array<std::uint16_t, 1> no_character = {0xFFFF};
  CHECK_FALSE(kino::one_font_has(no_character));
}
