#include "app/pages/hang/hang_panel.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <tuple>
#include <utility>

#include <imgui.h>
#include <nlohmann/json.hpp>

#include "app/ui/drawer/state_json.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/details_widgets.hpp"
#include "app/ui/widgets/fonts.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"
#include "core/job/flight/flight_counters.hpp"

namespace kino {
namespace {

constexpr float kStackEm = 34;  // width of the call stacks

bool has(const std::vector<std::int64_t>& ranks, std::int64_t rank) {
  return std::ranges::find(ranks, rank) != ranks.end();
}

std::string rank_text(std::int64_t rank) { return rank < 0 ? std::string("?") : std::to_string(rank); }

/// Returns the file name of a path.
std::string_view file_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

/// Returns the width of the widest state of a rank.
float state_width() {
  float width = 0;
  for (const Text state : {Text::hang_state, Text::hang_missing, Text::hang_stuck, Text::hang_waiting,
                           Text::hang_idle, Text::hang_silent})
    width = std::max(width, text_width(tr(state)));
  return std::ceil(width) + 1;
}

/// Sets up the columns of the outstanding operations. Each is as wide as its header and its first values; the
/// last one takes the remaining room.
void set_up_columns(const HangRecording& hang, const std::optional<TimeColumn>& ages) {
  constexpr std::size_t kMeasured = 100;  // rows
  struct Column {
    Text title{};
    float most_em = 0;
    float width = 0;
  };
  std::array columns{Column{Text::job_column_rank, 6}, Column{Text::hang_before_newest, 10},
                     Column{Text::hang_operation, 16}, Column{Text::hang_group, 14},
                     Column{Text::hang_sequence, 10}};
  for (Column& column : columns) column.width = text_width(tr(column.title));
  for (const Outstanding& operation :
       std::span(hang.analysis.outstanding).first(std::min(kMeasured, hang.analysis.outstanding.size()))) {
    const FlightDump& dump = hang.dumps[operation.dump];
    const FlightEntry& entry = dump.entries[operation.entry];
    const std::array<std::string, std::tuple_size_v<decltype(columns)>> values{
        rank_text(operation.rank), age_text(hang, entry, ages), operation_text(dump, entry),
        dump.groups[entry.group].description, std::to_string(entry.sequence)};
    for (std::size_t i = 0; i < columns.size(); ++i)
      columns[i].width = std::max(columns[i].width, text_width(values[i]));
  }
  for (const Column& column : columns) {
    const float most = std::max(column.most_em * ImGui::GetFontSize(), text_width(tr(column.title)));
    ImGui::TableSetupColumn(tr(column.title), ImGuiTableColumnFlags_WidthFixed,
                            std::ceil(std::min(column.width, most)) + 1);
  }
  ImGui::TableSetupColumn(tr(Text::hang_sizes), ImGuiTableColumnFlags_WidthStretch);
}

}  // namespace

HangPanel::HangPanel(std::shared_ptr<const HangRecording> hang)
    : hang_(std::move(hang)), ages_(age_format(*hang_)) {
  const HangAnalysis& analysis = hang_->analysis;
  for (const FlightDump& dump : hang_->dumps) cells_.push_back(group_cells(dump, analysis.groups));
  for (const WaitingGroup& group : analysis.groups) {
    group_titles_.push_back((group.description.empty() ? "?" : group.description) + " [" +
                            in_language(ranks_text(group.ranks)) + "]");
  }
  for (const bool blamed : {true, false}) {
    for (std::size_t d = 0; d < hang_->dumps.size(); ++d) {
      if (is_straggler(hang_->dumps[d].rank) == blamed) rows_.push_back(d);
    }
  }
  // Groups with missing or stuck ranks come first, because not all groups may fit: ImGui's tables have at
  // most 64 columns.
  constexpr std::size_t kMostGroups = 60;
  for (const bool blamed : {true, false}) {
    for (std::size_t g = 0; g < analysis.groups.size() && shown_groups_.size() < kMostGroups; ++g) {
      const WaitingGroup& group = analysis.groups[g];
      if ((group.missing.empty() && group.stuck.empty()) != blamed) shown_groups_.push_back(g);
    }
  }
  verdict_ = hang_verdict(analysis);
  processes_ = processes_to_inspect(*hang_);
  stood_ = hang_time_text(analysis);
  statuses_ = status_lines(analysis.statuses);
  constexpr std::size_t kMostBeside = 4;
  for (std::size_t i = 0; i < std::min(hang_->beside.size(), kMostBeside); ++i)
    beside_.append(i > 0 ? ", " : "").append(escaped(hang_->beside[i]));
  if (hang_->beside.size() > kMostBeside) beside_ += ", +" + grouped(hang_->beside.size() - kMostBeside);
  const auto first_of = [&](bool straggler) {
    const auto found = std::ranges::find_if(analysis.outstanding, [&](const Outstanding& operation) {
      return is_straggler(operation.rank) == straggler;
    });
    return static_cast<std::size_t>(found - analysis.outstanding.begin());
  };
  waiting_ = first_of(false);
  first_ = first_of(true);
  if (first_ >= analysis.outstanding.size()) first_ = waiting_;
  selected_ = first_;
}

bool HangPanel::is_straggler(std::int64_t rank) const {
  return hang_->analysis.missing.contains(rank) || hang_->analysis.stuck.contains(rank);
}

std::optional<std::size_t> HangPanel::dump_of(const Trace& trace) const {
  for (std::size_t d = 0; d < hang_->dumps.size(); ++d) {
    if (is_same_run(trace, hang_->dumps[d], hang_->analysis.newest_ns)) return d;
  }
  return std::nullopt;
}

void HangPanel::set_open_traces(std::span<const OpenTrace> traces) {
  traces_.assign(hang_->dumps.size(), {});
  trace_titles_.assign(hang_->dumps.size(), {});
  for (const OpenTrace& open : traces) {
    const std::optional<std::size_t> dump = dump_of(*open.trace);
    if (dump && traces_[*dump].document == 0) traces_[*dump] = {open.document, open.title};
    if (dump) trace_titles_[*dump] = traces_[*dump].title;
  }
}

std::optional<CountersOfRun> HangPanel::counters_for(const Trace& trace) const {
  const std::optional<std::size_t> dump = dump_of(trace);
  if (!dump) return std::nullopt;
  const std::string& file = hang_->dumps[*dump].file;
  return CountersOfRun{hang_, file,
                       [hang = hang_, dump = *dump, file](const Trace& of, const std::stop_token& stop) {
                         return flight_counters(of, hang->dumps[dump], hang->analysis.newest_ns, file, stop);
                       }};
}

// A folder with dumps and other recordings opens as two tabs. The tab of the dumps gets a separate path.
std::filesystem::path HangPanel::tab_path(const std::filesystem::path& file) const {
  if (hang_->beside.empty()) return file;
  const std::filesystem::path folder = file.has_filename() ? file : file.parent_path();
  return folder.parent_path() / filled(Text::hang_title, {folder.filename().string()});
}

void HangPanel::draw_content(const PageFrame& frame, ImVec2 at, ImVec2 size) {
  link_ = {};
  rank_places_.clear();
  inspector_.handle_keys(frame.splitters, frame.keyboard);
  const float inspector_px = inspector_.width(size.x, frame.scale);
  const float width = std::max(1.0F, size.x - inspector_px);
  inspector_box_ = {};
  if (inspector_px > 0) inspector_box_ = {at.x + width, at.y, at.x + size.x, at.y + size.y};
  ImGui::BeginChild(
      "hang", {width, size.y}, false,
      ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  draw_head(frame);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float rows = static_cast<float>(hang_->dumps.size() + 3) * table_row_height();
  const float matrix = std::floor(std::min(rows, room.y * 0.55F));
  draw_matrix(frame, matrix);
  const float below = std::max(1.0F, ImGui::GetContentRegionAvail().y);
  // The inspector shows the stacks.
  const float stacks = inspector_px > 0 ? 0 : std::min(room.x * 0.5F, kStackEm * ImGui::GetFontSize());
  const float gap = stacks > 0 ? ImGui::GetStyle().ItemSpacing.x : 0;
  draw_outstanding(frame, room.x - stacks - gap, below);
  if (stacks > 0) {
    ImGui::SameLine();
    draw_stacks(frame, below);
  }
  draw_menu();
  ImGui::EndChild();
  if (inspector_px <= 0) return;
  const DrawContext look{*frame.theme, frame.scale, frame.keyboard};
  inspector_.draw(inspector_box_, {content().content.title}, frame.splitters, look,
                  [&](ImVec2 below_title) { draw_part(below_title, look); });
}

bool HangPanel::marks(CommandId command) const {
  return command == CommandId::toggle_inspector && inspector_box_.width() > 0;
}

const HangContent& HangPanel::content() {
  const bool same =
      shown_ && shown_->part == part_ && shown_->traces == trace_titles_ && shown_->language == language();
  if (!same)
    shown_ = Shown{part_, trace_titles_, language(), hang_content(*hang_, part_, trace_titles_, waiting_)};
  return shown_->content;
}

void HangPanel::draw_part(ImVec2 size, const DrawContext& look) {
  const HangContent& shown = content();
  const std::optional<InspectorClick> clicked = sections_.draw(shown.content, size, look);
  if (!clicked) return;
  const HangContent::Target target = shown.targets[clicked->section][clicked->row];
  if (target.shows_trace) return show_in_trace(target.part.outstanding);
  part_ = target.part;
  if (has_operation()) selected_ = part_.outstanding;
}

void HangPanel::choose_by_click(const HangPart& part) {
  if (ImGui::IsItemClicked(ImGuiMouseButton_Left) || ImGui::IsItemClicked(ImGuiMouseButton_Right))
    part_ = part;
  menu_wanted_ = menu_wanted_ || ImGui::IsItemClicked(ImGuiMouseButton_Right);
}

// Draws the menu of the part that was clicked with the right button.
void HangPanel::draw_menu() {
  if (std::exchange(menu_wanted_, false)) ImGui::OpenPopup("part");
  if (!ImGui::BeginPopup("part")) return;
  if (popup_closed_by_escape()) return;
  using Kind = HangPart::Kind;
  if (ImGui::MenuItem(tr(Text::menu_copy_sentences)))
    ImGui::SetClipboardText(hang_part_text(*hang_, part_).c_str());
  if (part_.kind == Kind::group && ImGui::MenuItem(tr(Text::menu_copy_ranks))) {
    std::string ranks;
    for (const std::int64_t rank : hang_->analysis.groups[part_.group].ranks)
      ranks += (ranks.empty() ? "" : ", ") + std::to_string(rank);
    ImGui::SetClipboardText(ranks.c_str());
  }
  const bool of_rank = part_.kind == Kind::rank || part_.kind == Kind::cell || part_.kind == Kind::operation;
  if (of_rank) {
    const std::string command = stack_command(process_of(*hang_, hang_->dumps[part_.dump].rank));
    if (ImGui::MenuItem(tr(Text::hang_copy_command), nullptr, false, !command.empty()))
      ImGui::SetClipboardText(command.c_str());
    const std::vector<Outstanding>& list = hang_->analysis.outstanding;
    const auto operation = has_operation() ? list.begin() + static_cast<std::ptrdiff_t>(part_.outstanding)
                                           : std::ranges::find(list, part_.dump, &Outstanding::dump);
    const bool open = part_.dump < traces_.size() && traces_[part_.dump].document != 0;
    if (open && operation != list.end() &&
        ImGui::MenuItem(escaped(filled(Text::hang_show_in, {traces_[part_.dump].title})).c_str()))
      show_in_trace(static_cast<std::size_t>(operation - list.begin()));
  }
  ImGui::EndPopup();
}

void HangPanel::draw_head(const PageFrame& frame) {
  const Theme& theme = *frame.theme;
  const bool straggler = !hang_->analysis.suspects().empty();
  ImGui::Spacing();
  ImGui::Indent(10 * frame.scale);
  ImGui::PushFont(heading_font());
  wrapped_text(straggler ? theme.error : theme.text, in_language(verdict_));
  ImGui::PopFont();
  if (!stood_.empty()) wrapped_text(theme.text, in_language(stood_));
  draw_processes(frame);
  if (!beside_.empty()) wrapped_text(theme.text_dim, filled(Text::hang_beside, {beside_}));
  for (const std::string& problem : hang_->problems) wrapped_text(theme.warning, escaped(problem));
  for (const Mismatch& mismatch : hang_->analysis.mismatches) {
    std::string text;
    for (const auto& [what, ranks] : mismatch.ranks)
      text += (text.empty() ? "" : "; ") + what + ": " + in_language(ranks_text(ranks));
    wrapped_text(theme.warning,
                 filled(Text::hang_mismatch, {in_language(text_of(mismatch.kind)), mismatch.description,
                                              std::to_string(mismatch.sequence), escaped(text)}));
  }
  ImGui::Unindent(10 * frame.scale);
  ImGui::Spacing();
}

// Draws the processes to inspect, each with the command that prints its stack.
void HangPanel::draw_processes(const PageFrame& frame) {
  constexpr std::size_t kMost = 3;
  const Theme& theme = *frame.theme;
  copy_places_.clear();
  for (std::size_t i = 0; i < std::min(kMost, processes_.size()); ++i) {
    const RankProcess& process = processes_[i];
    const std::string command = stack_command(process);
    ImGui::PushID(static_cast<int>(i));
    wrapped_text(theme.text, escaped(in_language(process_text(process))));
    colored_text(theme.text_dim, tr(Text::hang_take_stack));
    ImGui::SameLine();
    copy_button(Text::record_copy, command);
    copy_places_.push_back(item_center());
    ImGui::SameLine();
    ImGui::PushFont(mono_font());
    fitted_text(theme.text, command);
    ImGui::PopFont();
    if (ImGui::IsItemHovered()) wrapped_tooltip(command);
    ImGui::PopID();
  }
  if (processes_.size() > kMost) {
    wrapped_text(theme.text_dim,
                 in_language(Message(msg::further_ranks_to_inspect, grouped(processes_.size() - kMost))));
  }
}

void HangPanel::draw_matrix(const PageFrame& frame, float height) {
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_ScrollX | ImGuiTableFlags_ScrollY |
                                     ImGuiTableFlags_RowBg | ImGuiTableFlags_BordersInnerV |
                                     ImGuiTableFlags_BordersOuter | ImGuiTableFlags_Resizable;
  const std::size_t groups = shown_groups_.size();
  const auto columns = static_cast<int>(groups) + 2;
  if (!ImGui::BeginTable("matrix", columns, kFlags, {0, height})) return;
  const float em = ImGui::GetFontSize();
  ImGui::TableSetupScrollFreeze(2, 1);
  ImGui::TableSetupColumn(tr(Text::job_column_rank), ImGuiTableColumnFlags_WidthFixed, 4 * em);
  ImGui::TableSetupColumn(tr(Text::hang_state), ImGuiTableColumnFlags_WidthFixed, state_width());
  for (std::size_t g = 0; g < groups; ++g) {
    ImGui::TableSetupColumn(group_titles_[shown_groups_[g]].c_str(), ImGuiTableColumnFlags_WidthFixed,
                            13 * em);
  }
  draw_matrix_header(columns);
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(hang_->dumps.size()), table_row_height());
  while (clipper.Step()) {
    for (int row = clipper.DisplayStart; row < clipper.DisplayEnd; ++row) {
      draw_rank_cells(frame, rows_[static_cast<std::size_t>(row)]);
    }
  }
  ImGui::EndTable();
}

void HangPanel::draw_matrix_header(int columns) {
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (int column = 0; column < columns; ++column) {
    ImGui::TableSetColumnIndex(column);
    const char* const name = ImGui::TableGetColumnName(column);
    ImGui::TableHeader(name);
    if (column < 2) continue;
    const std::size_t index = shown_groups_[static_cast<std::size_t>(column) - 2];
    choose_by_click({.kind = HangPart::Kind::group, .group = index});
    if (ImGui::IsItemHovered()) {
      const WaitingGroup& group = hang_->analysis.groups[index];
      ImGui::SetTooltip("%s\n%s %lld", name, group.operation.c_str(), static_cast<long long>(group.sequence));
    }
  }
}

void HangPanel::draw_rank_cells(const PageFrame& frame, std::size_t dump) {
  const std::int64_t rank = hang_->dumps[dump].rank;
  const HangAnalysis& analysis = hang_->analysis;
  const bool missing = analysis.missing.contains(rank);
  const bool stuck = analysis.stuck.contains(rank);
  const bool blamed = missing || stuck;
  const HangPart part{.kind = HangPart::Kind::rank, .dump = dump};
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::PushID(static_cast<int>(dump));
  const bool chosen = part_.kind == HangPart::Kind::rank && part_.dump == dump;
  ImGui::PushStyleColor(ImGuiCol_Text, blamed ? frame.theme->error : frame.theme->text);
  ImGui::Selectable(rank_text(rank).c_str(), chosen);
  ImGui::PopStyleColor();
  choose_by_click(part);
  rank_places_.push_back(item_center());
  ImGui::TableNextColumn();
  const Text state = missing ? Text::hang_missing : stuck ? Text::hang_stuck : Text::hang_waiting;
  const bool silent = !blamed && has(analysis.silent, rank);
  const bool idle = !blamed && has(analysis.idle, rank);
  fitted_text(blamed ? frame.theme->error : frame.theme->text_dim, tr(silent ? Text::hang_silent
                                                                      : idle ? Text::hang_idle
                                                                             : state));
  for (const std::size_t group : shown_groups_) {
    ImGui::TableNextColumn();
    ImGui::PushID(static_cast<int>(group));
    draw_cell(frame, dump, group);
    ImGui::PopID();
  }
  ImGui::PopID();
}

void HangPanel::draw_cell(const PageFrame& frame, std::size_t dump, std::size_t group) {
  const GroupCell& cell = cells_[dump][group];
  if (!cell.member) return;
  const WaitingGroup& waiting = hang_->analysis.groups[group];
  const std::int64_t rank = hang_->dumps[dump].rank;
  const bool missing = has(waiting.missing, rank);
  const bool stuck = has(waiting.stuck, rank);
  const Theme& theme = *frame.theme;
  if (missing || stuck) ImGui::TableSetBgColor(ImGuiTableBgTarget_CellBg, with_alpha(theme.error, 70));
  const auto number = [](std::int64_t value) { return value < 0 ? std::string("?") : std::to_string(value); };
  std::string text = number(cell.last_completed) + " / " + number(cell.last_enqueued);
  if (missing) text = tr(Text::hang_missing);
  const HangPart part{.kind = HangPart::Kind::cell, .dump = dump, .group = group};
  const ImVec2 at = ImGui::GetCursorPos();
  ImGui::Selectable("##cell", part_ == part);
  choose_by_click(part);
  const bool hovered = ImGui::IsItemHovered();
  ImGui::SetCursorPos(at);
  colored_text(missing || stuck ? theme.text : theme.text_dim, text);
  if (cell.outstanding > 0) {
    ImGui::SameLine();
    colored_text(stuck ? theme.text : theme.accent, "+" + grouped(cell.outstanding));
  }
  if (hovered) {
    ImGui::SetTooltip("%s", filled(Text::hang_cell, {number(cell.last_completed), number(cell.last_enqueued),
                                                     grouped(cell.outstanding)})
                                .c_str());
  }
}

void HangPanel::draw_outstanding(const PageFrame& frame, float width, float height) {
  const std::vector<Outstanding>& list = hang_->analysis.outstanding;
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg |
                                     ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_BordersOuter |
                                     ImGuiTableFlags_Resizable;
  if (!ImGui::BeginTable("outstanding", 6, kFlags, {std::max(1.0F, width), height})) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  set_up_columns(*hang_, ages_);
  ImGui::TableHeadersRow();
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(list.size()), table_row_height());
  while (clipper.Step()) {
    for (int row = clipper.DisplayStart; row < clipper.DisplayEnd; ++row) {
      const Outstanding& operation = list[static_cast<std::size_t>(row)];
      const FlightDump& dump = hang_->dumps[operation.dump];
      const FlightEntry& entry = dump.entries[operation.entry];
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      ImGui::PushID(row);
      const bool chosen = selected_ == static_cast<std::size_t>(row);
      ImGui::Selectable(rank_text(operation.rank).c_str(), chosen, ImGuiSelectableFlags_SpanAllColumns);
      choose_by_click({.kind = HangPart::Kind::operation,
                       .dump = operation.dump,
                       .outstanding = static_cast<std::size_t>(row)});
      if (has_operation()) selected_ = part_.outstanding;
      ImGui::PopID();
      ImGui::TableNextColumn();
      fitted_text(frame.theme->text, age_text(*hang_, entry, ages_));
      ImGui::TableNextColumn();
      fitted_text(is_straggler(operation.rank) ? frame.theme->error : frame.theme->text,
                  operation_text(dump, entry));
      ImGui::TableNextColumn();
      fitted_text(frame.theme->text_dim, dump.groups[entry.group].description);
      ImGui::TableNextColumn();
      fitted_text(frame.theme->text, std::to_string(entry.sequence));
      ImGui::TableNextColumn();
      fitted_text(frame.theme->text_dim, entry.input_sizes + " " + entry.dtypes);
    }
  }
  ImGui::EndTable();
}

