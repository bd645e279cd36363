#include "app/pages/timeline_drawer/tables_page.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/ui/commands/commands.hpp"
#include "app/ui/drawer/state_json.hpp"
#include "app/ui/tables/table_state.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/analysis/trace_summary.hpp"
#include "core/tables/analysis/trace_tables.hpp"
#include "core/tables/gpu/time_base.hpp"
#include "core/trace/links/gpu_work.hpp"

namespace kino {
namespace {

constexpr std::array kTabs{TabbedTable{"kernels"}, TabbedTable{"operators", false, true}, TabbedTable{"gaps"},
                           TabbedTable{"collectives", true}};

/// Returns the part of the trace in view; nullopt if the view is outside of the trace.
std::optional<TimeRange> range_in_view(const TimelineState& state) {
  const TimeView& view = state.navigation.view();
  const TimeRange whole = whole_range(*state.trace);
  const auto inside = [&](double ns) {
    return static_cast<std::int64_t>(
        std::clamp(std::round(ns), static_cast<double>(whole.begin_ns), static_cast<double>(whole.end_ns)));
  };
  const TimeRange range{inside(view.begin_ns), inside(view.end_ns())};
  return range.length_ns() > 0 ? std::optional(range) : std::nullopt;
}

/// Returns the tables of a trace without the summary, which has a page of its own.
std::span<const TableInfo* const> listed_kinds() {
  static const std::vector<const TableInfo*> kListed = [] {
    std::vector<const TableInfo*> kinds(table_kinds().begin(), table_kinds().end());
    std::erase(kinds, &kSummaryTable);
    return kinds;
  }();
  return kListed;
}

/// Returns whether one of the first slices of a GPU stream is a kernel. Visits a limited number, so a
/// stream with thousands of copies before its first kernel may be overlooked.
bool has_kernels(const Trace& trace) {
  constexpr std::uint32_t kMostVisited = 4096;
  for (const Track& track : trace.tracks) {
    if (track.kind != TrackKind::gpu_stream || track.row_count == 0) continue;
    const Row& row = trace.row(RowId{track.first_row});
    for (std::uint32_t i = 0; i < std::min(row.slice_count, kMostVisited); ++i) {
      const SliceKind kind = trace.kind(SliceId{row.first_slice + i});
      if (is_gpu_work(kind) && kind != SliceKind::copy) return true;
    }
  }
  return false;
}

/// Returns the table that is shown first.
std::string_view first_kind(const Trace& trace) { return has_kernels(trace) ? "kernels" : "operators"; }

}  // namespace

TablesPage::TablesPage(const TimelineHost& host, std::function<const Steps*()> steps)
    : state_(host.state),
      page_requests_(host.page_requests),
      steps_(std::move(steps)),
      analyses_(analyses_of(host.state.trace)),
      row_style_(host.look, true),
      tab_(listed_kinds(), tables_of(analyses_), host.file, host.pool, host.wake),
      instances_(analyses_, host.pool, host.wake) {
  tab_.set_drawer_tabs(kTabs);
  tab_.set_device_word(device_word(*host.state.trace));
  tab_.choose(first_kind(*host.state.trace));
}

void TablesPage::take_choice(const TablesPage& other) {
  // The first table of the other page may be that of a trace that was still being read.
  const bool first = other.tab_.kind().name == first_kind(*other.state_.trace);
  tab_.take_choice(other.tab_);
  if (first) tab_.choose(first_kind(*state_.trace));
  scope_ = other.scope_;
}

std::optional<TableResultQuery> TablesPage::question() const {
  const std::optional<TableScope::Part> part = scope_.part();
  if (!part) return std::nullopt;
  TableResultQuery question;
  question.range = part->range;
  question.step = part->step;
  return question;
}

void TablesPage::show(const Finding& finding) {
  Target target;
  for (const FindingExample& example : finding.examples)
    target.examples.push_back({example.shown(), example.slice});
  show_rows(finding.table, finding.filter, target);
  state_.drawer.show(id());
  go_to(target);
}

void TablesPage::show_rows(const std::string& kind, const std::string& filter, const Target& target) {
  if (!target.examples.empty()) scope_.ignore(target.examples.front().range, kNoSlice);
  if (kind_named(listed_kinds(), kind) == nullptr) return;
  tab_.choose(kind);
  tab_.set_filter(filter);
}

void TablesPage::handle_keys(bool shown) {
  const int step =
      (command_pressed(CommandId::next_table) ? 1 : 0) - (command_pressed(CommandId::previous_table) ? 1 : 0);
  if (step != 0) {
    if (shown) tab_.step_kind(step);
    state_.drawer.show(id());
  }
  if (command_pressed(CommandId::save_all_tables))
    tab_.save_all([this](const TableInfo&) { return question().value_or(TableResultQuery()); });
  if (command_pressed(CommandId::next_table_scope)) {
    if (shown) scope_.next();
    state_.drawer.show(id());
  }
  // If the drawer shows a page with another table, that page toggles its own filters.
  const bool others =
      std::ranges::any_of(drawer_page::kWithTable, [this](auto page) { return state_.drawer.shows(page); });
  if (command_pressed(CommandId::filter_columns) && !others) {
    if (shown || !state_.drawer.open) tab_.toggle_filters();
    state_.drawer.show(id());
  }
  const int along = (command_pressed(CommandId::next_instance) ? 1 : 0) -
                    (command_pressed(CommandId::previous_instance) ? 1 : 0);
  if (const RowInstances* const found = shown_ ? instances_.shown() : nullptr;
      along != 0 && found != nullptr) {
    const SliceId target = found->step(*state_.trace, state_.selection.slice, along);
    scope_.ignore(std::nullopt, target);
    if (target != kNoSlice) state_.choose({target, kNoInstant}, true);
  }
  if (shown && command_pressed(CommandId::clear_selection)) tab_.clear_selection();
}

void TablesPage::update(bool shown) {
  scope_.update({.trace = *state_.trace,
                 .steps = steps_(),
                 .selected = state_.selection.slice,
                 .marked = state_.marked.dragging() ? std::nullopt : state_.marked.range(),
                 .visible = range_in_view(state_),
                 .delta_seconds = ImGui::GetIO().DeltaTime});
  shown_ = shown;
  tab_.update(shown, question());
  const std::vector<std::uint32_t>& rows = tab_.selected();
  instances_.update(tab_.matching_rows(), rows.size() == 1 ? std::optional(rows.front()) : std::nullopt);
}

std::shared_ptr<const SliceSet> TablesPage::highlighted() const {
  const RowInstances* found = shown_ ? instances_.shown() : nullptr;
  return found != nullptr ? found->set : nullptr;
}

std::string TablesPage::find_text(const Table& table, std::uint32_t row) const {
  const TableColumn* column = table.find("name");
  const auto* names = column != nullptr ? std::get_if<TableColumn::Texts>(&column->values) : nullptr;
  const SliceId example = table.slice_of(row);
  const std::string_view slice = example != kNoSlice ? state_.trace->name_of(example) : std::string_view();
  if (names == nullptr || (*names)[row].empty()) return slice.empty() ? "" : query_for_name(slice);
  const std::string& name = (*names)[row];
  // A row with a shortened name covers all slices whose names contain it. If the example's name does not
  // contain it, as for kernels of an operator's row, the query is for the row's name.
  if (slice.empty() || slice == name || slice.find(name) == std::string_view::npos)
    return query_for_name(name);
  return '"' + name.substr(0, name.find('"')) + '"';
}

void TablesPage::go_to(const Target& target) {
  // A jump shows the timeline, with the table below it.
  if (!target.examples.empty() || target.range || target.slice != kNoSlice) state_.drawer.full = false;
  scope_.ignore(target.range, target.slice);
  if (!target.examples.empty()) {
    state_.show_examples(target.examples);
  } else if (target.range) {
    state_.select_range(*target.range, target.slice);
  } else if (target.slice != kNoSlice) {
    state_.choose({target.slice, kNoInstant}, true);
  }
}

void TablesPage::draw(ImVec2 size, const DrawContext& look) {
  Target target;
  ImGui::PushStyleColor(ImGuiCol_ChildBg, look.theme.panel);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {8 * look.scale, 8 * look.scale});
  ImGui::BeginChild("tables", size, false,
                    ImGuiWindowFlags_AlwaysUseWindowPadding | ImGuiWindowFlags_NoScrollbar);
  ImGui::PopStyleVar();
  tab_.begin({size.x, ImGui::GetContentRegionAvail().y}, look.theme, look.scale);
  draw_tools(look);
  draw_content(ImGui::GetContentRegionAvail(), look, target);
  TableTab::end();
  ImGui::EndChild();
  ImGui::PopStyleColor();
  go_to(target);
}

