// Every command of the program: commands.def has them, a line each, and all that lists commands is made from
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>

#include "app/ui/text/texts.hpp"

namespace kino {

/// In the order of the help sheet and the palette.
enum class CommandId : std::uint8_t {
#define KINO_COMMAND(id, name, title, keys, group, scope, repeat, menu, place) id,
#include "app/ui/commands/commands.def"
#undef KINO_COMMAND
};
namespace command_list_detail {
using enum CommandId;
#define KINO_COMMAND(id, name, title, keys, group, scope, repeat, menu, place) id,
inline constexpr CommandId kAll[] = {
#include "app/ui/commands/commands.def"
};
#undef KINO_COMMAND
}  // namespace command_list_detail
inline constexpr std::size_t kCommandCount = std::size(command_list_detail::kAll);
static_assert(kCommandCount <= 256);  // CommandId is a byte
inline constexpr std::size_t index_of(CommandId command) { return static_cast<std::size_t>(command); }

enum class CommandGroup : std::uint8_t { move, select, tracks, bookmarks, snapshot, files, window };

/// Where a command's keys count. Keys may mean different things where scopes never meet.
enum class CommandScope : std::uint8_t {
  always,      ///< even over a sheet
  window,      ///< whatever the page shows
  loading,     ///< while the active document loads
  timeline,    ///< while a timeline is shown
  snapshot,    ///< while an allocator snapshot is shown
  job,         ///< while a job of many ranks is shown
  comparison,  ///< while two compared runs are shown
  snapshots,   ///< while many snapshots are shown as one page
  view,        ///< while any of them is
};
bool scopes_meet(CommandScope a, CommandScope b);

/// What a key that stays down does.
enum class CommandRepeat : std::uint8_t {
  once,
  repeats,  ///< as text does
  held,     ///< the command lasts as long; it repeats for who asks so
};

/// Parts of the view menu, in its order.
enum class MenuPart : std::uint8_t {
  none,
  tracks,
  colors,
  snapshot,
  layouts,
  names,
  panels,
  split,
  scale,
  units,
  languages,
  window,
};
inline constexpr std::size_t kMenuPartCount = static_cast<std::size_t>(MenuPart::window) + 1;

struct CommandInfo {
  CommandId id{};
  std::string_view name;          ///< in keys.json, "fit-all"
  Text title{};                   ///< for people, "Fit the whole trace"
  std::string_view default_keys;  ///< separated by spaces
  CommandGroup group{};
  CommandScope scope{};
  CommandRepeat repeat{};
  MenuPart menu{};
  std::uint8_t menu_place = 0;  ///< among the commands of its part
};

/// Every command, in the order of CommandId.
std::span<const CommandInfo, kCommandCount> all_commands();
const CommandInfo& info_of(CommandId command);
std::optional<CommandId> command_named(std::string_view name);
/// The commands of a part of the view menu, by place.
std::span<const CommandId> menu_commands(MenuPart part);

}  // namespace kino
