// The first table as a page: what to look at first in sentences, where the time goes as a bar, the figures.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <imgui.h>

#include "app/widgets/theme.hpp"
#include "core/base/ids.hpp"
#include "core/table/table.hpp"

namespace kino {

/// UI thread only.
class SummaryView {
 public:
  /// Draws the table `summary` into a child window of `size`. Returns the slice a person wants to see, or
  /// kNoSlice. O(rows), which are few.
  SliceId draw(const Table& table, ImVec2 size, const Theme& theme, float ui_scale);
  /// Where the sentences that lead to a slice were drawn, for tests.
  const std::vector<ImVec2>& links() const { return links_; }

 private:
  /// What the columns of a row say.
  struct Figures {
    const TableColumn::Texts& items;
    const TableColumn::Texts& subjects;
    const TableColumn::Numbers& values;
    const TableColumn::Texts& bases;
    const TableColumn::Texts& texts;
  };

  SliceId draw_findings(const Table& table, const Figures& figures, const Theme& theme, float ui_scale);
  /// A subject and, where there is room, what the figure is a share of.
  static void draw_subject(const std::string& subject, const std::string& base, const Theme& theme,
                           float ui_scale);
  static void draw_split(const Figures& figures, const Theme& theme, float ui_scale);
  static SliceId draw_figures(const Table& table, const Figures& figures, const Theme& theme, float ui_scale);

  std::vector<ImVec2> links_;
};

}  // namespace kino
