#include "app/ui/tables/table_panel.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/ui/commands/commands.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/analysis/trace_tables.hpp"

namespace kino {
TablePanel::TablePanel(std::shared_ptr<const Trace> trace, std::filesystem::path trace_path,
                       const SliceLook& look, WorkerPool& pool, const std::function<void()>& wake)
    : trace_(std::move(trace)),
      analyses_(analyses_of(trace_)),
      look_(look),
      tab_(table_kinds(), tables_of(analyses_), std::move(trace_path), pool, wake),
      instances_(analyses_, pool, wake) {}

void TablePanel::take_choice(const TablePanel& other) {
  tab_.take_choice(other.tab_);
  scope_ = other.scope_;
  step_ = other.step_;
}

void TablePanel::step_scope() { scope_ = static_cast<TableScope>((static_cast<int>(scope_) + 1) % 3); }

std::optional<TableQuestion> TablePanel::question() const {
  TableQuestion question;
  if (scope_ == TableScope::range) {
    if (!range_) return std::nullopt;
    question.range = range_;
  } else if (scope_ == TableScope::step) {
    if (!step_) return std::nullopt;
    question.step = step_;
  }
  return question;
}

void TablePanel::update(bool shown, std::optional<TimeRange> marked, const Steps* steps, SliceId selected) {
  if (scope_ != TableScope::range || !marked || marked != gone_to_range_) range_ = marked;
  shown_ = shown;
  selected_ = selected;
  if (steps != nullptr && selected != kNoSlice && selected != gone_to_ && selected != step_selection_) {
    // GPU work is of the step that launched it.
    const SliceId launch = is_gpu_work(trace_->kind(selected)) ? trace_->link(selected) : kNoSlice;
    const SliceId placed = launch == kNoSlice ? selected : launch;
    const std::size_t step = steps->at(trace_->start_ns(placed));
    if (step != Steps::kNone) step_ = steps->steps[step].number;
    step_selection_ = selected;
  }
  tab_.update(shown, question());
  const std::vector<std::uint32_t> rows = is_page() ? std::vector<std::uint32_t>() : tab_.selected();
  instances_.update(tab_.matching_rows(), rows.size() == 1 ? std::optional(rows.front()) : std::nullopt);
}

SliceId TablePanel::step_instance(int step) {
  const RowInstances* found = instances_.shown();
  if (!shown_ || found == nullptr) return kNoSlice;
  return gone_to_ = found->step(*trace_, selected_, step);
}

std::shared_ptr<const SliceSet> TablePanel::highlighted() const {
  const RowInstances* found = shown_ ? instances_.shown() : nullptr;
  return found != nullptr ? found->set : nullptr;
}

std::string TablePanel::find_text(const Table& table, std::uint32_t row) const {
  const TableColumn* column = table.find("name");
  const auto* names = column != nullptr ? std::get_if<TableColumn::Texts>(&column->values) : nullptr;
  const SliceId example = table.slice_of(row);
  const std::string_view slice = example != kNoSlice ? trace_->name_of(example) : std::string_view();
  if (names == nullptr || (*names)[row].empty()) return slice.empty() ? "" : query_for_name(slice);
  const std::string& name = (*names)[row];
  // A row of a short name stands for all names that contain it; a row of an operator leads to a kernel.
  if (slice.empty() || slice == name || slice.find(name) == std::string_view::npos)
    return query_for_name(name);
  return '"' + name.substr(0, name.find('"')) + '"';
}

TablePanel::Actions TablePanel::draw(ImVec2 size, const Theme& theme, float ui_scale, bool keyboard) {
  Actions actions;
  ImGui::PushStyleColor(ImGuiCol_ChildBg, theme.panel);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {8 * ui_scale, 8 * ui_scale});
  ImGui::BeginChild("tables", size, false,
                    ImGuiWindowFlags_AlwaysUseWindowPadding | ImGuiWindowFlags_NoScrollbar);
  ImGui::PopStyleVar();
  tab_.begin({size.x, ImGui::GetContentRegionAvail().y}, theme, ui_scale);
  draw_tools(theme, ui_scale, keyboard, actions);
  draw_content(ImGui::GetContentRegionAvail(), theme, ui_scale, actions);
  TableTab::end();
  ImGui::EndChild();
  ImGui::PopStyleColor();
  if (actions.go_to != kNoSlice) gone_to_ = actions.go_to;
  if (actions.range) gone_to_range_ = actions.range;
  return actions;
}