// Shows the trace of the operation's rank from shortly before the operation was enqueued to the newest entry
// of all dumps, at least 1 ms.
void HangPanel::show_in_trace(std::size_t outstanding) {
  constexpr std::int64_t kLeastNs = 1'000'000;
  const Outstanding& operation = hang_->analysis.outstanding[outstanding];
  const std::int64_t created_ns = hang_->dumps[operation.dump].entries[operation.entry].created_ns;
  if (created_ns <= 0) return;
  const std::int64_t length = std::max(hang_->analysis.newest_ns - created_ns, kLeastNs);
  requests_.emplace_back(
      ShowInterval{traces_[operation.dump].document, created_ns - length / 10, created_ns + length});
}

// Draws a button if the rank's trace is open.
void HangPanel::draw_link(const Outstanding& operation) {
  const FlightEntry& entry = hang_->dumps[operation.dump].entries[operation.entry];
  if (operation.dump >= traces_.size() || traces_[operation.dump].document == 0 || entry.created_ns <= 0)
    return;
  ImGui::PushID(static_cast<int>(operation.dump));
  if (ImGui::SmallButton(escaped(filled(Text::hang_show_in, {traces_[operation.dump].title})).c_str()))
    show_in_trace(static_cast<std::size_t>(&operation - hang_->analysis.outstanding.data()));
  const ImVec2 corner = ImGui::GetItemRectMin();
  link_ = {corner.x + ImGui::GetItemRectSize().x / 2, corner.y + ImGui::GetItemRectSize().y / 2};
  ImGui::PopID();
}

