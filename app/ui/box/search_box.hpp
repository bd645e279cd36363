// The box in the window bar and the list that opens below it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/box/box_entries.hpp"
#include "app/ui/commands/commands.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/box.hpp"
#include "app/ui/widgets/theme.hpp"

struct ImGuiInputTextCallbackData;

namespace kino {

/// UI thread only. While the list is open, arrow keys choose an entry, Enter takes it, Tab inserts the first
/// completion, and Esc closes the list.
class SearchBox {
 public:
  static constexpr float kLeastWidth = 220;  ///< at scale 1
  static constexpr float kMostWidth = 390;

  /// Opens the list with this text, selected unless it is only the character of a BoxMode.
  void open(const std::string& text);
  void close() { open_ = false; }
  bool is_open() const { return open_; }
  /// The text in the field, even while the list is closed.
  const std::string& text() const { return text_; }

  /// Draws the closed box into `place`: `query`, or `hint` if it is empty, and the keys. Returns whether it
  /// was clicked. Does not move the cursor of the window.
  bool draw_closed(const Box& place, Text hint, const std::string& query, const Theme& theme);
  /// Draws the field and its list as a popup at the place of the closed box. Call outside of other windows.
  /// Returns the entry that was taken, which closes the list unless it is a completion.
  std::optional<BoxEntry> draw(const BoxContext& context, Text hint, const Commands& commands,
                               const Theme& theme);

  /// Entries of the last frame, for tests.
  const std::vector<BoxEntry>& entries() const { return entries_; }
  std::size_t chosen() const { return chosen_; }
  const Box& place() const { return place_; }

 private:
  static int on_edit(ImGuiInputTextCallbackData* data);
  void find(const BoxContext& context);
  void move_by_keys();
  void draw_field(Text hint);
  void draw_list(const Commands& commands, float height, const Theme& theme,
                 std::optional<std::size_t>& taken);
  void draw_entry(std::size_t index, const Commands& commands, const Theme& theme,
                  std::optional<std::size_t>& taken);
  void type(std::string text);

  bool open_ = false;
  bool appearing_ = false;
  bool take_focus_ = false;
  bool keep_unselected_ = false;  // whether the text must not be selected when the field becomes active
  bool completes_ = false;        // whether Tab was pressed
  bool scroll_to_chosen_ = false;
  bool moved_ = false;  // whether the user chose an entry, which later results must not change
  Box place_;
  std::string text_;
  std::optional<std::string> replaced_;  // new text for the active field
  std::vector<BoxEntry> entries_;
  std::size_t chosen_ = 0;
};

}  // namespace kino
