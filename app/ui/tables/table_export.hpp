// What the tabs of tables share: the menu that copies and saves rows, the list of tables, the notes below.
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

/// Copies rows, or saves them beside the file that the table is of. UI thread only; texts are made on the
/// pool.
class TableExport {
 public:
  /// `pool` must outlive it; `wake` is called from a worker when there is news.
  TableExport(std::filesystem::path file, WorkerPool& pool, std::function<void()> wake)
      : text_(std::move(file), pool, std::move(wake)) {}

  /// The button and its menu; `note_place` is told the name of each item that was just drawn. `rows` may be
  /// null.
  void draw_button(const TableResults::Rows* rows, const std::function<void(const char*)>& note_place);
  void start(const TableResults::Rows& shown, TableFormat format, bool save, std::vector<std::uint32_t> rows);
  /// Once a frame: puts what is ready on the clipboard, or tells where it is.
  void update() { text_.update(); }
  bool running() const { return text_.running(); }
  /// What became of the last one, and whether that is news.
  const std::string& message() const { return text_.message(); }
  bool tells() const { return text_.tells(); }

 private:
  TextExport text_;
};

/// The list of tables on the left, under its headings. UI thread only.
class TableKindList {
 public:
  /// Returns the one that was clicked.
  std::optional<std::size_t> draw(std::span<const TableInfo* const> kinds, std::size_t shown, ImVec2 size,
                                  const Theme& theme, float ui_scale);
  /// Scrolls to the one that is shown in the next draw().
  void reveal() { reveal_ = true; }
  /// On screen by name, for tests.
  const std::vector<std::pair<std::string, ImVec2>>& places() const { return places_; }

 private:
  bool reveal_ = false;
  std::vector<std::pair<std::string, ImVec2>> places_;
};

/// A line of the table's notes, with all of them where the mouse is.
void draw_table_notes(const Table& table, const Theme& theme, float ui_scale);

}  // namespace kino
