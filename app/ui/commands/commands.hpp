// The one place that knows which command is asked for now.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "app/ui/commands/keymap.hpp"

namespace kino {

/// One of the program's own commands.
struct CommandAction {
  std::function<void()> run = {};
  std::function<bool()> available = {};  ///< empty: always
  std::function<bool()> checked = {};    ///< whether a menu shows a mark at it; empty: never
};

/// Which scopes the keys reach in a frame.
struct ActiveScopes {
  bool window = true;  ///< false while a sheet lies over the page
  bool loading = false;
  PageKind page = PageKind::none;  ///< that is shown
};

/// Keys, menus and palette ask, callbacks or the panel that is shown answer. UI thread only; one object at a
/// time, which is what command_pressed() and command_held() ask.
class Commands {
 public:
  explicit Commands(Keymap keymap);
  Commands(const Commands&) = delete;
  Commands& operator=(const Commands&) = delete;
  ~Commands();

  /// Commands that have nothing to run are the panel's.
  void bind(CommandId command, CommandAction action);
  /// Tells whether the page that is shown has a mark at a command of its own.
  void mark_by(std::function<bool(CommandId)> page_marks);
  const Keymap& keymap() const { return keymap_; }
  /// Whether running it would do anything now.
  bool available(CommandId command) const;
  bool checked(CommandId command) const;
  /// Calls the action, or lets the panel find the command pressed (moving commands: held for a moment) in
  /// one of its next frames; as often as it was run, in that order, up to kMostAsked times.
  void run(CommandId command);

  /// At the begin of a frame: runs the actions whose keys were pressed.
  void begin_frame(ActiveScopes scopes, double delta_seconds);
  /// Whether a command still waits for the panel, so that the next frame must follow.
  bool pending() const { return !asked_.empty() || hold_seconds_ > 0; }

  bool pressed(CommandId command);
  bool held(CommandId command) const;

  static constexpr std::size_t kMostAsked = 64;

 private:
  bool reached(CommandId command) const;
  bool keys_pressed(CommandId command) const;

  Keymap keymap_;
  std::array<CommandAction, kCommandCount> actions_;
  std::function<bool(CommandId)> page_marks_;
  ActiveScopes scopes_;
  std::deque<CommandId> asked_;  // of the panel; the first one waits for its answer
  int asked_frames_left_ = 0;
  bool answered_ = false;          // in this frame: each is a stroke of its own
  std::optional<CommandId> held_;  // from the palette
  double hold_seconds_ = 0;
};

/// For panels: whether the command's key was pressed in this frame, or the palette asked for it, which is
/// answered once. False while no Commands exists.
bool command_pressed(CommandId command);
/// The command's first key for menus and hints, "Ctrl+P"; empty without one.
std::string key_text(CommandId command);
/// A button's hint with the command's key if it has one: "Next hit (Enter)".
std::string hint_with_key(Text hint, CommandId command);
/// Whether its key is held, with or without Shift.
bool command_held(CommandId command);

}  // namespace kino
