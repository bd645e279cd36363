#include "app/table_panel.hpp"

#include <algorithm>
#include <cmath>

#include "app/commands.hpp"
#include "app/keys.hpp"
#include "app/table_command.hpp"
#include "app/text_drawing.hpp"
#include "app/texts.hpp"
#include "app/widgets.hpp"
#include "core/column_totals.hpp"
#include "core/time_text.hpp"

namespace kino {
namespace {

/// In the order of table_kinds().
constexpr std::array kTitles = {
    Text::table_kind_summary,      Text::table_kind_steps,        Text::table_kind_operators,
    Text::table_kind_modules,      Text::table_kind_key_averages, Text::table_kind_kernels,
    Text::table_kind_outliers,     Text::table_kind_collectives,  Text::table_kind_breakdown,
    Text::table_kind_kernel_types, Text::table_kind_utilization,  Text::table_kind_idle,
    Text::table_kind_gaps,         Text::table_kind_launch,       Text::table_kind_queue,
    Text::table_kind_copies,       Text::table_kind_memory,       Text::table_kind_flops};

const char* title_of_group(std::string_view group) {
  if (group == "short-name") return tr(Text::table_by_short_name);
  if (group == "shape") return tr(Text::table_by_shape);
  if (group == "stack") return tr(Text::table_by_stack);
  if (group == "module") return tr(Text::table_by_module);
  if (group == "annotation") return tr(Text::table_by_annotation);
  if (group == "kernel") return tr(Text::table_by_kernel);
  if (group == "operator") return tr(Text::table_by_operator);
  if (group == "device") return tr(Text::table_by_device);
  return tr(Text::table_by_name);
}

/// How many rows, and what the first columns that add up come to.
std::string selection_text(const Table& table, std::span<const std::uint32_t> rows) {
  constexpr int kSums = 3;
  std::string text = filled(Text::table_selected, {grouped(rows.size())});
  int sums = 0;
  for (const TableColumn& column : table.columns) {
    if (!adds_up(column) || column.export_only || sums == kSums) continue;
    text += "  \xC2\xB7  " + column.title + " " + number_text(column.unit, totals_of(column, rows).sum);
    ++sums;
  }
  return text;
}

void draw_totals(const Table& table, std::span<const std::uint32_t> rows, const Theme& theme) {
  ImGui::BeginTooltip();
  if (ImGui::BeginTable("totals", 5, ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_BordersInnerH)) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    for (const Text title : {Text::table_sum, Text::table_mean, Text::table_least, Text::table_greatest}) {
      ImGui::TableNextColumn();
      colored_text(theme.text_dim, tr(title));
    }
    for (const TableColumn& column : table.columns) {
      if (column.is_text() || column.export_only) continue;
      const ColumnTotals totals = totals_of(column, rows);
      if (totals.count == 0) continue;
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      colored_text(theme.text, column.title);
      ImGui::TableNextColumn();
      if (adds_up(column)) right_aligned_text(theme.text, number_text(column.unit, totals.sum));
      for (const double value : {totals.mean(), totals.least, totals.greatest}) {
        ImGui::TableNextColumn();
        right_aligned_text(theme.text, number_text(column.unit, value));
      }
    }
    ImGui::EndTable();
  }
  ImGui::EndTooltip();
}

}  // namespace

TablePanel::TablePanel(std::shared_ptr<const Trace> trace, std::filesystem::path trace_path,
                       const SliceLook& look, WorkerPool& pool, const std::function<void()>& wake)
    : trace_(trace),
      look_(look),
      pool_(pool),
      wake_(wake),
      results_(tables_of(std::move(trace)), pool, wake),
      export_(std::move(trace_path), pool, wake),
      groups_(table_kinds().size(), 0) {}

void TablePanel::take_choice(const TablePanel& other) {
  kind_ = other.kind_;
  groups_ = other.groups_;
  scope_ = other.scope_;
  step_ = other.step_;
  filter_ = other.filter_;
  filter_text_ = other.filter_text_;
}

void TablePanel::choose_kind(std::size_t kind) {
  kind_ = kind;
  kinds_.reveal();
}

void TablePanel::step_kind(int step) {
  const auto count = static_cast<int>(table_kinds().size());
  choose_kind(static_cast<std::size_t>((static_cast<int>(kind_) + step + count) % count));
}

void TablePanel::step_scope() { scope_ = static_cast<TableScope>((static_cast<int>(scope_) + 1) % 3); }

std::string_view TablePanel::kind_name() const { return table_kinds()[kind_].name; }
std::string_view TablePanel::group_name() const {
  const TableKind& kind = table_kinds()[kind_];
  return kind.groups.empty() ? std::string_view() : kind.groups[groups_[kind_]];
}

