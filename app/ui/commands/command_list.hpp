// All commands of the program: one row each in commands.def, from which every list of commands is made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>

#include "app/ui/commands/page_kind.hpp"
#include "app/ui/text/texts.hpp"

namespace kino {

/// All commands, in the order of the help sheet and the box.
enum class CommandId : std::uint16_t {
#define KINO_COMMAND(id, name, title, keys, group, scope, repeat) id,
#include "app/ui/commands/commands.def"
#undef KINO_COMMAND
};
namespace command_list_detail {
using enum CommandId;
#define KINO_COMMAND(id, name, title, keys, group, scope, repeat) id,
inline constexpr CommandId kAll[] = {
#include "app/ui/commands/commands.def"
};
#undef KINO_COMMAND
}  // namespace command_list_detail
inline constexpr std::size_t kCommandCount = std::size(command_list_detail::kAll);
inline constexpr std::size_t index_of(CommandId command) { return static_cast<std::size_t>(command); }

enum class CommandGroup : std::uint8_t { move, select, tracks, bookmarks, snapshot, files, window };

/// The scope in which a command's keys apply: a reach, and for Reach::page a kind of page. Commands may share
/// keys if their scopes never apply at the same time.
class CommandScope {
 public:
  enum class Reach : std::uint8_t {
    always,   ///< even over a sheet
    window,   ///< on any page
    loading,  ///< while the active document is loading
    view,     ///< on pages of any kind that has_axis()
    page,     ///< on pages of one kind
  };
  constexpr CommandScope() = default;
  constexpr explicit CommandScope(Reach reach) : reach_(reach) {}
  constexpr explicit CommandScope(PageKind page) : reach_(Reach::page), page_(page) {}

  constexpr Reach reach() const { return reach_; }
  /// PageKind::none unless the reach is Reach::page.
  constexpr PageKind page() const { return page_; }
  /// Whether the command can apply while a page of this kind is shown. For Reach::loading, true for pages
  /// without an axis.
  constexpr bool applies_to(PageKind shown) const {
    switch (reach_) {
      case Reach::always:
      case Reach::window:
        return true;
      case Reach::loading:
        return !has_axis(shown);
      case Reach::view:
        return has_axis(shown);
      case Reach::page:
        break;
    }
    return page_ == shown;
  }
  constexpr bool operator==(const CommandScope&) const = default;

 private:
  Reach reach_ = Reach::always;
  PageKind page_ = PageKind::none;
};
bool scopes_meet(CommandScope a, CommandScope b);

/// Effect of a key that is held.
enum class CommandRepeat : std::uint8_t {
  once,
  repeats,  ///< like typed text
  held,     ///< active while the key is held; command_pressed() reports repeats
};

struct CommandInfo {
  CommandId id{};
  std::string_view name;          ///< name in keys.json, such as "fit-all"
  Text title{};                   ///< shown text, such as "Zoom in"
  std::string_view default_keys;  ///< separated by spaces
  CommandGroup group{};
  CommandScope scope{};
  CommandRepeat repeat{};
};

std::span<const CommandInfo, kCommandCount> all_commands();
const CommandInfo& info_of(CommandId command);
std::optional<CommandId> command_named(std::string_view name);

}  // namespace kino
