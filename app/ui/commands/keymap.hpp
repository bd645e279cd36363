// Which keys belong to which command: the defaults, and what the person's keys.json changes about them.
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
  /// The defaults.
  Keymap();
  /// {"fit-all": "R", "next-tab": ["Ctrl+Tab", "L"], "quit": null}: what is named replaces the command's
  /// defaults, null leaves it without a key, and a key that is given takes itself away from the command that
  /// has it by default. What cannot be understood is left out and told by problems().
  static Keymap from_json(std::string_view text);

  std::span<const KeyChord> keys(CommandId command) const { return keys_[index_of(command)]; }
  /// "Ctrl+P, Ctrl+Shift+P"; empty without a key.
  std::string text(CommandId command) const;
  /// "Ctrl+P"; empty without a key.
  std::string first_key_text(CommandId command) const;
  /// One sentence each.
  const std::vector<Message>& problems() const { return problems_; }

 private:
  friend Keymap read_keymap(const std::filesystem::path& path);
  std::array<std::vector<KeyChord>, kCommandCount> keys_;
  std::vector<Message> problems_;
};

/// keys.json beside settings_path(); empty when that is.
std::filesystem::path keymap_path();
/// The defaults when there is no file; a file that cannot be read is one of the problems.
Keymap read_keymap(const std::filesystem::path& path);

}  // namespace kino
