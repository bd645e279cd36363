// Shared parts of table tabs: the export menu, the list of tables, and the notes below a table.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <imgui.h>

#include "app/ui/tables/table_results.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/text_export.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/base/worker_pool.hpp"
#include "core/tables/table_kind.hpp"
#include "core/tables/table_request.hpp"

namespace kino {

/// Copies rows to the clipboard, or saves them to a file that the user chooses. UI thread only; texts are
/// made on the pool.
class TableExport {
 public:
  TableExport(std::filesystem::path file, WorkerPool& pool, std::function<void()> wake)
      : text_(std::move(file), pool, std::move(wake)) {}

  /// Draws the button and its menu, and calls `record_position` with the name of each item right after
  /// drawing it. `rows` may be null.
  void draw_button(const TableResults::Rows* rows, const std::function<void(const char*)>& record_position);
  void start(const TableResults::Rows& shown, TableFormat format, bool save, std::vector<std::uint32_t> rows);
  /// Called once per frame. Puts a finished text on the clipboard, or reports where it was saved.
  void update() { text_.update(); }
  bool running() const { return text_.running(); }
  /// Result of the last export as a sentence.
  const std::string& message() const { return text_.message(); }
  /// Whether message() is recent enough to show.
  bool tells() const { return text_.tells(); }
  /// Call when another table is shown, to which message() does not refer.
  void hide_message() { text_.hide_message(); }

 private:
  TextExport text_;
};

/// The list of tables on the left, grouped by heading. UI thread only.
class TableKindList {
 public:
  /// Returns the index of the table that was clicked; nullopt if none was. `device`: see device_word().
  std::optional<std::size_t> draw(std::span<const TableInfo* const> kinds, std::size_t shown, ImVec2 size,
                                  std::string_view device, const Theme& theme, float ui_scale);
  /// Scrolls to the shown table in the next draw().
  void reveal() { reveal_ = true; }
  /// Positions of the list's lines by table name, for tests.
  const std::vector<std::pair<std::string, ImVec2>>& places() const { return places_; }

 private:
  bool reveal_ = false;
  std::vector<std::pair<std::string, ImVec2>> places_;
};

/// Returns the height of the table's notes and of the space above them; 0 if there are none. The notes are
/// wrapped to the width of `page`. They take at most two fifths of its height, but always one line.
float table_notes_height(const Table& table, ImVec2 page);
/// Draws the table's notes, with a tooltip that also shows lines for which `page` has no room.
void draw_table_notes(const Table& table, ImVec2 page, const Theme& theme, float ui_scale);

}  // namespace kino