void TablePanel::draw_scope(float ui_scale) {
  const auto label = [&](TableScope scope) -> std::string {
    if (scope == TableScope::range) {
      if (!range_) return tr(Text::table_range);
      return filled(Text::table_range_of, {text_from_duration(range_->length_ns())});
    }
    if (scope == TableScope::step)
      return step_ ? filled(Text::table_step_of, {std::to_string(*step_)}) : tr(Text::table_step);
    return tr(Text::table_whole);
  };
  ImGui::SetNextItemWidth(std::round(170 * ui_scale));
  if (ImGui::BeginCombo("##scope", label(scope_).c_str())) {
    for (const TableScope scope : {TableScope::whole, TableScope::range, TableScope::step}) {
      ImGui::PushID(static_cast<int>(scope));
      if (ImGui::Selectable(label(scope).c_str(), scope == scope_)) scope_ = scope;
      ImGui::PopID();
    }
    ImGui::EndCombo();
  }
  tab_.note_place("scope");
  if (ImGui::IsItemHovered() && !popup_open())
    ImGui::SetTooltip("%s", hint_with_key(Text::table_scope_hint, CommandId::next_table_scope).c_str());
  ImGui::SameLine();
}

void TablePanel::draw_tools(const Theme& theme, float ui_scale, bool keyboard, Actions& actions) {
  tab_.draw_group(ui_scale);
  draw_scope(ui_scale);
  if (!is_page()) {
    tab_.draw_filter(ui_scale);
    const std::vector<std::uint32_t> selected = tab_.selected();
    if (flat_button(with_id(Text::table_find, "find").c_str(), tr(Text::table_find_hint)) &&
        !selected.empty()) {
      actions.find = find_text(tab_.matching_rows()->answer->table, selected.front());
    }
    tab_.note_place("find");
    ImGui::SameLine();
    if (flat_button(with_id(Text::tab_sql, "sql").c_str(), tr(Text::table_sql_hint))) {
      std::string name(tab_.kind().name);
      std::ranges::replace(name, '-', '_');
      actions.sql = "SELECT * FROM table_" + name;
    }
    tab_.note_place("sql");
    ImGui::SameLine();
    tab_.draw_columns();
  }
  tab_.draw_export(keyboard);
  tab_.draw_status(is_page(), theme);
}

void TablePanel::show_finding(const Table& table, std::uint32_t row, Actions& actions) {
  // The first link is that of the row, then those of examples follow in pairs.
  const std::span<const RowLink> links = table.links_of(row);
  for (std::size_t i = 1; i + 1 < links.size(); i += 2) {
    if (links[i].kind() != RowLink::Kind::range) break;
    actions.examples.push_back(
        {links[i].range(), links[i + 1].kind() == RowLink::Kind::slice ? links[i + 1].slice() : kNoSlice});
  }
  if (!actions.examples.empty()) gone_to_range_ = actions.examples.front().range;
  const auto text = [&](std::string_view key) -> std::string_view {
    const TableColumn* const column = table.find(key);
    const auto* texts = column != nullptr ? std::get_if<TableColumn::Texts>(&column->values) : nullptr;
    return texts != nullptr ? std::string_view((*texts)[row]) : std::string_view();
  };
  const std::string kind(text("table"));
  const std::string filter(text("filter"));
  if (kind_named(table_kinds(), kind) == nullptr) return;
  tab_.choose(kind);
  tab_.set_filter(filter);
}

void TablePanel::draw_content(ImVec2 size, const Theme& theme, float ui_scale, Actions& actions) {
  if (!question()) {
    wrapped_text(theme.text_dim,
                 tr(scope_ == TableScope::range ? Text::table_no_range : Text::table_no_step));
    return;
  }
  const TableResults::Rows* rows = tab_.matching_rows();
  if (rows == nullptr) return;
  const Table& table = rows->answer->table;
  if (is_page() && rows->answer->problem.empty()) {
    ImGui::Dummy({0, std::round(2 * ui_scale)});
    const SummaryView::Actions done =
        summary_.draw(table, {size.x, std::max(1.0F, ImGui::GetContentRegionAvail().y)}, theme, ui_scale);
    actions.go_to = done.go_to;
    if (done.finding) show_finding(table, *done.finding, actions);
    return;
  }
  const float beside = std::round(std::min(250 * ui_scale, size.x / 3));
  const bool instances = instances_.shown() != nullptr && beside >= 150 * ui_scale;
  const float gap = std::round(10 * ui_scale);
  ImGui::BeginChild("rows", {instances ? size.x - beside - gap : size.x, size.y}, false,
                    ImGuiWindowFlags_NoScrollbar);
  const TableGrid::Actions done = tab_.draw_rows(ImGui::GetContentRegionAvail(), look_, theme, ui_scale);
  ImGui::EndChild();
  if (done.go_to) {
    actions.go_to = table.slice_of(*done.go_to);
    if (const RowLink* const range = table.link_of(*done.go_to, RowLink::Kind::range))
      actions.range = range->range();
  }
  if (done.find) actions.find = find_text(table, *done.find);
  if (!instances) return;
  ImGui::SameLine(0, gap);
  ImGui::BeginChild("instances", {beside, size.y}, false, ImGuiWindowFlags_NoScrollbar);
  const SliceId chosen = instances_.draw(ImGui::GetContentRegionAvail(), selected_, theme, ui_scale);
  if (chosen != kNoSlice) actions.go_to = chosen;
  ImGui::EndChild();
}

}  // namespace kino
