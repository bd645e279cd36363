#include "app/system/font_files.hpp"

#include "app/system/assets.hpp"
#include "app/system/released_by.hpp"

#ifdef KINETOSCOPE_WITH_FONTCONFIG

#include <utility>

#include <fontconfig/fontconfig.h>

namespace kino {
namespace {

using Pattern = Owned<FcPattern, FcPatternDestroy>;
using CharSet = Owned<FcCharSet, FcCharSetDestroy>;
using FontSet = Owned<FcFontSet, FcFontSetDestroy>;
using ObjectSet = Owned<FcObjectSet, FcObjectSetDestroy>;

std::optional<FontFile> file_of(FcPattern* pattern) {
  FcChar8* file = nullptr;
  int face = 0;
  if (FcPatternGetString(pattern, FC_FILE, 0, &file) != FcResultMatch) return std::nullopt;
  if (FcPatternGetInteger(pattern, FC_INDEX, 0, &face) != FcResultMatch) face = 0;
  return FontFile{reinterpret_cast<const char*>(file), face & 0xFFFF};
}

bool has_family(FcPattern* pattern, const char* family) {
  FcChar8* name = nullptr;
  for (int i = 0; FcPatternGetString(pattern, FC_FAMILY, i, &name) == FcResultMatch; ++i) {
    if (FcStrCmpIgnoreCase(name, reinterpret_cast<const FcChar8*>(family)) == 0) return true;
  }
  return false;
}

// Adds the bundled fonts to fontconfig in the first call.
void need_bundled_fonts() {
  static const bool added = [] {
    const std::optional<std::filesystem::path> folder = find_bundled_fonts();
    return folder &&
           FcConfigAppFontAddDir(nullptr, reinterpret_cast<const FcChar8*>(folder->c_str())) == FcTrue;
  }();
  static_cast<void>(added);
}

Pattern regular_of(const char* family) {
  Pattern pattern(FcPatternCreate());
  if (family != nullptr)
    FcPatternAddString(pattern.get(), FC_FAMILY, reinterpret_cast<const FcChar8*>(family));
  FcPatternAddInteger(pattern.get(), FC_WEIGHT, FC_WEIGHT_REGULAR);
  FcPatternAddInteger(pattern.get(), FC_SLANT, FC_SLANT_ROMAN);
  FcPatternAddBool(pattern.get(), FC_SCALABLE, FcTrue);
  return pattern;
}

CharSet loaded_set(std::span<const std::uint16_t> characters) {
  CharSet set(FcCharSetCreate());
  for (const std::uint16_t character : characters) FcCharSetAddChar(set.get(), character);
  return set;
}

}  // namespace

std::optional<FontFile> find_font(std::initializer_list<const char*> families) {
  need_bundled_fonts();
  for (const char* family : families) {
    const Pattern wanted = regular_of(family);
    FcConfigSubstitute(nullptr, wanted.get(), FcMatchPattern);
    FcDefaultSubstitute(wanted.get());
    FcResult result = FcResultNoMatch;
    const Pattern found(FcFontMatch(nullptr, wanted.get(), &result));
    if (found && has_family(found.get(), family)) return file_of(found.get());
  }
  return std::nullopt;
}

std::vector<CoveringFont> fonts_covering(std::span<const std::uint16_t> characters,
                                         const std::string& language, std::size_t most) {
  need_bundled_fonts();
  std::vector<CoveringFont> covering;
  const CharSet missing = loaded_set(characters);
  const Pattern wanted = regular_of(nullptr);
  if (!language.empty())
    FcPatternAddString(wanted.get(), FC_LANG, reinterpret_cast<const FcChar8*>(language.c_str()));
  FcPatternAddCharSet(wanted.get(), FC_CHARSET, missing.get());
  FcConfigSubstitute(nullptr, wanted.get(), FcMatchPattern);
  FcDefaultSubstitute(wanted.get());
  FcResult result = FcResultNoMatch;
  const FontSet fonts(FcFontSort(nullptr, wanted.get(), FcTrue, nullptr, &result));
  if (!fonts) return covering;
  for (int i = 0; i < fonts->nfont && covering.size() < most && FcCharSetCount(missing.get()) > 0; ++i) {
    FcCharSet* has = nullptr;
    std::optional<FontFile> file = file_of(fonts->fonts[i]);
    if (!file || FcPatternGetCharSet(fonts->fonts[i], FC_CHARSET, 0, &has) != FcResultMatch) continue;
    std::vector<std::uint16_t> covered;
    for (const std::uint16_t character : characters) {
      if (FcCharSetHasChar(missing.get(), character) && FcCharSetHasChar(has, character)) {
        covered.push_back(character);
        FcCharSetDelChar(missing.get(), character);
      }
    }
    if (!covered.empty()) covering.push_back({std::move(*file), std::move(covered)});
  }
  return covering;
}

bool one_font_has(std::span<const std::uint16_t> characters) {
  need_bundled_fonts();
  const CharSet needed = loaded_set(characters);
  const Pattern wanted(FcPatternCreate());
  FcPatternAddBool(wanted.get(), FC_SCALABLE, FcTrue);
  FcPatternAddCharSet(wanted.get(), FC_CHARSET, needed.get());
  const ObjectSet fields(FcObjectSetBuild(FC_FILE, nullptr));
  const FontSet found(FcFontList(nullptr, wanted.get(), fields.get()));
  return found && found->nfont > 0;
}

}  // namespace kino

