// The list of all commands that opens with Ctrl+P: type a few letters, then Enter runs the first match.
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

struct PaletteTable {
  std::string_view name;  ///< name and title of its TableInfo
  msg::Id title;
};

struct PaletteEntry {
  CommandId command{};  ///< for a table: the command that shows tables
  std::optional<PaletteTable> table;
  FuzzyMatch match;  ///< match in the shown title; no positions if another text matched
};

/// Returns the title of an entry: "Fit the whole trace", "Table: Kernels".
std::string title_of(const PaletteEntry& entry, Language language);

/// Returns the commands and tables that match the query, best first; if the query is empty, all commands and
/// tables in their own order. Titles in the window's language precede titles in other languages. Names in
/// keys.json and on the command line match last.
std::vector<PaletteEntry> palette_entries(std::string_view query, std::span<const PaletteTable> tables = {});

/// The user's choice: a command, or a table by its name.
struct PaletteChoice {
  std::optional<CommandId> command;
  std::string_view table;
};

/// Available commands precede unavailable ones. UI thread only.
class CommandPalette {
 public:
  void toggle();
  bool visible() const { return visible_; }
  /// Draws the palette and returns the choice made in this frame, which closes the palette. `tables` are the
  /// tables of the page.
  PaletteChoice draw(const Commands& commands, std::span<const PaletteTable> tables, const Theme& theme);

 private:
  void find(const Commands& commands);
  void draw_entry(std::size_t index, const Commands& commands, const Theme& theme,
                  std::optional<std::size_t>& chosen);
  void move_cursor(const Commands& commands, std::optional<std::size_t>& chosen);

  bool visible_ = false;
  bool appearing_ = false;
  bool stale_ = false;  // entries_ do not belong to query_
  bool scroll_to_cursor_ = false;
  std::string query_;
  std::vector<PaletteTable> tables_;
  std::vector<PaletteEntry> entries_;
  std::size_t cursor_ = 0;
};

}  // namespace kino