void HangPanel::draw_entry(const PageFrame& frame, std::size_t outstanding) {
  const std::vector<Outstanding>& list = hang_->analysis.outstanding;
  if (outstanding >= list.size()) return;
  const Outstanding& operation = list[outstanding];
  const FlightEntry& entry = hang_->dumps[operation.dump].entries[operation.entry];
  colored_text(is_straggler(operation.rank) ? frame.theme->error : frame.theme->accent,
               filled(Text::hang_stack_of,
                      {rank_text(operation.rank), operation_text(hang_->dumps[operation.dump], entry)}));
  draw_link(operation);
  if (entry.frames.empty()) wrapped_text(frame.theme->text_dim, tr(Text::hang_no_stack));
  ImGui::PushFont(mono_font());
  for (const FlightFrame& at : entry.frames) {
    wrapped_text(frame.theme->text,
                 escaped(at.function + "  " + std::string(file_of(at.file)) + ":" + std::to_string(at.line)));
  }
  ImGui::PopFont();
  ImGui::Spacing();
}

void HangPanel::draw_stacks(const PageFrame& frame, float height) {
  if (!ImGui::BeginChild("stacks", {0, height}, true)) {
    ImGui::EndChild();
    return;
  }
  if (part_.kind != HangPart::Kind::overview && !has_operation()) {
    draw_part(ImGui::GetContentRegionAvail(), {*frame.theme, frame.scale, frame.keyboard});
    ImGui::EndChild();
    return;
  }
  for (const std::int64_t rank : hang_->analysis.idle) {
    if (is_straggler(rank))
      wrapped_text(frame.theme->error, filled(Text::hang_no_outstanding, {rank_text(rank)}));
  }
  for (const Message& line : statuses_) wrapped_text(frame.theme->text, escaped(in_language(line)));
  draw_entry(frame, selected_);
  if (waiting_ != selected_) draw_entry(frame, waiting_);
  for (const Messages& between : hang_->analysis.messages) {
    wrapped_text(frame.theme->text_dim,
                 filled(Text::hang_messages, {rank_text(between.from), rank_text(between.to),
                                              grouped(between.sends), grouped(between.receives)}));
  }
  ImGui::EndChild();
}

