// The drawer's page with the tables of a trace: selects table and scope, and exports or searches rows.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "app/pages/timeline_drawer/timeline_host.hpp"
#include "app/ui/drawer/drawer_page.hpp"
#include "app/ui/tables/row_instances.hpp"
#include "app/ui/tables/summary_view.hpp"
#include "app/ui/tables/table_tab.hpp"
#include "app/ui/text/texts.hpp"
#include "core/tables/analysis/trace_summary.hpp"
#include "core/trace/steps.hpp"

namespace kino {

class TablesPage final : public DrawerPage {
 public:
  /// `steps` returns the trace's steps; null until they are known.
  TablesPage(const TimelineHost& host, std::function<const Steps*()> steps);

  /// Selects one of table_kinds().
  void choose(std::string_view kind) { tab_.choose(kind); }
  /// Takes over the table, group, scope and filter of another page.
  void take_choice(const TablesPage& other);
  /// Returns the slices of the selected row, which the timeline marks while the page is shown; null if there
  /// are none.
  std::shared_ptr<const SliceSet> highlighted() const;

  std::string_view id() const override { return drawer_page::kTables; }
  const char* title() const override { return tr(Text::tab_tables); }
  std::optional<CommandId> command() const override { return CommandId::show_tables; }
  bool copies_rows() const override { return true; }
  void handle_keys(bool shown) override;
  void update(bool shown) override;
  void draw(ImVec2 size, const DrawContext& look) override;
  bool wants_frames() const override { return tab_.wants_frames(); }
  bool complete() const override { return tab_.complete() && instances_.complete(); }
  void write_test_state(nlohmann::ordered_json& panel) const override;

 private:
  /// The part of the trace that a table covers.
  enum class Scope : std::uint8_t { whole, range, step };
  /// A jump that the timeline makes after the frame.
  struct Target {
    SliceId slice = kNoSlice;
    std::optional<TimeRange> range;  ///< range to mark and show; used in addition to `slice`
    /// Examples of a finding, worst first, which `]` steps through. May be empty.
    std::vector<TimelineState::Examples::Place> examples;
  };

  static const char* text_of(Scope scope);
  /// Returns the query for the chosen table and scope; nullopt if the scope is a range or step and there is
  /// none.
  std::optional<TableResultQuery> question() const;
  /// Returns whether the table is drawn as a summary page instead of a grid.
  bool is_page() const { return &tab_.kind() == &kSummaryTable; }
  void note_step(SliceId selected);
  void draw_tools(const DrawContext& look);
  void draw_scope(float ui_scale);
  /// Shows the table of a finding, and stores the finding's examples in `target`.
  void show_finding(const Table& table, std::uint32_t row, Target& target);
  void draw_content(ImVec2 size, const DrawContext& look, Target& target);
  void go_to(const Target& target);
  /// Returns the query for the slices of a row; empty if the row has no name.
  std::string find_text(const Table& table, std::uint32_t row) const;

  TimelineState& state_;
  TimelineRequests& page_requests_;
  std::function<const Steps*()> steps_;
  std::shared_ptr<const RangeAnalyses> analyses_;
  SliceRowStyle row_style_;
  TableTab tab_;
  RowInstancesView instances_;
  SummaryView summary_;

  Scope scope_ = Scope::whole;
  std::optional<TimeRange> range_;
  std::optional<TimeRange> jump_range_;  // range marked by this page; the table keeps its own range
  std::optional<std::int64_t> step_;     // number of the last selected step
  SliceId step_selection_ = kNoSlice;    // selection from which step_ was computed
  SliceId jump_target_ = kNoSlice;       // slice selected by this page; selecting it does not change step_
  bool shown_ = false;
};

}  // namespace kino
