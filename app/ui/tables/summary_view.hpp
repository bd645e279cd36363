// The summary table as a page: the verdict, findings, the step breakdown as a bar, and figures.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <imgui.h>

#include "app/ui/text/table_text.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/base/ids.hpp"
#include "core/tables/table.hpp"

namespace kino {

class SummaryView {
 public:
  struct Actions {
    SliceId go_to = kNoSlice;
    std::optional<std::uint32_t> finding;  ///< row of the finding that was clicked
  };
  /// Draws the table `summary` into a child window of `size`. O(rows), which are few.
  Actions draw(const Table& table, ImVec2 size, const Theme& theme, float ui_scale);
  /// Positions of the findings that can be clicked, for tests.
  const std::vector<ImVec2>& links() const { return links_; }

 private:
  /// Reads a text column: keys in English, and cells in the language in use.
  struct Words {
    const TableColumn& column;
    const std::string& key(std::size_t row) const { return std::get<TableColumn::Texts>(column.values)[row]; }
    std::string operator[](std::size_t row) const { return shown_cell(column, row); }
  };
  struct Figures {
    Words items;
    Words subjects;
    const TableColumn::Numbers& values;
    Words bases;
    Words texts;
    Words fixes;
    Words efforts;
    const TableColumn::Integers& won_ns;
  };

  std::optional<std::uint32_t> draw_findings(const Table& table, const Figures& figures, const Theme& theme,
                                             float ui_scale);
  /// Returns whether it was clicked.
  bool draw_finding(const Figures& figures, std::uint32_t row, bool leads, const Theme& theme,
                    float ui_scale);
  /// Draws a subject and, if there is room, the base: the total of which the figure is a share.
  static void draw_subject(const std::string& subject, const std::string& base, const Theme& theme,
                           float ui_scale);
  static void draw_split(const Table& table, const Figures& figures, const Theme& theme, float ui_scale);
  static SliceId draw_figures(const Table& table, const Figures& figures, const Theme& theme, float ui_scale);

  std::vector<ImVec2> links_;
};

}  // namespace kino
