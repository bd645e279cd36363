// Which font files the system has: by family, and by the characters in them.
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

/// As fontconfig knows them. A build without it looks for TrueType and OpenType files in the usual folders
/// (~/.fonts, ~/.local/share/fonts, /usr/local/share/fonts, /usr/share/fonts), once a run, and knows nothing
/// of languages. Any thread.
struct FontFile {
  std::filesystem::path path;
  int face = 0;  ///< in the file
};

/// The regular style of the first of `families` that is installed.
std::optional<FontFile> find_font(std::initializer_list<const char*> families);

struct CoveringFont {
  FontFile file;
  std::vector<std::uint16_t> characters;  ///< of those asked for, which no font before it has
};
/// Fonts that have the characters, at most `most`; those of `language` (may be empty: the person's) first.
std::vector<CoveringFont> fonts_covering(std::span<const std::uint16_t> characters,
                                         const std::string& language, std::size_t most);

/// Whether one installed font has all of them. Some ms.
bool one_font_has(std::span<const std::uint16_t> characters);

}  // namespace kino
