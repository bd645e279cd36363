// Options for the colors and names of slices, shared by all documents.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace kino {

/// Property that determines a slice's color, in the order of the menu and of the command that cycles through
/// the modes.
enum class ColorMode : std::uint8_t { name, kind, stream, module, duration };
inline constexpr std::size_t kColorModeCount = static_cast<std::size_t>(ColorMode::duration) + 1;

/// Names in settings and state files.
inline constexpr std::array<std::string_view, kColorModeCount> kColorModeNames = {"name", "kind", "stream",
                                                                                  "module", "duration"};
inline std::string_view text_of(ColorMode mode) { return kColorModeNames[static_cast<std::size_t>(mode)]; }
inline std::optional<ColorMode> color_mode_named(std::string_view name) {
  for (std::size_t i = 0; i < kColorModeCount; ++i) {
    if (kColorModeNames[i] == name) return static_cast<ColorMode>(i);
  }
  return std::nullopt;
}

struct ColorOptions {
  ColorMode color_mode = ColorMode::name;
  bool full_names = false;  ///< false: kernels and functions have short, unambiguous names
  bool operator==(const ColorOptions&) const = default;
};

}  // namespace kino
