#include "app/ui/commands/command_list.hpp"

#include <algorithm>
#include <array>

namespace kino {
namespace {

// Makes the names in the scope column of commands.def available.
namespace scope_words {
using enum CommandScope::Reach;
using enum PageKind;
}  // namespace scope_words

constexpr std::array<CommandInfo, kCommandCount> kCommands = {{
#define KINO_COMMAND(id, name, title, keys, group, scope, repeat)                                        \
  {CommandId::id,        name, Text::title, keys, CommandGroup::group, CommandScope{scope_words::scope}, \
   CommandRepeat::repeat},
#include "app/ui/commands/commands.def"
#undef KINO_COMMAND
}};

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

}  // namespace kino