std::vector<PageFact> HangPanel::facts() const {
  const HangAnalysis& analysis = hang_->analysis;
  return {{filled(Text::hang_facts, {grouped(hang_->dumps.size()), grouped(analysis.outstanding_groups),
                                     grouped(analysis.outstanding.size())})}};
}

std::string HangPanel::headline() const { return escaped(in_language(verdict_)); }

void HangPanel::write_test_state(nlohmann::ordered_json& json) const {
  json["verdict"] = verdict_.str();
  json["statuses"] = english_texts(statuses_);
  json["culprits"] = hang_->analysis.suspects();
  json["groups"] = group_titles_.size();
  json["link"] = link_;
  json["beside"] = hang_->beside;
  json["outstanding"] = hang_->analysis.outstanding.size();
  json["copy"] = nlohmann::ordered_json::array();
  for (const ImVec2& place : copy_places_) json["copy"].push_back(place_json(place));
  json["rank_places"] = nlohmann::ordered_json::array();
  for (const ImVec2& place : rank_places_) json["rank_places"].push_back(place_json(place));
  json["inspector"] = nullptr;
  if (inspector_box_.width() > 0) {
    json["inspector"] = inspector_.test_state(inspector_box_);
    sections_.write_test_state(json["inspector"]);
  }
}

}  // namespace kino
