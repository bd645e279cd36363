// Dispatches commands from keys, menus and the box to their handlers.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/commands/keymap.hpp"

namespace kino {

struct CommandAction {
  std::function<void()> run = {};
  std::function<bool()> available = {};  ///< empty: always
  std::function<bool()> checked = {};    ///< whether menus show a check mark; empty: never
};

/// The state of the window that decides which commands keys can reach in a frame.
struct ActiveScopes {
  bool window = true;  ///< false while a sheet is open over the page
  bool loading = false;
  PageKind page = PageKind::none;  ///< the page that is shown
};

/// Keys, menus and the box request commands. Callbacks or the page that is shown handle them. UI thread
/// only. Only one object may exist; command_pressed() and command_held() use it.
class Commands {
 public:
  explicit Commands(Keymap keymap);
  Commands(const Commands&) = delete;
  Commands& operator=(const Commands&) = delete;
  ~Commands();

  /// Sets the handler of a command. Commands without a `run` callback belong to the page.
  void bind(CommandId command, CommandAction action);
  /// Sets the function that returns whether a command of the page has a check mark in menus.
  void mark_by(std::function<bool(CommandId)> page_marks);
  const Keymap& keymap() const { return keymap_; }
  /// Whether the command applies now: as its `available` callback returns or, for a command of the page, if
  /// its scope includes the page.
  bool available(CommandId command) const;
  bool checked(CommandId command) const;
  /// Like available(), but false for a command of the page that the page does not handle in its current
  /// state, for instance because no slice is selected.
  bool has_effect(CommandId command) const;
  /// Calls the handler of the command. If the command belongs to the page, it is reported as pressed in one
  /// of the next frames. Movement commands are reported as held for a moment. At most kMaxPendingCommands
  /// requests are queued.
  void run(CommandId command);

  /// Called at the start of a frame: runs the handlers whose keys were pressed.
  void begin_frame(ActiveScopes scopes, double delta_seconds);
  /// Whether a request is pending for the page, so that the next frame must follow.
  bool pending() const { return !asked_.empty() || hold_seconds_ > 0; }

  /// Call before and after the page that receives the keys is drawn. From then on, has_effect() is based on
  /// the commands that the page checked in between. If `keyboard` is false, the previous commands remain.
  void begin_page() { checks_.reset(); }
  void end_page(bool keyboard);

  bool pressed(CommandId command);
  bool held(CommandId command) const;

  static constexpr std::size_t kMaxPendingCommands = 64;

 private:
  bool reached(CommandId command) const;
  bool keys_pressed(CommandId command) const;
  void watch_modifiers();

  Keymap keymap_;
  std::array<CommandAction, kCommandCount> actions_;
  std::function<bool(CommandId)> page_marks_;
  ActiveScopes scopes_;
  std::deque<CommandId> asked_;  // requests for the page, oldest first
  int asked_frames_left_ = 0;
  bool answered_ = false;          // whether a request was reported in this frame; at most one is
  std::optional<CommandId> held_;  // movement command requested by a menu or the box
  double hold_seconds_ = 0;
  std::bitset<kCommandCount> checks_;   // commands checked since begin_page()
  std::bitset<kCommandCount> handled_;  // commands that the page checked when it last had the keys
  std::optional<PageKind> handled_by_;  // kind of that page; nullopt before the first page
  std::vector<KeyChord> spoiled_;       // keys of movement commands to ignore until they are released
};

/// For pages: whether the command's key was pressed in this frame, or a menu or the box requested the
/// command. A request is reported once. False while no Commands object exists.
bool command_pressed(CommandId command);
/// Returns the command's first key for menus and hints, such as "Ctrl+P"; empty if the command has no key.
std::string key_text(CommandId command);
/// Returns a button's hint, followed by the command's key if there is one: "Next hit (Enter)".
std::string hint_with_key(Text hint, CommandId command);
std::string hint_with_key(const std::string& hint, CommandId command);
/// For pages: whether the command's key is held, with or without Shift.
bool command_held(CommandId command);

}  // namespace kino
