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
  CommandId command{};  ///< for a table, the command that shows tables
  std::optional<PaletteTable> table;
  FuzzyMatch match;  ///< in the shown title; without positions if another text matched
};

/// "Fit the whole trace", "Table: Kernels".
std::string title_of(const PaletteEntry& entry, Language language);

/// The commands and tables that match the query, best first; for an empty query all of them in their order.
/// Titles match in any language, the window's first; then names in keys.json and on the command line.
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
  /// Returns the choice in this frame, which closes the palette. `tables` are those of the page.
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
