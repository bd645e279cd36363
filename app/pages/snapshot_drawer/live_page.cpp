#include "app/pages/snapshot_drawer/live_page.hpp"

#include <array>

#include <nlohmann/json.hpp>

#include "app/pages/snapshot_drawer/snapshot_tables.hpp"
#include "app/ui/commands/commands.hpp"
#include "app/ui/tables/table_state.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "core/memory/memory_raster.hpp"
#include "core/memory/snapshot_text.hpp"

namespace kino {
namespace {

constexpr std::array kLiveTab{TabbedTable{drawer_page::kLive}};
static_assert(kLiveKinds.front() == &kLiveTable);

std::uint64_t size_group(const Allocations& all, AllocationId id) {
  return size_class_of(all.size[index_of(id)]).low;
}

/// Returns the value of a column in the first shown row; null if there is no such column or row.
nlohmann::ordered_json first_number(const TableResults::Rows& rows, std::string_view key) {
  const TableColumn* const column = rows.answer->table.find(key);
  if (column == nullptr || rows.order.empty()) return {};
  return std::get<TableColumn::Integers>(column->values)[rows.order.front()];
}

}  // namespace

LivePage::LivePage(const SnapshotHost& host)
    : SnapshotPage(host), tab_(kLiveKinds, {}, host.file, host.pool, host.wake) {
  tab_.set_drawer_tabs(kLiveTab);
  tab_.count_rows(true);
}

std::uint64_t LivePage::live_bytes() const {
  return state().any() ? curve_at(state().device(), MemoryCurve::requested, state().cursor) : 0;
}

std::string LivePage::note() const {
  // Rows are stacks, size classes or allocations, so their number needs its noun.
  std::string text = tab_.drawer_tabs(false, id()).front().note;
  if (!text.empty()) text = filled(text == "1" ? Text::table_one_row : Text::table_rows, {text}) + " · ";
  return text + text_from_bytes(live_bytes());
}

void LivePage::handle_keys(bool shown) {
  tab_.handle_keys(shown);
  if (!command_pressed(CommandId::live_by_size)) return;
  tab_.choose(kLiveTable.name, by_size() ? "stack" : "size");
  state().drawer.show(id());
}

void LivePage::update(bool shown) {
  use_categories(tab_);
  // The user can select several rows to see their sums. Selecting another allocation elsewhere clears this
  // selection.
  if (std::exchange(selected_, state().selected) != state().selected) tab_.clear_selection();
  tab_.update(shown, snapshot_query(state(), kLiveTable));
}

void LivePage::draw_content(const DrawContext& look) {
  tab_.begin_alone(ImGui::GetContentRegionAvail());
  tab_.draw_tools(look.theme, look.scale, look.keyboard);
  const AllocationRowStyle::ColorOf color = [&](AllocationId id) {
    return by_size() ? look.theme.text_dim : colors().of_group(band_group(state().history().allocations, id));
  };
  const AllocationRowStyle rows(state(), color,
                                by_size()                           ? size_group
                                : tab_.group_name() == "allocation" ? AllocationRowStyle::itself
                                                                    : stack_row);
  const TableGrid::Actions done =
      tab_.draw_rows(ImGui::GetContentRegionAvail(), rows, look.theme, look.scale);
  if (done.go_to)
    state().selected = selected_ = tab_.matching_rows()->answer->table.allocation_of(*done.go_to);
  TableTab::end();
}

void LivePage::write_test_state(nlohmann::ordered_json& panel) const {
  nlohmann::ordered_json json = table_state(tab_);
  json["bytes"] = live_bytes();
  json["by_size"] = by_size();
  json["event"] = nullptr;
  if (const TableResults::Rows* const rows = tab_.matching_rows()) {
    json["event"] = rows->answer->question.at;
    json["first_bytes"] = first_number(*rows, "bytes");
    json["first_growth"] = first_number(*rows, "growth_bytes");
  }
  panel["live"] = std::move(json);
}

}  // namespace kino