#else

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <type_traits>

#include <ft2build.h>

#include "core/base/ascii.hpp"

#include FT_FREETYPE_H

namespace kino {
namespace {

constexpr std::size_t kMostFontFiles = 20'000;
constexpr int kMostFolders = 6;  // depth of recursion
constexpr long kMostFaces = 64;  // of one collection

using Library = Owned<std::remove_pointer_t<FT_Library>, FT_Done_FreeType>;
using Face = Owned<std::remove_pointer_t<FT_Face>, FT_Done_Face>;

struct FoundFont {
  FontFile file;
  std::string family;
  std::string style;
};

Library new_library() {
  FT_Library library = nullptr;
  return Library(FT_Init_FreeType(&library) == 0 ? library : nullptr);
}

Face opened_face(const Library& library, const FontFile& file) {
  FT_Face face = nullptr;
  if (library == nullptr || FT_New_Face(library.get(), file.path.c_str(), file.face, &face) != 0)
    return nullptr;
  return Face(face);
}

std::vector<std::filesystem::path> font_folders() {
  std::vector<std::filesystem::path> folders;
  if (std::optional<std::filesystem::path> bundled = find_bundled_fonts())
    folders.push_back(std::move(*bundled));
  if (const char* home = std::getenv("HOME"); home != nullptr && home[0] == '/') {
    folders.push_back(std::filesystem::path(home) / ".fonts");
    folders.push_back(std::filesystem::path(home) / ".local" / "share" / "fonts");
  }
  folders.emplace_back("/usr/local/share/fonts");
  folders.emplace_back("/usr/share/fonts");
  return folders;
}

bool is_font_file(const std::filesystem::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".ttf" || extension == ".otf" || extension == ".ttc" || extension == ".otc";
}

void add_faces(const Library& library, const std::filesystem::path& path, std::vector<FoundFont>& found) {
  long faces = 1;
  for (long i = 0; i < std::min(faces, kMostFaces); ++i) {
    const FontFile file{path, static_cast<int>(i)};
    const Face face = opened_face(library, file);
    if (face == nullptr) return;
    faces = face->num_faces;
    if (face->family_name == nullptr || !FT_IS_SCALABLE(face.get())) continue;
    found.push_back({file, face->family_name, face->style_name != nullptr ? face->style_name : ""});
  }
}

std::vector<FoundFont> look_for_fonts() {
  std::vector<FoundFont> found;
  const Library library = new_library();
  for (const std::filesystem::path& folder : font_folders()) {
    std::error_code code;
    using Walk = std::filesystem::recursive_directory_iterator;
    std::vector<std::filesystem::path> files;
    for (Walk entry(folder, std::filesystem::directory_options::skip_permission_denied, code), end;
         !code && entry != end && files.size() < kMostFontFiles; entry.increment(code)) {
      if (entry.depth() >= kMostFolders) entry.disable_recursion_pending();
      std::error_code unknown;
      if (is_font_file(entry->path()) && entry->is_regular_file(unknown)) files.push_back(entry->path());
    }
    std::ranges::sort(files);
    for (const std::filesystem::path& file : files) add_faces(library, file, found);
  }
  return found;
}

const std::vector<FoundFont>& installed_fonts() {
  static const std::vector<FoundFont> fonts = look_for_fonts();
  return fonts;
}

bool is_regular(const FoundFont& font) {
  return font.style.empty() || font.style == "Regular" || font.style == "Book" || font.style == "Roman" ||
         font.style == "Normal";
}

bool same_family(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char left, char right) { return lower(left) == lower(right); });
}

}  // namespace

std::optional<FontFile> find_font(std::initializer_list<const char*> families) {
  for (const char* family : families) {
    for (const FoundFont& font : installed_fonts()) {
      if (is_regular(font) && same_family(font.family, family)) return font.file;
    }
  }
  return std::nullopt;
}

std::vector<CoveringFont> fonts_covering(std::span<const std::uint16_t> characters,
                                         const std::string& /*language*/, std::size_t most) {
  std::vector<CoveringFont> covering;
  std::vector<std::uint16_t> missing(characters.begin(), characters.end());
  const Library library = new_library();
  for (const FoundFont& font : installed_fonts()) {
    if (missing.empty() || covering.size() >= most) break;
    const Face face = is_regular(font) ? opened_face(library, font.file) : nullptr;
    if (face == nullptr) continue;
    const auto covered = [&](std::uint16_t character) {
      return FT_Get_Char_Index(face.get(), character) != 0;
    };
    CoveringFont one{font.file, {}};
    std::ranges::copy_if(missing, std::back_inserter(one.characters), covered);
    std::erase_if(missing, covered);
    if (!one.characters.empty()) covering.push_back(std::move(one));
  }
  return covering;
}

bool one_font_has(std::span<const std::uint16_t> characters) {
  const Library library = new_library();
  return std::ranges::any_of(installed_fonts(), [&](const FoundFont& font) {
    const Face face = opened_face(library, font.file);
    return face != nullptr && std::ranges::all_of(characters, [&](std::uint16_t character) {
             return FT_Get_Char_Index(face.get(), character) != 0;
           });
  });
}

}  // namespace kino

#endif
