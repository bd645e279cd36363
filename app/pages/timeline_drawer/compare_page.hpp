// The drawer's page that compares saved ranges of the trace: their list, and a table by name.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <imgui.h>

#include "app/pages/timeline_drawer/timeline_host.hpp"
#include "app/ui/drawer/drawer_page.hpp"
#include "app/ui/tables/table_tab.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/view/saved_ranges.hpp"
#include "app/ui/view/slice_style.hpp"
#include "app/ui/view/timeline_state.hpp"
#include "app/ui/widgets/ruler.hpp"
#include "app/ui/widgets/theme.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/tables/analysis/part_summary.hpp"

namespace kino {

/// Returns the part of the trace to save, and a name for it. While the page of the range is shown, this is
/// the marked range. Otherwise, it is the selected slice, else the marked range. nullopt if there is neither.
std::optional<std::pair<TracePart, std::string>> range_to_save(const TimelineState& state);

/// The page that compares saved ranges. The ranges are summarized on the pool, and only while the page is
/// shown.
class ComparePage final : public DrawerPage {
 public:
  explicit ComparePage(const TimelineHost& host);

  /// Saves range_to_save() under `letter`, or under the first free letter if it is 0, and opens the page. If
  /// there is nothing to save, only opens the page.
  static void keep(TimelineState& state, char letter);

  std::string_view id() const override { return drawer_page::kCompare; }
  const char* title() const override { return tr(Text::tab_compare); }
  std::string note() const override;
  bool has_tab() const override { return false; }  // it is a view
  std::optional<CommandId> command() const override { return CommandId::show_compare; }
  void handle_keys(bool shown) override;
  void update(bool shown) override;
  /// Draws the page, and renames, removes, selects or shows saved ranges as the user requests. O(visible
  /// rows).
  void draw(ImVec2 size, const DrawContext& look) override;
  bool wants_frames() const override { return tab_.wants_frames(); }
  bool complete() const override { return tab_.complete(); }
  void write_test_state(nlohmann::ordered_json& panel) const override;

 private:
  void draw_tools(SavedRanges& parts, const Theme& theme, float ui_scale);
  /// Draws the list of ranges. Returns the letter of the range that the user wants to see, or 0.
  char draw_list(SavedRanges& parts, ImVec2 size, const Theme& theme, float ui_scale);
  /// Draws the line of a range. Returns whether the user wants to see the range.
  bool draw_part(SavedRanges& parts, const SavedRange& part, const Theme& theme, float ui_scale);
  void draw_table(float height, const DrawContext& look);
  void show(const SavedRange& kept);
  void record_position(const std::string& name) { places_.emplace_back(name, item_center()); }

  TimelineState& state_;
  SliceRowStyle look_;
  TableTab tab_;
  // generation of the ranges, and language, for which the table was computed
  std::pair<std::uint64_t, int> computed_for_{~std::uint64_t{0}, -1};
  std::size_t compared_ = 0;
  std::array<char, SavedRanges::kMostNameBytes + 1> text_{};
  char requested_letter_ = 0;  // letter requested by a button; '*': the first free one, 0: none
  std::vector<std::pair<std::string, ImVec2>> places_;  // for tests, by letter and part: "A_name"
};

/// Returns the gaps in the ruler for the letters of saved ranges.
std::vector<RulerGap> saved_range_gaps(const TimelineState& state);
/// Draws bars with letters at the bottom of the ruler, and lines through the tracks, at the saved ranges.
void draw_saved_ranges(ImDrawList& list, const TimelineState& state, const Theme& theme);

}  // namespace kino
