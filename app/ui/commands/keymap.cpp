#include "app/ui/commands/keymap.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>

#include <nlohmann/json.hpp>

#include "app/shell/settings/settings.hpp"
#include "app/ui/commands/browser_keys.hpp"
#include "core/base/terminal_text.hpp"

namespace kino {
namespace {

constexpr std::size_t kLargestKeysFile = 1 << 20;
constexpr std::size_t kMostKeys = 8;

std::vector<KeyChord> default_keys(const CommandInfo& command) {
  std::vector<KeyChord> keys;
  std::string_view rest = command.default_keys;
  while (!rest.empty()) {
    const std::size_t space = std::min(rest.find(' '), rest.size());
    if (const auto chord = chord_from_text(rest.substr(0, space))) keys.push_back(*chord);
    rest.remove_prefix(std::min(space + 1, rest.size()));
  }
  return keys;
}

// Parses the keys of one entry of keys.json; nullopt with a sentence in `problem` if it is invalid.
std::optional<std::vector<KeyChord>> keys_from_json(const std::string& name, const nlohmann::json& value,
                                                    Message& problem) {
  std::vector<KeyChord> keys;
  if (value.is_null()) return keys;
  const nlohmann::json list = value.is_array() ? value : nlohmann::json::array({value});
  if (list.size() > kMostKeys) {
    problem = {msg::command_has_too_many_keys, name, std::to_string(kMostKeys)};
    return std::nullopt;
  }
  for (const nlohmann::json& entry : list) {
    const auto chord =
        entry.is_string() ? chord_from_text(entry.get_ref<const std::string&>()) : std::optional<KeyChord>();
    if (!chord) {
      problem = {msg::not_a_key,
                 escaped(entry.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)), name};
      return std::nullopt;
    }
    keys.push_back(*chord);
  }
  return keys;
}

}  // namespace

Keymap::Keymap() {
  for (const CommandInfo& command : all_commands()) keys_[index_of(command.id)] = default_keys(command);
}

Keymap Keymap::from_json(std::string_view text) {
  Keymap map;
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) {
    map.problems_.emplace_back(msg::keys_not_an_object);
    return map;
  }
  std::array<bool, kCommandCount> given{};
  for (const auto& [name, value] : json.items()) {
    const auto command = command_named(name);
    Message problem;
    if (!command) {
      map.problems_.emplace_back(msg::there_is_no_command, escaped(name));
    } else if (auto keys = keys_from_json(name, value, problem)) {
      map.keys_[index_of(*command)] = std::move(*keys);
      given[index_of(*command)] = true;
    } else {
      map.problems_.push_back(std::move(problem));
    }
  }
  for (const CommandInfo& command : all_commands()) {
    if (!given[index_of(command.id)]) continue;
    for (const KeyChord& chord : map.keys(command.id)) {
      for (const CommandInfo& other : all_commands()) {
        if (other.id == command.id || !scopes_meet(command.scope, other.scope) ||
            !map.has_chord(other, chord))
          continue;
        if (!given[index_of(other.id)]) {
          std::erase(map.keys_[index_of(other.id)], chord);
        } else if (command.id < other.id) {
          map.problems_.emplace_back(msg::key_of_two_commands, text_of(chord), command.name, other.name);
          std::erase(map.keys_[index_of(other.id)], chord);
        }
      }
    }
  }
  return map;
}

bool Keymap::has_chord(const CommandInfo& command, const KeyChord& chord) const {
  return std::ranges::find(keys(command.id), chord) != keys(command.id).end();
}

void Keymap::adapt_to_browser() {
  in_browser_ = true;
  for (const CommandInfo& command : all_commands()) {
    std::vector<KeyChord>& own = keys_[index_of(command.id)];
    const std::optional<KeyChord> chord = browser_key(command.id);
    // Without any key, the user has removed the keys of the command.
    if (!chord || own.empty() || !std::ranges::all_of(own, kept_by_browsers)) continue;
    const bool taken = std::ranges::any_of(all_commands(), [&](const CommandInfo& other) {
      return scopes_meet(command.scope, other.scope) && has_chord(other, *chord);
    });
    if (!taken) own.insert(own.begin(), *chord);
  }
}

std::vector<KeyChord> Keymap::shown_keys(CommandId command) const {
  std::vector<KeyChord> shown(keys(command).begin(), keys(command).end());
  if (in_browser_) std::erase_if(shown, kept_by_browsers);
  return shown;
}

std::string Keymap::text(CommandId command) const {
  std::string text;
  for (const KeyChord& chord : shown_keys(command)) text += (text.empty() ? "" : ", ") + text_of(chord);
  return text;
}

std::string Keymap::first_key_text(CommandId command) const {
  const std::vector<KeyChord> shown = shown_keys(command);
  return shown.empty() ? std::string() : text_of(shown.front());
}

std::filesystem::path keymap_path() {
  const std::filesystem::path settings = settings_path();
  return settings.empty() ? settings : settings.parent_path() / "keys.json";
}

Keymap read_keymap(const std::filesystem::path& path) {
  std::error_code code;
  if (path.empty() || !std::filesystem::exists(path, code)) return {};
  Keymap unread;
  if (std::filesystem::file_size(path, code) > kLargestKeysFile || code) {
    unread.problems_.emplace_back(msg::keys_not_a_small_file);
    return unread;
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    unread.problems_.emplace_back(msg::keys_cannot_be_read);
    return unread;
  }
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return Keymap::from_json(text);
}

}  // namespace kino
