#include "app/shell/settings/settings.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/shell/settings/person_file.hpp"
#include "app/system/atomic_file.hpp"
#include "core/base/messages/message.hpp"

namespace kino {
namespace {

constexpr int kSmallestWindow = 200;
constexpr int kLargestWindow = 16384;
constexpr std::size_t kLargestSettingsFile = 1 << 20;

// Sets `number` if the key exists. Returns false if the value is not a number or out of bounds.
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

Error corrupt_settings(Message what) { return {Error::Kind::corrupt, std::move(what)}; }

std::optional<Error> read_flag(const nlohmann::json& json, const char* key, bool& flag) {
  const auto found = json.find(key);
  if (found == json.end()) return std::nullopt;
  if (!found->is_boolean()) return corrupt_settings({msg::setting_not_a_boolean, key});
  flag = found->get<bool>();
  return std::nullopt;
}

std::optional<Error> read_theme_and_language(const nlohmann::json& json, Settings& settings) {
  if (json.contains("theme")) {
    const std::string* theme = text_at(json, "theme");
    if (theme == nullptr || (*theme != "dark" && *theme != "light"))
      return corrupt_settings(msg::unknown_theme_in_the_settings);
    settings.dark = *theme == "dark";
  }
  if (json.contains("language")) {
    const std::string* code = text_at(json, "language");
    settings.language = code != nullptr ? language_from_code(*code) : std::nullopt;
    if (!settings.language) return corrupt_settings(msg::unknown_language_in_the_settings);
  }
  return std::nullopt;
}

std::optional<Error> read_window(const nlohmann::json& json, Settings& settings) {
  const auto width = window_length(json, "window_width", settings.window_width);
  const auto height = window_length(json, "window_height", settings.window_height);
  if (!width || !height) return corrupt_settings(msg::window_size_out_of_bounds);
  settings.window_width = *width;
  settings.window_height = *height;
  int x = 0;
  int y = 0;
  if (!read_number(json, "window_x", -kLargestWindow, kLargestWindow, x) ||
      !read_number(json, "window_y", -kLargestWindow, kLargestWindow, y)) {
    return corrupt_settings(msg::window_position_out_of_bounds);
  }
  if (json.contains("window_x") && json.contains("window_y")) {
    settings.window_x = x;
    settings.window_y = y;
  }
  if (auto error = read_flag(json, "maximized", settings.maximized)) return error;
  if (auto error = read_flag(json, "small_verdict", settings.small_verdict)) return error;
  if (auto error = read_flag(json, "inspector", settings.inspector)) return error;
  if (!read_number(json, "header_width", 0, kLargestWindow, settings.header_width))
    return corrupt_settings(msg::splitter_out_of_bounds);
  return std::nullopt;
}

// Reads {"timeline": {"kernels": 320}}. Earlier versions had one height for all pages, "drawer_height", which
// is ignored. Names of pages are not checked, because a later version may have others.
std::optional<Error> read_drawers(const nlohmann::json& json, Settings& settings) {
  const auto found = json.find("drawer_heights");
  if (found == json.end()) return std::nullopt;
  if (!found->is_object()) return corrupt_settings(msg::splitter_out_of_bounds);
  for (const auto& [kind, pages] : found->items()) {
    if (!pages.is_object()) return corrupt_settings(msg::splitter_out_of_bounds);
    for (const auto& [page, height] : pages.items()) {
      if (!read_number(pages, page.c_str(), 0, kLargestWindow, settings.drawer_heights[kind][page]))
        return corrupt_settings(msg::splitter_out_of_bounds);
    }
  }
  return std::nullopt;
}

std::optional<Error> read_appearance(const nlohmann::json& json, Settings& settings) {
  if (!read_number(json, "interface_scale", kSmallestInterface, kLargestInterface, settings.interface_scale))
    return corrupt_settings(msg::interface_scale_out_of_bounds);
  // Unknown modes are ignored, because a later version of the program may have written them.
  if (const std::string* mode = text_at(json, "color_by"))
    settings.look.color_mode = color_mode_named(*mode).value_or(settings.look.color_mode);
  if (json.contains("units")) {
    const std::string* name = text_at(json, "units");
    const auto units = name != nullptr ? byte_units_named(*name) : std::nullopt;
    if (!units) return corrupt_settings(msg::unknown_units_in_the_settings);
    settings.units = *units;
  }
  return read_flag(json, "full_names", settings.look.full_names);
}

// If the file has no value, sets nullopt, because a version in which dragging always panned wrote the file.
std::optional<Error> read_dragging(const nlohmann::json& json, Settings& settings) {
  settings.dragging.reset();
  if (!json.contains("dragging")) return std::nullopt;
  const std::string* const name = text_at(json, "dragging");
  if (name == nullptr || (*name != "selects" && *name != "pans"))
    return corrupt_settings(msg::unknown_dragging_in_the_settings);
  settings.dragging = *name == "selects" ? Dragging::selects : Dragging::pans;
  return std::nullopt;
}

}  // namespace

std::filesystem::path user_folder(const char* variable, std::string_view below_home) {
  const char* folder = std::getenv(variable);
  if (folder != nullptr && folder[0] == '/') return std::filesystem::path(folder) / "kinetoscope";
  const char* home = std::getenv("HOME");
  if (home == nullptr || home[0] != '/') return {};
  return std::filesystem::path(home) / below_home / "kinetoscope";
}

std::filesystem::path settings_path() {
  const std::filesystem::path folder = user_folder("XDG_CONFIG_HOME", ".config");
  return folder.empty() ? folder : folder / "settings.json";
}

Result<Settings> read_settings(const std::filesystem::path& path) {
  std::error_code code;
  if (path.empty() || !std::filesystem::exists(path, code)) return Settings{};
  if (std::filesystem::file_size(path, code) > kLargestSettingsFile || code)
    return corrupt_settings(msg::settings_not_a_small_file);
  std::ifstream file(path, std::ios::binary);
  if (!file) return Error{Error::Kind::no_permission, msg::the_settings_cannot_be_read};
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return corrupt_settings(msg::settings_not_an_object);
  Settings settings;
  for (const auto read : {read_theme_and_language, read_window, read_drawers, read_appearance, read_dragging})
    if (auto error = read(json, settings)) return std::move(*error);
  return settings;
}

std::optional<Error> write_settings(const std::filesystem::path& path, const Settings& settings) {
  if (path.empty()) return Error{Error::Kind::system, msg::settings_folder_unknown};
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
  for (const auto& [kind, pages] : settings.drawer_heights) {
    if (!pages.empty()) json["drawer_heights"][kind] = pages;
  }
  if (settings.small_verdict) json["small_verdict"] = true;
  if (!settings.inspector) json["inspector"] = false;
  json["color_by"] = text_of(settings.look.color_mode);
  json["full_names"] = settings.look.full_names;
  if (settings.dragging) json["dragging"] = *settings.dragging == Dragging::selects ? "selects" : "pans";
  if (settings.units != ByteUnits::decimal) json["units"] = name_of(settings.units);
  if (settings.interface_scale != 1) json["interface_scale"] = settings.interface_scale;
  return write_file_atomically(path, json.dump(2) + "\n", Durability::power_loss);
}

}  // namespace kino
