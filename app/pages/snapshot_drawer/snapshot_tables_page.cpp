#include "app/pages/snapshot_drawer/snapshot_tables_page.hpp"

#include <nlohmann/json.hpp>

#include "app/ui/commands/commands.hpp"
#include "app/ui/tables/table_state.hpp"
#include "app/ui/text/texts.hpp"

namespace kino {

SnapshotTablesPage::SnapshotTablesPage(const SnapshotHost& host)
    : SnapshotPage(host),
      tables_(host.state.snapshot, host.file, host.pool, host.wake),
      categories_(host.colors.categories()) {
  tables_.set_categories(categories_);
}

const char* SnapshotTablesPage::title() const { return tr(Text::tab_tables); }

void SnapshotTablesPage::handle_keys(bool) {
  if (command_pressed(CommandId::next_table)) tables_.step_kind(1);
  if (command_pressed(CommandId::previous_table)) tables_.step_kind(-1);
  if (command_pressed(CommandId::filter_columns) && state().drawer.page == id()) tables_.toggle_filters();
}

void SnapshotTablesPage::update(bool shown) {
  if (categories_ != colors().categories()) {
    categories_ = colors().categories();
    tables_.set_categories(categories_);
  }
  tables_.update(shown, state(), facts().found, facts().found_events, facts().others);
}

void SnapshotTablesPage::draw_content(const DrawerLook& look) {
  const auto color = [&](AllocationId id) { return colors().of(id, look.theme); };
  const SnapshotTables::Actions done =
      tables_.draw(ImGui::GetContentRegionAvail(), state(), color, look.theme, look.keyboard);
  if (done.select) state().selected = *done.select;
  if (done.go_to != kNoMoment) state().go_to(done.go_to);
}

void SnapshotTablesPage::tell(nlohmann::ordered_json& panel) const {
  panel["tables"] = table_state(tables_.tab());
  panel["compared_with"] = tables_.compare().title();
}

}  // namespace kino
