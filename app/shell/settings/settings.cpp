#include "app/shell/settings/settings.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>

#include <nlohmann/json.hpp>

#include "app/system/atomic_file.hpp"
#include "core/base/messages/message.hpp"

namespace kino {
namespace {

constexpr int kSmallestWindow = 200;
constexpr int kLargestWindow = 16384;
constexpr std::size_t kLargestSettingsFile = 1 << 20;

// Sets the number when there is one; false when it is something else or out of bounds.
template <class Number>
bool read_number(const nlohmann::json& json, const char* key, double least, double most, Number& number) {
  const auto found = json.find(key);
  if (found == json.end()) return true;
  if (!found->is_number()) return false;
  const auto value = found->get<double>();
  if (!(value >= least && value <= most)) return false;
  number = static_cast<Number>(value);
  return true;
}

std::optional<int> window_length(const nlohmann::json& json, const char* key, int fallback) {
  const auto found = json.find(key);
  if (found == json.end()) return fallback;
  if (!found->is_number_integer()) return std::nullopt;
  const auto value = found->get<std::int64_t>();
  if (value < kSmallestWindow || value > kLargestWindow) return std::nullopt;
  return static_cast<int>(value);
}

}  // namespace

std::filesystem::path settings_path() {
  const char* config = std::getenv("XDG_CONFIG_HOME");
  if (config != nullptr && config[0] == '/') {
    return std::filesystem::path(config) / "kinetoscope" / "settings.json";
  }
  const char* home = std::getenv("HOME");
  if (home == nullptr || home[0] != '/') return {};
  return std::filesystem::path(home) / ".config" / "kinetoscope" / "settings.json";
}

Result<Settings> read_settings(const std::filesystem::path& path) {
  std::error_code code;
  if (path.empty() || !std::filesystem::exists(path, code)) return Settings{};
  if (std::filesystem::file_size(path, code) > kLargestSettingsFile || code) {
    return Error{Error::Kind::corrupt, msg::the_settings_are_no_small_file};
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) return Error{Error::Kind::no_permission, msg::the_settings_cannot_be_read};
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return Error{Error::Kind::corrupt, msg::the_settings_are_no_object};

  Settings settings;
  if (const auto theme = json.find("theme"); theme != json.end()) {
    if (*theme != "dark" && *theme != "light") {
      return Error{Error::Kind::corrupt, msg::unknown_theme_in_the_settings};
    }
    settings.dark = *theme == "dark";
  }
  if (const auto language = json.find("language"); language != json.end()) {
    settings.language =
        language->is_string() ? language_from_code(language->get_ref<const std::string&>()) : std::nullopt;
    if (!settings.language) {
      return Error{Error::Kind::corrupt, msg::unknown_language_in_the_settings};
    }
  }
  const auto width = window_length(json, "window_width", settings.window_width);
  const auto height = window_length(json, "window_height", settings.window_height);
  if (!width || !height) {
    return Error{Error::Kind::corrupt, msg::window_size_out_of_bounds};
  }
  settings.window_width = *width;
  settings.window_height = *height;
  int x = 0;
  int y = 0;
  if (!read_number(json, "window_x", -kLargestWindow, kLargestWindow, x) ||
      !read_number(json, "window_y", -kLargestWindow, kLargestWindow, y)) {
    return Error{Error::Kind::corrupt, msg::window_place_out_of_bounds};
  }
  if (json.contains("window_x") && json.contains("window_y")) {
    settings.window_x = x;
    settings.window_y = y;
  }
  if (const auto maximized = json.find("maximized"); maximized != json.end()) {
    if (!maximized->is_boolean()) {
      return Error{Error::Kind::corrupt, {msg::setting_is_no_truth_value, "maximized"}};
    }
    settings.maximized = maximized->get<bool>();
  }
  if (!read_number(json, "header_width", 0, kLargestWindow, settings.header_width) ||
      !read_number(json, "drawer_height", 0, kLargestWindow, settings.drawer_height)) {
    return Error{Error::Kind::corrupt, msg::splitter_out_of_bounds};
  }
  if (!read_number(json, "interface_scale", kSmallestInterface, kLargestInterface,
                   settings.interface_scale)) {
    return Error{Error::Kind::corrupt, msg::interface_scale_out_of_bounds};
  }
  if (const auto mode = json.find("color_by"); mode != json.end()) {
    const auto known =
        mode->is_string() ? color_mode_named(mode->get_ref<const std::string&>()) : std::nullopt;
    // A later version may know more.
    if (known) settings.look.color_mode = *known;
  }
  if (const auto units = json.find("units"); units != json.end()) {
    const auto known =
        units->is_string() ? byte_units_named(units->get_ref<const std::string&>()) : std::nullopt;
    if (!known) {
      return Error{Error::Kind::corrupt, msg::unknown_units_in_the_settings};
    }
    settings.units = *known;
  }
  if (const auto full = json.find("full_names"); full != json.end()) {
    if (!full->is_boolean()) {
      return Error{Error::Kind::corrupt, {msg::setting_is_no_truth_value, "full_names"}};
    }
    settings.look.full_names = full->get<bool>();
  }
  return settings;
}

std::optional<Error> write_settings(const std::filesystem::path& path, const Settings& settings) {
  if (path.empty()) {
    return Error{Error::Kind::system, msg::no_place_for_settings};
  }
  nlohmann::ordered_json json = {{"theme", settings.dark ? "dark" : "light"},
                                 {"window_width", settings.window_width},
                                 {"window_height", settings.window_height}};
  if (settings.language) json["language"] = code_of(*settings.language);
  if (settings.window_x && settings.window_y) {
    json["window_x"] = *settings.window_x;
    json["window_y"] = *settings.window_y;
  }
  json["maximized"] = settings.maximized;
  json["header_width"] = settings.header_width;
  json["drawer_height"] = settings.drawer_height;
  json["color_by"] = text_of(settings.look.color_mode);
  json["full_names"] = settings.look.full_names;
  if (settings.units != ByteUnits::decimal) json["units"] = name_of(settings.units);
  if (settings.interface_scale != 1) json["interface_scale"] = settings.interface_scale;
  return write_file_atomically(path, json.dump(2) + "\n", Durability::power_loss);
}

}  // namespace kino
