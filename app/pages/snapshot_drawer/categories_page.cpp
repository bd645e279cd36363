#include "app/pages/snapshot_drawer/categories_page.hpp"

#include <nlohmann/json.hpp>

#include "app/pages/snapshot_drawer/snapshot_tables.hpp"
#include "app/shell/settings/category_rules.hpp"
#include "app/ui/tables/table_state.hpp"
#include "app/ui/widgets/details_widgets.hpp"
#include "app/ui/widgets/widgets.hpp"

namespace kino {

CategoriesPage::CategoriesPage(const SnapshotHost& host)
    : SnapshotPage(host), tab_(kLiveKinds, {}, host.file, host.pool, host.wake) {
  tab_.choose(kLiveTable.name, "category");
}

void CategoriesPage::update(bool shown) {
  use_categories(tab_);
  TableResultQuery question = snapshot_query(state(), kLiveTable);
  question.baseline.reset();
  tab_.update(shown, question);
}

// Creates the file of rules from the current rules unless it exists, and copies its path to the clipboard.
void CategoriesPage::edit_rules() {
  const std::filesystem::path path = category_rules_path();
  const std::optional<Error> problem = make_category_file(path, colors().categories()->rules().rules);
  edit_result_ = problem ? in_language(problem->what) : filled(Text::category_file, {path.string()});
  if (!problem) ImGui::SetClipboardText(path.c_str());
}

void CategoriesPage::draw_rules(const DrawContext& look) {
  const Theme& theme = look.theme;
  const CategoryRules& rules = colors().categories()->rules();
  if (!edit_result_.empty()) wrapped_text(theme.text_dim, edit_result_);
  wrapped_text(theme.text_dim, tr(rules.built_in ? Text::category_built_in : Text::category_from_file));
  if (flat_button(with_id(Text::category_edit, "edit").c_str(), tr(Text::category_edit_hint))) edit_rules();
  ImGui::SameLine();
  if (flat_button(with_id(Text::category_reload, "again").c_str(), tr(Text::category_reload_hint))) {
    edit_result_.clear();
    page_requests().read_rules = true;
  }
  if (!rules.problem.empty()) wrapped_text(theme.error, in_language(rules.problem));
  if (!rules.rules.rules.empty() && rules.rules.extends_default)
    wrapped_text(theme.text_dim, tr(Text::category_own_rules));
  int rule_id = 0;
  for (const CategoryRule& rule : rules.rules.rules) {
    ImGui::PushID(rule_id++);
    if (link_text(rule.category + ": " + rule.query, ImGui::GetContentRegionAvail().x,
                  tr(Text::category_rule_hint), theme))
      page_requests().find = rule.query;
    ImGui::PopID();
  }
}

void CategoriesPage::draw_content(const DrawContext& look) {
  draw_rules(look);
  tab_.begin_alone(ImGui::GetContentRegionAvail());
  tab_.draw_filter(look.scale);
  tab_.draw_columns();
  tab_.draw_export(look.keyboard);
  tab_.draw_status(look.theme);
  const AllocationCategories* const categories = colors().told();
  const AllocationRowStyle::ColorOf color = [&](AllocationId id) {
    if (categories == nullptr) return look.theme.text_dim;
    return colors().of_category(paint_of_category(*categories, categories->of_allocation[index_of(id)]),
                                look.theme);
  };
  const AllocationRowStyle rows(state(), color);
  const TableGrid::Actions done =
      tab_.draw_rows(ImGui::GetContentRegionAvail(), rows, look.theme, look.scale);
  if (done.go_to) state().selected = tab_.matching_rows()->answer->table.allocation_of(*done.go_to);
  TableTab::end();
}

void CategoriesPage::write_test_state(nlohmann::ordered_json& panel) const {
  nlohmann::ordered_json list = nlohmann::ordered_json::object();
  const TableResults::Rows* const rows = tab_.matching_rows();
  if (rows != nullptr && rows->answer->problem.empty()) {
    const Table& table = rows->answer->table;
    const auto& names = std::get<TableColumn::Texts>(table.columns.front().values);
    const auto& bytes = std::get<TableColumn::Integers>(table.find("bytes")->values);
    for (const std::uint32_t row : rows->order) list[names[row]] = bytes[row];
  }
  panel["categories"] = std::move(list);
  panel["category_table"] = table_state(tab_);
}

}  // namespace kino
