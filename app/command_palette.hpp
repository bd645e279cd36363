// The list of all commands that opens with Ctrl+P: type a few letters, Enter runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/commands.hpp"
#include "app/fuzzy_match.hpp"
#include "app/theme.hpp"

namespace kino {

struct PaletteEntry {
  CommandId command{};
  FuzzyMatch match;  ///< in the title; without positions when something else was found
};

/// The commands that fit the query, best first; all of them in the table's order for an empty one. Commands
/// are found by their English title in every language and, after those, by their name in keys.json.
std::vector<PaletteEntry> palette_entries(std::string_view query);

/// What can run now stands above what cannot. UI thread only.
class CommandPalette {
 public:
  /// Opens, or closes when it is open.
  void toggle();
  bool visible() const { return visible_; }
  /// What the person chose in this frame; it is closed then.
  std::optional<CommandId> draw(const Commands& commands, const Theme& theme);

 private:
  void find(const Commands& commands);
  void draw_entry(std::size_t index, const Commands& commands, const Theme& theme,
                  std::optional<CommandId>& chosen);
  void move_cursor(const Commands& commands, std::optional<CommandId>& chosen);

  bool visible_ = false;
  bool appearing_ = false;
  bool stale_ = false;  // entries_ are not those of query_
  bool scroll_to_cursor_ = false;
  std::string query_;
  std::vector<PaletteEntry> entries_;
  std::size_t cursor_ = 0;
};

}  // namespace kino