void TablesPage::draw_tools(const DrawContext& look) {
  tab_.draw_group(look.scale);
  tab_.draw_filter(look.scale);
  const std::vector<std::uint32_t>& selected = tab_.selected();
  if (flat_button(with_id(Text::table_find, "find").c_str(), tr(Text::table_find_hint)) &&
      !selected.empty()) {
    page_requests_.find = find_text(tab_.matching_rows()->answer->table, selected.front());
  }
  tab_.record_position("find");
  ImGui::SameLine();
  if (flat_button(with_id(Text::tab_sql, "sql").c_str(), tr(Text::table_sql_hint))) {
    std::string name(tab_.kind().name);
    std::ranges::replace(name, '-', '_');
    page_requests_.sql = "SELECT * FROM table_" + name;
  }
  tab_.record_position("sql");
  ImGui::SameLine();
  tab_.draw_columns();
  tab_.draw_export(look.keyboard);
  tab_.draw_status(look.theme);
}

void TablesPage::draw_content(ImVec2 size, const DrawContext& look, Target& target) {
  const Theme& theme = look.theme;
  const float ui_scale = look.scale;
  if (!question()) {
    wrapped_text(theme.text_dim,
                 tr(scope_.kind() == TableScope::Kind::range ? Text::table_no_range : Text::table_no_step));
    return;
  }
  const TableResults::Rows* rows = tab_.matching_rows();
  if (rows == nullptr) return;
  const Table& table = rows->answer->table;
  const float beside = std::round(std::min(250 * ui_scale, size.x / 3));
  const bool instances = instances_.shown() != nullptr && beside >= 150 * ui_scale;
  const float gap = std::round(10 * ui_scale);
  ImGui::BeginChild("rows", {instances ? size.x - beside - gap : size.x, size.y}, false,
                    ImGuiWindowFlags_NoScrollbar);
  const TableGrid::Actions done = tab_.draw_rows(ImGui::GetContentRegionAvail(), row_style_, theme, ui_scale);
  ImGui::EndChild();
  if (done.go_to) {
    target.slice = table.slice_of(*done.go_to);
    if (const RowLink* const range = table.link_of(*done.go_to, RowLink::Kind::range))
      target.range = range->range();
  }
  if (done.find) page_requests_.find = find_text(table, *done.find);
  if (!instances) return;
  ImGui::SameLine(0, gap);
  ImGui::BeginChild("instances", {beside, size.y}, false, ImGuiWindowFlags_NoScrollbar);
  const SliceId chosen =
      instances_.draw(ImGui::GetContentRegionAvail(), state_.selection.slice, theme, ui_scale);
  if (chosen != kNoSlice) target.slice = chosen;
  ImGui::EndChild();
}

void TablesPage::write_test_state(nlohmann::ordered_json& panel) const {
  using Json = nlohmann::ordered_json;
  Json json = table_state(tab_);
  json["scope"] = scope_.name();
  const RowInstances* found = instances_.shown();
  json["examples"] = state_.examples.places.size();
  json["example"] = state_.examples.at;
  json["instances"] = found != nullptr ? found->slices.size() : 0;
  json["instance_places"] = places_json(instances_.places());
  panel["tables"] = json;
}

}  // namespace kino
