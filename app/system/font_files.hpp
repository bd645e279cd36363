// Finds font files of the system by family and by their characters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kino {

/// A font as in fontconfig. A build without fontconfig scans the usual folders (~/.fonts,
/// ~/.local/share/fonts, /usr/local/share/fonts, /usr/share/fonts) for TrueType and OpenType files once per
/// run, and ignores languages. Any thread.
struct FontFile {
  std::filesystem::path path;
  int face = 0;  ///< index in the file
};

/// The regular style of the first installed family.
std::optional<FontFile> find_font(std::initializer_list<const char*> families);

struct CoveringFont {
  FontFile file;
  std::vector<std::uint16_t> characters;  ///< requested characters that no earlier font has
};
/// Returns at most `most` fonts with the characters. Fonts of `language` (empty: the user's) come first.
std::vector<CoveringFont> fonts_covering(std::span<const std::uint16_t> characters,
                                         const std::string& language, std::size_t most);

/// Whether a single installed font has all characters. Takes a few ms.
bool one_font_has(std::span<const std::uint16_t> characters);

}  // namespace kino
