#include "app/ui/commands/command_list.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace kino {
namespace {

using Scope = CommandScope;

constexpr std::array<CommandInfo, kCommandCount> kCommands = {{
#define KINO_COMMAND(id, name, title, keys, group, scope, repeat, menu, place)                         \
  {CommandId::id,         name,           Text::title, keys, CommandGroup::group, CommandScope::scope, \
   CommandRepeat::repeat, MenuPart::menu, place},
#include "app/ui/commands/commands.def"
#undef KINO_COMMAND
}};

using Menus = std::array<std::vector<CommandId>, kMenuPartCount>;

Menus sorted_menus() {
  Menus menus;
  for (const CommandInfo& command : kCommands) {
    if (command.menu != MenuPart::none) menus[static_cast<std::size_t>(command.menu)].push_back(command.id);
  }
  for (std::vector<CommandId>& commands : menus) {
    std::ranges::stable_sort(commands, {}, [](CommandId id) { return info_of(id).menu_place; });
  }
  return menus;
}

}  // namespace

bool scopes_meet(CommandScope a, CommandScope b) {
  const auto page = [](CommandScope scope) { return scope != Scope::always && scope != Scope::window; };
  const auto content = [](CommandScope scope) {
    return scope == Scope::timeline || scope == Scope::snapshot || scope == Scope::job ||
           scope == Scope::comparison || scope == Scope::snapshots;
  };
  if (a == b || !page(a) || !page(b)) return true;
  return (a == Scope::view && content(b)) || (b == Scope::view && content(a));
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
