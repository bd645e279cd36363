// The drawer's page with the tables of a trace: selects table and scope, and exports or searches rows.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/pages/timeline_drawer/timeline_host.hpp"
#include "app/ui/drawer/drawer_page.hpp"
#include "app/ui/tables/row_instances.hpp"
#include "app/ui/tables/table_scope.hpp"
#include "app/ui/tables/table_tab.hpp"
#include "app/ui/text/texts.hpp"
#include "core/tables/analysis/findings.hpp"
#include "core/trace/steps.hpp"

namespace kino {

class TablesPage final : public DrawerPage {
 public:
  /// `steps` returns the trace's steps; null until they are known.
  TablesPage(const TimelineHost& host, std::function<const Steps*()> steps);

  /// Selects one of table_kinds() other than the summary, which has a page of its own.
  void choose(std::string_view kind) { tab_.choose(kind); }
  /// Selects one of table_kinds() for the whole trace, whatever the scope was before.
  void choose_of_trace(std::string_view kind) {
    scope_.choose(TableScope::Kind::whole);
    choose(kind);
  }
  /// Chooses the table of a finding, with the filter that selects its rows.
  void choose_rows(const Finding& finding) { show_rows(finding.table, finding.filter, {}); }
  /// Shows a finding's longest example in the timeline, and the rows of its table.
  void show(const Finding& finding);
  /// Parts of the trace that the tables can cover.
  std::vector<PageScope> scopes() const { return scope_.choices(steps_()); }
  void choose_scope(std::size_t scope) { scope_.choose(scope, steps_()); }
  std::string scope_title() const { return scope_.title(); }
  /// Returns the analyses of the trace, which the page's tables use.
  const std::shared_ptr<const RangeAnalyses>& analyses() const { return analyses_; }
  /// Counts rows for the tabs. Call once the trace is complete. `operators`: whether to count operators,
  /// which takes up to 60 bytes per slice.
  void count_rows(bool operators) { tab_.count_rows(operators); }
  /// Takes over the table, group, scope and filter of another page.
  void take_choice(const TablesPage& other);
  /// Returns the slices of the selected row, which the timeline marks while the page is shown; null if there
  /// are none.
  std::shared_ptr<const SliceSet> highlighted() const;

  std::string_view id() const override { return drawer_page::kTables; }
  const char* title() const override { return tr(Text::tab_tables); }
  std::optional<CommandId> command() const override { return CommandId::show_tables; }
  bool copies_rows() const override { return true; }
  std::vector<DrawerTab> tabs(bool shown) const override { return tab_.drawer_tabs(shown, id()); }
  void open_tab(std::string_view tab) override { tab_.open_drawer_tab(tab); }
  std::string_view open_tab() const override { return tab_.drawer_tab(); }
  void handle_keys(bool shown) override;
  void update(bool shown) override;
  void draw(ImVec2 size, const DrawContext& look) override;
  bool wants_frames() const override { return tab_.wants_frames() || scope_.waiting(); }
  bool complete() const override { return tab_.complete() && instances_.complete() && !scope_.waiting(); }
  void write_test_state(nlohmann::ordered_json& panel) const override;

 private:
  /// A jump that the timeline makes after the frame.
  struct Target {
    SliceId slice = kNoSlice;
    std::optional<TimeRange> range;  ///< range to mark and show; used in addition to `slice`
    /// Examples of a finding, worst first, which `]` steps through. May be empty.
    std::vector<TimelineState::Examples::Place> examples;
  };

  /// Returns the query for the chosen table and scope; nullopt if the scope is a range or step and there is
  /// none.
  std::optional<TableResultQuery> question() const;
  void draw_tools(const DrawContext& look);
  /// Chooses a table and its filter. `target` is the jump that follows.
  void show_rows(const std::string& kind, const std::string& filter, const Target& target);
  void draw_content(ImVec2 size, const DrawContext& look, Target& target);
  void go_to(const Target& target);
  /// Returns the query for the slices of a row; empty if the row has neither a name nor a slice.
  std::string find_text(const Table& table, std::uint32_t row) const;

  TimelineState& state_;
  TimelineRequests& page_requests_;
  std::function<const Steps*()> steps_;
  std::shared_ptr<const RangeAnalyses> analyses_;
  SliceRowStyle row_style_;
  TableTab tab_;
  RowInstancesView instances_;

  TableScope scope_;
  bool shown_ = false;
};

}  // namespace kino
