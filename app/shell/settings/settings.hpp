// Settings saved between runs (theme, colors, window, splitters) in one small JSON file.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "app/shell/settings/color_modes.hpp"
#include "app/ui/text/texts.hpp"
#include "core/base/byte_text.hpp"
#include "core/base/result.hpp"

namespace kino {

inline constexpr float kSmallestInterface = 0.5F;
inline constexpr float kLargestInterface = 3;

struct Settings {
  bool dark = true;
  std::optional<Language> language;  ///< nullopt: the system's
  int window_width = 1600;           ///< in window units
  int window_height = 900;
  std::optional<int> window_x;  ///< content's left on the desktop; nullopt: the system chooses
  std::optional<int> window_y;
  bool maximized = false;
  float header_width = 240;  ///< width of the timeline's headers, at scale 1
  float drawer_height = 270;
  ColorOptions look;
  ByteUnits units = ByteUnits::decimal;
  float interface_scale = 1;  ///< relative to the system's scale; kSmallestInterface to kLargestInterface
  bool operator==(const Settings&) const = default;
};

/// $`variable`/kinetoscope, else $HOME/`below_home`/kinetoscope; empty if neither variable is an absolute path.
std::filesystem::path user_folder(const char* variable, std::string_view below_home);

/// $XDG_CONFIG_HOME/kinetoscope/settings.json, else $HOME/.config/kinetoscope/settings.json; empty if neither
/// variable is an absolute path.
std::filesystem::path settings_path();

/// Reads the settings; returns the defaults if the file does not exist. Values of the wrong type or out of
/// bounds are errors; unknown keys are ignored.
Result<Settings> read_settings(const std::filesystem::path& path);

/// Replaces the file atomically.
std::optional<Error> write_settings(const std::filesystem::path& path, const Settings& settings);

}  // namespace kino
