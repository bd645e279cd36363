#include "app/pages/snapshot_drawer/snapshot_tables_page.hpp"

#include <nlohmann/json.hpp>

#include "app/pages/snapshot_drawer/snapshot_tables.hpp"
#include "app/ui/commands/commands.hpp"
#include "app/ui/tables/table_state.hpp"
#include "core/base/time_text.hpp"
#include "core/memory/tables/snapshot_table_kinds.hpp"

namespace kino {

SnapshotTablesPage::SnapshotTablesPage(const SnapshotHost& host)
    : SnapshotPage(host),
      wake_(host.wake),
      tab_(snapshot_table_kinds(), {}, host.file, host.pool, host.wake) {}

std::vector<DrawerTab> SnapshotTablesPage::tabs(bool shown) const {
  std::vector<DrawerTab> tabs{{id(), title(), {}, shown && !hits_shown()}};
  if (!facts().found.empty())
    tabs.push_back({drawer_page::kHits, tr(Text::tab_hits), grouped(facts().hits), shown && hits_shown()});
  return tabs;
}

void SnapshotTablesPage::open_tab(std::string_view tab) {
  if (tab == drawer_page::kHits) {
    tab_.choose(hits_table());
  } else if (hits_shown()) {
    tab_.choose(kLiveTable.name);
  }
}

void SnapshotTablesPage::handle_keys(bool) {
  const int step =
      (command_pressed(CommandId::next_table) ? 1 : 0) - (command_pressed(CommandId::previous_table) ? 1 : 0);
  if (step != 0) {
    tab_.step_kind(step);
    state().drawer.show(id());
  }
  if (command_pressed(CommandId::save_all_tables))
    tab_.save_all([this](const TableInfo& kind) { return snapshot_query(state(), kind); });
  tab_.handle_keys(state().drawer.page == id());
}

void SnapshotTablesPage::update(bool shown) {
  use_categories(tab_);
  compare_.update(state(), facts().others);
  const TableOptions& supported = tab_.kind().supports;
  TableResultQuery question = snapshot_query(state(), tab_.kind());
  if (supported.find && (!facts().found_events || supported.actions)) question.find = facts().found;
  if (compared()) compare_.ask(state(), question);
  tab_.update(shown, question);
}

void SnapshotTablesPage::follow(std::uint32_t row) {
  const Table& table = tab_.matching_rows()->answer->table;
  const AllocationId own = table.allocation_of(row);
  // Some rows of a comparison have no allocation in this snapshot. These rows clear the selection.
  if (own != kNoAllocation || compared()) state().selected = own;
  if (compared()) {
    compare_.select(table.allocation_of(row, 1));
    wake_();  // the pane of the other snapshot may have been drawn earlier in this frame
  }
  if (const RowLink* const moment = table.link_of(row, RowLink::Kind::moment))
    state().go_to(moment->moment());
}

void SnapshotTablesPage::draw_content(const DrawContext& look) {
  tab_.begin(ImGui::GetContentRegionAvail(), look.theme, look.scale);
  // The changed query takes effect in the next frame.
  if (compared() && compare_.draw(tab_, state(), look.theme)) wake_();
  tab_.draw_tools(look.theme, look.scale, look.keyboard);
  const AllocationRowStyle::ColorOf color = [&](AllocationId id) { return colors().of(id, look.theme); };
  const TableGrid::Actions done = tab_.draw_rows(ImGui::GetContentRegionAvail(),
                                                 AllocationRowStyle(state(), color), look.theme, look.scale);
  if (done.go_to) follow(*done.go_to);
  TableTab::end();
}

void SnapshotTablesPage::write_test_state(nlohmann::ordered_json& panel) const {
  panel["tables"] = table_state(tab_);
  panel["compared_with"] = compare_.title();
}

}  // namespace kino
