// What the program remembers between runs: theme and window size, in one small JSON file.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/result.hpp"

namespace kino {

struct Settings {
  bool dark = true;
  int window_width = 1600;  ///< in window units
  int window_height = 900;
  bool operator==(const Settings&) const = default;
};

/// $XDG_CONFIG_HOME/kinetoscope/settings.json, else below ~/.config; empty when the environment names
/// neither.
std::filesystem::path settings_path();

/// Defaults when there is no file. Values of the wrong type or out of bounds are an Error; unknown keys are
/// ignored.
Result<Settings> read_settings(const std::filesystem::path& path);

/// Replaces the file atomically.
std::optional<Error> write_settings(const std::filesystem::path& path, const Settings& settings);

}  // namespace kino