std::optional<TableQuestion> TablePanel::question() const {
  TableQuestion question;
  question.kind = kind_;
  question.group = groups_[kind_];
  if (scope_ == TableScope::range) {
    if (!range_) return std::nullopt;
    question.range = range_;
  } else if (scope_ == TableScope::step) {
    if (!step_) return std::nullopt;
    question.step = step_;
  }
  return question;
}

const TableResults::Rows* TablePanel::matching_rows() const {
  const TableResults::Rows* rows = results_.rows();
  if (rows == nullptr) return nullptr;
  const TableQuestion& question = rows->answer->question;
  return question.kind == kind_ && question.group == groups_[kind_] ? rows : nullptr;
}

void TablePanel::update(bool shown, std::optional<TimeRange> marked, const Steps* steps, SliceId selected) {
  range_ = marked;
  if (steps != nullptr && selected != kNoSlice && selected != gone_to_ && selected != step_selection_) {
    const std::size_t step = steps->at(trace_->slices.start_ns[index_of(selected)]);
    if (step != Steps::kNone) step_ = steps->steps[step].number;
    step_selection_ = selected;
  }
  if (shown) {
    if (const auto wanted = question()) results_.ask(*wanted);
    results_.set_order(grid_.order(), filter_, grid_.filters());
  }
  if (results_.update() || drawn_ != std::pair(kind_, shown)) sizing_frames_ = kSizingFrames;
  drawn_ = {kind_, shown};
  sizing_frames_ = shown ? std::max(0, sizing_frames_ - 1) : 0;
  export_.update();
}

std::string TablePanel::find_text(const Table& table, std::uint32_t row) const {
  const TableColumn* column = table.find("name");
  const auto* names = column != nullptr ? std::get_if<TableColumn::Texts>(&column->values) : nullptr;
  const SliceId example = row < table.examples.size() ? table.examples[row] : kNoSlice;
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
  places_.controls.clear();
  ImGui::PushStyleColor(ImGuiCol_ChildBg, theme.panel);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {8 * ui_scale, 8 * ui_scale});
  ImGui::BeginChild("tables", size, false,
                    ImGuiWindowFlags_AlwaysUseWindowPadding | ImGuiWindowFlags_NoScrollbar);
  ImGui::PopStyleVar();
  const float gap = std::round(10 * ui_scale);
  const float height = ImGui::GetContentRegionAvail().y;
  const ImVec2 list{std::round(std::min(150 * ui_scale, size.x / 4)), height};
  if (const auto chosen = kinds_.draw(kTitles, kind_, list, theme, ui_scale)) kind_ = *chosen;
  places_.kinds = kinds_.first();
  places_.kind_height = kinds_.row_height();
  ImGui::SameLine(0, gap);
  ImGui::BeginChild("table", {0, height}, false, ImGuiWindowFlags_NoScrollbar);
  draw_tools(theme, ui_scale, keyboard, actions);
  draw_content(ImGui::GetContentRegionAvail(), theme, ui_scale, actions);
  ImGui::EndChild();
  ImGui::EndChild();
  ImGui::PopStyleColor();
  if (actions.go_to != kNoSlice) gone_to_ = actions.go_to;
  return actions;
}

void TablePanel::note_place(const char* name) {
  const ImVec2 from = ImGui::GetItemRectMin();
  const ImVec2 to = ImGui::GetItemRectMax();
  places_.controls.emplace_back(name, ImVec2{(from.x + to.x) / 2, (from.y + to.y) / 2});
}

void TablePanel::draw_group(float ui_scale) {
  const TableKind& kind = table_kinds()[kind_];
  if (kind.groups.empty()) return;
  ImGui::SetNextItemWidth(std::round(140 * ui_scale));
  if (ImGui::BeginCombo("##group", title_of_group(kind.groups[groups_[kind_]]))) {
    for (std::size_t i = 0; i < kind.groups.size(); ++i) {
      if (ImGui::Selectable(title_of_group(kind.groups[i]), i == groups_[kind_])) groups_[kind_] = i;
    }
    ImGui::EndCombo();
  }
  note_place("group");
  ImGui::SameLine();
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
  note_place("scope");
  if (ImGui::IsItemHovered() && !popup_open())
    ImGui::SetTooltip("%s", hint_with_key(Text::table_scope_hint, CommandId::next_table_scope).c_str());
  ImGui::SameLine();
}

