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

/// A font file as found by fontconfig. A build without fontconfig scans folders for TrueType and OpenType
/// files once per run, and ignores languages. The folders are the bundled one, ~/.fonts,
/// ~/.local/share/fonts, /usr/local/share/fonts and /usr/share/fonts. The functions below may be called from
/// any thread.
struct FontFile {
  std::filesystem::path path;
  int face = 0;  ///< index of the font in the file
};

/// Returns the regular style of the first of these families that is installed.
std::optional<FontFile> find_font(std::initializer_list<const char*> families);

struct CoveringFont {
  FontFile file;
  std::vector<std::uint16_t> characters;  ///< requested characters that no earlier font in the list has
};
/// Returns at most `most` fonts that together have the characters, except those that no installed font has.
/// Fonts for `language` (empty: the user's language) come first.
std::vector<CoveringFont> fonts_covering(std::span<const std::uint16_t> characters,
                                         const std::string& language, std::size_t most);

/// Whether a single installed font has all characters. Takes a few ms with fontconfig.
bool one_font_has(std::span<const std::uint16_t> characters);

}  // namespace kino
