// The keys of the commands: the defaults, and changes by the user's keys.json.
#pragma once

#include <array>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/commands/command_list.hpp"
#include "app/ui/commands/key_chord.hpp"
#include "core/base/messages/message.hpp"

namespace kino {

class Keymap {
 public:
  Keymap();
  /// Parses {"fit-all": "R", "next-tab": ["Ctrl+Tab", "L"], "quit": null}. Keys replace the command's
  /// defaults; null removes them. If a key is also a default of another command whose scope can apply at the
  /// same time, it is removed from that command. Invalid entries are ignored and reported by problems().
  static Keymap from_json(std::string_view text);

  /// Adapts the keys to a served window. If browsers keep all keys of a command, the command gets
  /// browser_key() as its first key, unless keys.json has given this key to another command. Keys that
  /// browsers keep still work if the browser passes them, but are no longer part of the texts.
  void adapt_to_browser();

  std::span<const KeyChord> keys(CommandId command) const { return keys_[index_of(command)]; }
  /// Returns the keys of a command, "Ctrl+P, Ctrl+Shift+P"; empty if there are none.
  std::string text(CommandId command) const;
  /// Returns the first key of text(), "Ctrl+P"; empty if there is none.
  std::string first_key_text(CommandId command) const;
  const std::vector<Message>& problems() const { return problems_; }

 private:
  friend Keymap read_keymap(const std::filesystem::path& path);
  bool has_chord(const CommandInfo& command, const KeyChord& chord) const;
  std::vector<KeyChord> shown_keys(CommandId command) const;

  std::array<std::vector<KeyChord>, kCommandCount> keys_;
  std::vector<Message> problems_;
  bool in_browser_ = false;
};

/// Returns the path of keys.json beside settings_path(); empty if settings_path() is empty.
std::filesystem::path keymap_path();
/// Reads keys.json. Returns the defaults if the file does not exist; an unreadable file is reported by
/// problems().
Keymap read_keymap(const std::filesystem::path& path);

}  // namespace kino
