#include "app/ui/commands/command_list.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace kino {
namespace {

// Makes the names in the scope column of commands.def available.
namespace scope_words {
using enum CommandScope::Reach;
using enum PageKind;
}  // namespace scope_words

constexpr std::array<CommandInfo, kCommandCount> kCommands = {{
#define KINO_COMMAND(id, name, title, keys, group, scope, repeat, menu, place) \
  {CommandId::id,                                                              \
   name,                                                                       \
   Text::title,                                                                \
   keys,                                                                       \
   CommandGroup::group,                                                        \
   CommandScope{scope_words::scope},                                           \
   CommandRepeat::repeat,                                                      \
   MenuPart::menu,                                                             \
   place},
#include "app/ui/commands/commands.def"
#undef KINO_COMMAND
}};

using Menus = std::array<std::vector<CommandId>, kMenuPartCount>;

Menus sorted_menus() {
  Menus menus;
  for (const CommandInfo& command : kCommands) {
    if (command.menu != MenuPart::none) menus[static_cast<std::size_t>(command.menu)].push_back(command.id);
  }
  for (std::vector<CommandId>& commands : menus)
    std::ranges::stable_sort(commands, {}, [](CommandId id) { return info_of(id).menu_place; });
  return menus;
}

}  // namespace

bool scopes_meet(CommandScope a, CommandScope b) {
  using Reach = CommandScope::Reach;
  const auto anywhere = [](CommandScope scope) {
    return scope.reach() == Reach::always || scope.reach() == Reach::window;
  };
  const auto shares = [](CommandScope view, CommandScope page) {
    return view.reach() == Reach::view && page.reach() == Reach::page && has_axis(page.page());
  };
  return a == b || anywhere(a) || anywhere(b) || shares(a, b) || shares(b, a);
}

std::span<const CommandInfo, kCommandCount> all_commands() { return kCommands; }

const CommandInfo& info_of(CommandId command) { return kCommands[index_of(command)]; }

std::optional<CommandId> command_named(std::string_view name) {
  const auto found = std::ranges::find(kCommands, name, &CommandInfo::name);
  return found == kCommands.end() ? std::nullopt : std::optional(found->id);
}

std::span<const CommandId> menu_commands(MenuPart part) {
  static const Menus menus = sorted_menus();
  return menus[static_cast<std::size_t>(part)];
}

}  // namespace kino
