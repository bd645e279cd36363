// The list of all commands that opens with Ctrl+P: type a few letters, Enter runs.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/commands/commands.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/fuzzy_match.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/base/messages/message.hpp"

namespace kino {

/// A table that the page can show.
struct PaletteTable {
  std::string_view name;  ///< of TableInfo, as the title
  msg::Id title;
};

struct PaletteEntry {
  CommandId command{};  ///< that shows tables, for a table
  std::optional<PaletteTable> table;
  FuzzyMatch match;  ///< in the shown title; without positions when something else was found
};

/// "Fit the whole trace", "Table: Kernels".
std::string title_of(const PaletteEntry& entry, Language language);

/// The commands and tables that fit the query, best first; all of them in the tables' order for an empty one.
/// They are found by their title in any language, the window's first, and, after those, by their name in
/// keys.json or on the command line.
std::vector<PaletteEntry> palette_entries(std::string_view query, std::span<const PaletteTable> tables = {});

/// What a person chose: a command, or a table by its name.
struct PaletteChoice {
  std::optional<CommandId> command;
  std::string_view table;
};

/// What can run now stands above what cannot. UI thread only.
class CommandPalette {
 public:
  /// Opens, or closes when it is open.
  void toggle();
  bool visible() const { return visible_; }
  /// What the person chose in this frame; it is closed then. `tables` are those of the page.
  PaletteChoice draw(const Commands& commands, std::span<const PaletteTable> tables, const Theme& theme);

 private:
  void find(const Commands& commands);
  void draw_entry(std::size_t index, const Commands& commands, const Theme& theme,
                  std::optional<std::size_t>& chosen);
  void move_cursor(const Commands& commands, std::optional<std::size_t>& chosen);

  bool visible_ = false;
  bool appearing_ = false;
  bool stale_ = false;  // entries_ are not those of query_
  bool scroll_to_cursor_ = false;
  std::string query_;
  std::vector<PaletteTable> tables_;
  std::vector<PaletteEntry> entries_;
  std::size_t cursor_ = 0;
};

}  // namespace kino
