#include "app/ui/commands/commands.hpp"

#include <algorithm>
#include <utility>

#include <imgui.h>

namespace kino {
namespace {

// Frames that a requested command waits for the page. After a choice in the box, its text field
// still has keyboard focus for two frames.
constexpr int kFramesToAnswer = 8;
// Duration for which a movement command from the box is held.
constexpr double kHoldSeconds = 0.15;

// Global like ImGui's context: panels check commands wherever they handle keys.
Commands* current_commands = nullptr;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

bool moves_while_held(CommandId command) { return info_of(command).repeat == CommandRepeat::held; }

}  // namespace

Commands::Commands(Keymap keymap) : keymap_(std::move(keymap)) { current_commands = this; }

Commands::~Commands() {
  if (current_commands == this) current_commands = nullptr;
}

void Commands::bind(CommandId command, CommandAction action) {
  actions_[index_of(command)] = std::move(action);
}

void Commands::mark_by(std::function<bool(CommandId)> page_marks) { page_marks_ = std::move(page_marks); }

bool Commands::available(CommandId command) const {
  const CommandAction& action = actions_[index_of(command)];
  if (action.run) return !action.available || action.available();
  return info_of(command).scope.applies_to(scopes_.page);
}

bool Commands::checked(CommandId command) const {
  if (!available(command)) return false;
  const CommandAction& action = actions_[index_of(command)];
  return action.checked ? action.checked() : !action.run && page_marks_ && page_marks_(command);
}

bool Commands::has_effect(CommandId command) const {
  if (!available(command)) return false;
  if (actions_[index_of(command)].run || moves_while_held(command)) return true;
  if (scopes_.page == PageKind::none) return false;
  // Before the page has been drawn, its scope decides.
  return handled_by_ != scopes_.page || handled_.test(index_of(command));
}

void Commands::end_page(bool keyboard) {
  if (!keyboard) return;
  handled_ = checks_;
  handled_by_ = scopes_.page;
}

void Commands::run(CommandId command) {
  const CommandAction& action = actions_[index_of(command)];
  if (action.run) {
    if (available(command)) action.run();
  } else if (moves_while_held(command)) {
    held_ = command;
    hold_seconds_ = kHoldSeconds;
  } else if (asked_.size() < kMaxPendingCommands) {
    if (asked_.empty()) asked_frames_left_ = kFramesToAnswer;
    asked_.push_back(command);
  }
}

bool Commands::reached(CommandId command) const {
  const CommandScope scope = info_of(command).scope;
  if (scope.reach() == CommandScope::Reach::always) return true;
  if (!scopes_.window) return false;
  return scope.reach() == CommandScope::Reach::loading ? scopes_.loading : scope.applies_to(scopes_.page);
}

bool Commands::keys_pressed(CommandId command) const {
  const bool text_field = ImGui::GetIO().WantTextInput;
  const bool repeats = info_of(command).repeat != CommandRepeat::once;
  return std::ranges::any_of(keymap_.keys(command), [&](const KeyChord& chord) {
    return (!text_field || passes_text_fields(chord)) && chord_pressed(chord, repeats);
  });
}

/// Notes the movement keys that are held together with a modifier of another command, as in Ctrl+S. They do
/// not move the view until they are released, even if the modifier is released first.
void Commands::watch_modifiers() {
  std::erase_if(spoiled_, [](const KeyChord& chord) { return !chord_key_down(chord); });
  for (const CommandInfo& command : all_commands()) {
    if (!moves_while_held(command.id)) continue;
    for (const KeyChord& chord : keymap_.keys(command.id)) {
      const bool known = std::ranges::find(spoiled_, chord) != spoiled_.end();
      if (!known && chord_key_down(chord) && other_modifier_held(chord)) spoiled_.push_back(chord);
    }
  }
}

void Commands::begin_frame(ActiveScopes scopes, double delta_seconds) {
  scopes_ = scopes;
  answered_ = false;
  watch_modifiers();
  hold_seconds_ = std::max(0.0, hold_seconds_ - delta_seconds);
  if (!asked_.empty() && --asked_frames_left_ <= 0) {
    asked_.pop_front();
    asked_frames_left_ = kFramesToAnswer;
  }
  for (const CommandInfo& command : all_commands()) {
    const CommandAction& action = actions_[index_of(command.id)];
    if (action.run && reached(command.id) && available(command.id) && keys_pressed(command.id)) action.run();
  }
}

bool Commands::pressed(CommandId command) {
  checks_.set(index_of(command));
  if (!answered_ && !asked_.empty() && asked_.front() == command) {
    answered_ = true;
    asked_.pop_front();
    asked_frames_left_ = kFramesToAnswer;
    return true;
  }
  return keys_pressed(command);
}

bool Commands::held(CommandId command) const {
  if (hold_seconds_ > 0 && held_ == command) return true;
  if (ImGui::GetIO().WantTextInput) return false;
  return std::ranges::any_of(keymap_.keys(command), [&](const KeyChord& chord) {
    return chord_held(chord) && std::ranges::find(spoiled_, chord) == spoiled_.end();
  });
}

bool command_pressed(CommandId command) {
  return current_commands != nullptr && current_commands->pressed(command);
}

std::string key_text(CommandId command) {
  return current_commands != nullptr ? current_commands->keymap().first_key_text(command) : std::string();
}

std::string hint_with_key(Text hint, CommandId command) { return hint_with_key(tr(hint), command); }

std::string hint_with_key(const std::string& hint, CommandId command) {
  const std::string key = key_text(command);
  return key.empty() ? hint : filled(Text::hint_with_key, {hint, key});
}

bool command_held(CommandId command) {
  return current_commands != nullptr && current_commands->held(command);
}

}  // namespace kino