std::string TablePanel::status() const {
  if (export_.tells()) return export_.message();
  const TableResults::Rows* rows = matching_rows();
  if (results_.running()) return tr(Text::table_computing);
  if (rows == nullptr || !rows->answer->problem.empty()) return {};
  if (kind_ == 0) return {};  // a page
  const std::vector<std::uint32_t> selected = grid_.selected(*rows);
  if (selected.size() > 1) return selection_text(rows->answer->table, selected);
  const std::size_t all = rows->answer->table.row_count();
  if (rows->order.size() < all)
    return filled(Text::table_rows_of, {grouped(rows->order.size()), grouped(all)});
  return counted(Text::table_one_row, Text::table_rows, all);
}

void TablePanel::draw_tools(const Theme& theme, float ui_scale, bool keyboard, Actions& actions) {
  draw_group(ui_scale);
  draw_scope(ui_scale);
  const TableResults::Rows* rows = matching_rows();
  const bool page = kind_ == 0;
  std::vector<std::uint32_t> selected;
  if (rows != nullptr && !page) selected = grid_.selected(*rows);
  if (!page) {
    ImGui::SetNextItemWidth(std::min(180 * ui_scale, ImGui::GetContentRegionAvail().x * 0.3F));
    if (ImGui::InputTextWithHint("##filter", tr(Text::table_filter), filter_text_.data(),
                                 filter_text_.size())) {
      filter_ = filter_text_.data();
      wake_();
    }
    note_place("filter");
    ImGui::SameLine();
    if (flat_button(with_id(Text::table_find, "find").c_str(), tr(Text::table_find_hint)) &&
        !selected.empty()) {
      actions.find = find_text(rows->answer->table, selected.front());
    }
    note_place("find");
    ImGui::SameLine();
    if (flat_button(with_id(Text::table_filters, "filters").c_str(),
                    hint_with_key(Text::table_filters_hint, CommandId::filter_columns).c_str())) {
      grid_.toggle_filters();
    }
    note_place("filters");
    ImGui::SameLine();
    if (flat_button(with_id(Text::table_columns, "columns").c_str(), tr(Text::table_columns_hint)))
      ImGui::OpenPopup("column_menu");
    note_place("columns");
    ImGui::SameLine();
    if (ImGui::BeginPopup("column_menu")) {
      if (!popup_closed_by_escape()) {
        if (rows != nullptr) grid_.draw_column_items(rows->answer->table);
        ImGui::EndPopup();
      }
    }
  }
  export_.draw_button(rows, [this](const char* name) { note_place(name); });
  const ImGuiIO& io = ImGui::GetIO();
  if (keyboard && !io.WantTextInput && io.KeyCtrl && !io.KeyShift && key_pressed('C') && rows != nullptr)
    export_.start(*rows, TableFormat::csv, false, selected.empty() ? rows->order : selected);
  ImGui::SameLine();
  ImGui::AlignTextToFramePadding();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  draw_elided(*ImGui::GetWindowDrawList(), {at.x, at.y + ImGui::GetStyle().FramePadding.y},
              ImGui::GetContentRegionAvail().x, theme.text_dim, status(), Elide::middle);
  const ImVec2 end{at.x + ImGui::GetContentRegionAvail().x, at.y + ImGui::GetFrameHeight()};
  if (selected.size() > 1 && ImGui::IsMouseHoveringRect(at, end))
    draw_totals(rows->answer->table, selected, theme);
  ImGui::NewLine();
}

void TablePanel::draw_content(ImVec2 size, const Theme& theme, float ui_scale, Actions& actions) {
  if (!question()) {
    wrapped_text(theme.text_dim,
                 tr(scope_ == TableScope::range ? Text::table_no_range : Text::table_no_step));
    return;
  }
  const TableResults::Rows* rows = matching_rows();
  if (rows == nullptr) return;
  const Table& table = rows->answer->table;
  if (!rows->answer->problem.empty()) {
    wrapped_text(theme.text_dim, rows->answer->problem);
    return;
  }
  const float notes = table.notes.empty() ? 0 : ImGui::GetTextLineHeight() + ImGui::GetStyle().ItemSpacing.y;
  const ImVec2 room{size.x, std::max(1.0F, size.y - notes)};
  if (kind_ == 0) {
    ImGui::Dummy({0, std::round(2 * ui_scale)});
    actions.go_to = summary_.draw(table, {room.x, std::max(1.0F, ImGui::GetContentRegionAvail().y - notes)},
                                  theme, ui_scale);
  } else if (table.row_count() == 0) {
    wrapped_text(theme.text_dim, tr(Text::table_empty));
  } else {
    const TableGrid::Actions done = grid_.draw(*rows, look_, room, theme, ui_scale);
    if (done.go_to) actions.go_to = example_of(table, *done.go_to);
    if (done.find) actions.find = find_text(table, *done.find);
  }
  draw_table_notes(table, theme, ui_scale);
}

}  // namespace kino
