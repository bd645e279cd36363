// Settings saved between runs (theme, colors, window, splitters) in one small JSON file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "app/shell/settings/color_modes.hpp"
#include "app/shell/settings/drawer_heights.hpp"
#include "app/ui/text/texts.hpp"
#include "core/base/byte_text.hpp"
#include "core/base/result.hpp"

namespace kino {

inline constexpr float kSmallestInterface = 0.5F;
inline constexpr float kLargestInterface = 3;

/// Meaning of a drag of the left button over the tracks of a timeline.
enum class Dragging : std::uint8_t { selects, pans };

struct Settings {
  bool dark = true;
  std::optional<Language> language;  ///< nullopt: the system's language
  int window_width = 1600;           ///< in window units
  int window_height = 900;
  std::optional<int> window_x;  ///< left edge of the content on the desktop; nullopt: the system chooses
  std::optional<int> window_y;
  bool maximized = false;
  float header_width = 240;  ///< width of the timeline's headers, at scale 1
  DrawerHeightsByKind drawer_heights{};
  bool small_verdict = false;  ///< whether the verdict above a page takes one line
  bool inspector = true;       ///< whether wide pages have an inspector on the right
  ColorOptions look;
  std::optional<Dragging> dragging = Dragging::selects;  ///< nullopt: the file is older than this setting
  ByteUnits units = ByteUnits::decimal;
  float interface_scale = 1;  ///< relative to the system's scale; kSmallestInterface to kLargestInterface
  bool operator==(const Settings&) const = default;
};

/// $`variable`/kinetoscope, else $HOME/`below_home`/kinetoscope; empty if neither variable is an absolute
/// path.
std::filesystem::path user_folder(const char* variable, std::string_view below_home);

/// $XDG_CONFIG_HOME/kinetoscope/settings.json, else $HOME/.config/kinetoscope/settings.json; empty if neither
/// variable is an absolute path.
std::filesystem::path settings_path();

/// Reads the settings; returns the defaults if the file does not exist. `dragging` is nullopt if the file
/// lacks it. Unknown keys and invalid color modes are ignored. Other values of the wrong type or out of
/// bounds are errors.
Result<Settings> read_settings(const std::filesystem::path& path);

/// Replaces the file atomically.
std::optional<Error> write_settings(const std::filesystem::path& path, const Settings& settings);

}  // namespace kino
